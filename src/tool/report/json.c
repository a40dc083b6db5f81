#include "tool/report/json.h"
#include <math.h>
#include "tool/report/jsontext.h"
#include "tool/report/repair.h"

json_t *json_count(uint64_t count)
{
    return json_integer((json_int_t)MIN(count, (uint64_t)INT64_MAX));
}

json_t *json_seconds(double seconds)
{
    return json_real(round(seconds * 1e6) / 1e6);
}

json_t *json_head(const Answer *answer)
{
    json_t *object = json_object(), *remarks = json_array();
    if (!object || !remarks)
        die("out of memory");
    bool violation = answer_shows_violation(answer) && answer->violation != VIOLATION_NONE;
    json_put(object, "command", json_text(answer->command));
    json_put(object, "subject", json_text(answer->subject));
    json_put(object, "verdict", json_text(verdict_word(answer->verdict)));
    json_put(object, "violation", json_text(violation ? violation_word(answer->violation) : NULL));
    json_put(object, "message", json_text(answer->message));
    json_put(object, "reason",
             json_text(answer->verdict == VERDICT_INCONCLUSIVE ? answer->reason : NULL));
    json_put(object, "exhaustive", json_boolean(answer->exhaustive));
    json_put(object, "bounds", json_text(answer->bounds));
    json_put(object, "model", json_text(answer->model));
    json_put(object, "seconds", json_seconds(answer->seconds));
    json_put(object, "peak_rss_kb", json_count((uint64_t)MAX(answer->peak_rss_kb, 0)));
    json_put(object, "record", json_text(answer->record_path));
    for (size_t i = 0; i < answer->remarks.count; i++)
        json_push(remarks, json_text(answer->remarks.at[i]));
    json_put(object, "remarks", remarks);
    return object;
}

/* The tests of a framework, with what tells one from the other. */
static json_t *cases_value(const Answer *answer)
{
    json_t *list = json_array();
    for (uint32_t i = 0; list && i < answer->case_count; i++) {
        const Answer *one = &answer->cases[i];
        json_t *object = json_object();
        bool violation = answer_shows_violation(one) && one->violation != VIOLATION_NONE;
        json_put(object, "name", json_text(one->name));
        json_put(object, "verdict", json_text(verdict_word(one->verdict)));
        json_put(object, "violation", json_text(violation ? violation_word(one->violation) : NULL));
        json_put(object, "message", json_text(one->message));
        json_put(object, "reason",
                 json_text(one->verdict == VERDICT_INCONCLUSIVE ? one->reason : NULL));
        json_put(object, "exhaustive", json_boolean(one->exhaustive));
        json_put(object, "executions", json_count(one->executions));
        json_put(object, "seconds", json_seconds(one->seconds));
        json_put(object, "record", json_text(one->record_path));
        json_push(list, object);
    }
    return list;
}

/* --keep-going: why tests fail. */
static json_t *causes_value(const Answer *answer)
{
    json_t *list = json_array();
    for (uint32_t i = 0; list && i < answer->cause_count; i++) {
        const AnswerCause *one = &answer->causes[i];
        json_t *object = json_object();
        json_put(object, "violation", json_text(violation_word(one->violation)));
        json_put(object, "operations", json_text(one->operations));
        json_put(object, "place", json_text(*one->place ? one->place : NULL));
        json_put(object, "tests", json_count(one->tests));
        json_put(object, "test", json_text(one->test));
        json_put(object, "smallest", json_text(one->shape));
        json_put(object, "confirmed", json_boolean(one->confirmed));
        json_put(object, "message", json_text(one->message));
        json_put(object, "record", json_text(one->record_path));
        json_push(list, object);
    }
    return list;
}

/* --all: the histories in numbers. */
static json_t *all_value(const Outcome *outcome)
{
    json_t *object = json_object();
#define PUT(word, field) json_put(object, word, json_count(outcome->all_##field))
    PUT("tests", tests);
    PUT("histories", histories);
    PUT("rejected", rejected);
    PUT("distinct", distinct);
    PUT("distinct_rejected", distinct_rejected);
    PUT("sequentializations", sequences);
    PUT("not_conflict_serializable", conflicts);
    PUT("not_conflict_serializable_allowed", conflicts_allowed);
    PUT("unfinished", partial);
    PUT("unfinished_rejected", partial_rejected);
#undef PUT
    return object;
}

/* --keep-going: what the two phases of its tests took. */
static json_t *phases_value(const Outcome *outcome)
{
    json_t *object = json_object();
    json_put(object, "serial_runs", json_count(outcome->test_runs));
    json_put(object, "most_serial_runs", json_count(outcome->test_most_runs));
    json_put(object, "serial_seconds", json_seconds((double)outcome->test_runs_ns * 1e-9));
    json_put(object, "most_serial_seconds",
             json_seconds((double)outcome->test_most_runs_ns * 1e-9));
    json_put(object, "pass_seconds", json_seconds((double)outcome->pass_ns * 1e-9));
    json_put(object, "fail_seconds", json_seconds((double)outcome->fail_ns * 1e-9));
    return object;
}

static void put_estimate(json_t *object, const Estimate *estimate)
{
    bool known = estimate->executions > 0;
    json_put(object, "estimate", known ? json_real(estimate->executions) : json_null());
    json_put(object, "estimate_error", known ? json_real(estimate->error) : json_null());
    json_put(object, "estimate_least", known ? json_real(estimate->least) : json_null());
}

/* The reductions that left something out. */
static json_t *reductions_value(const Outcome *outcome)
{
    json_t *list = json_array();
    for (unsigned i = 0; i < REDUCTION_COUNT; i++) {
        if (!outcome->reductions[i])
            continue;
        json_t *object = json_object();
        json_put(object, "name", json_text(reduction_words[i]));
        json_put(object, "left_out", json_count(outcome->reductions[i]));
        json_push(list, object);
    }
    return list;
}

static json_t *answer_value(const Answer *answer)
{
    json_t *object = json_head(answer);
    json_put(object, "executions", json_count(answer->executions));
    json_put(object, "blocked", json_count(answer->blocked));
    json_put(object, "stuck", json_count(answer->stuck));
    json_put(object, "cut", json_count(answer->cut));
    json_put(object, "histories", json_count(answer->outcome.histories));
    json_put(object, "revisits", json_count(answer->revisits));
    json_put(object, "restarts", json_count(answer->outcome.restarts));
    json_put(object, "promoted", json_count(answer->outcome.promoted));
    json_put(object, "alike", json_count(answer->outcome.alike));
    json_put(object, "reductions", reductions_value(&answer->outcome));
    json_put(object, "load_buffering", json_text(answer_load_buffering(answer)));
    json_put(object, "load_buffering_lse", json_text(answer_load_buffering_lse(answer)));
    put_estimate(object, &answer->estimate);
    json_put(object, "cpu_seconds", json_seconds((double)answer->outcome.cpu_ns * 1e-9));
    json_put(object, "build_seconds", json_seconds(answer->build_seconds));
    if (answer->outcome.tests) {
        json_put(object, "tests", json_count(answer->outcome.tests));
        json_put(object, "serial_runs", json_count(answer->outcome.serial_runs));
        json_put(object, "serial_seconds", json_real((double)answer->outcome.serial_ns * 1e-9));
        json_put(object, "coverage", json_text(answer->outcome.coverage));
        json_put(object, "test", json_text(answer->outcome.scenario));
        json_put(object, "smallest", json_text(answer->outcome.shape));
        json_put(object, "overtaking", json_text(answer->outcome.overtaking));
    }
    if (answer_hint(answer))
        json_put(object, "hint", json_text(answer_hint(answer)));
    if (answer->outcome.tests_by_states) {
        json_put(object, "tests_by_states", json_count(answer->outcome.tests_by_states));
        json_put(object, "test_states", json_count(answer->outcome.test_states));
    }
    if (answer->outcome.second_asked) {
        json_t *second = json_object();
        json_put(second, "confirmed", json_count(answer->outcome.seconded));
        json_put(second, "of", json_count(answer->outcome.second_asked));
        json_put(object, "second_opinion", second);
    }
    if (answer->outcome.states) {
        json_put(object, "states", json_count(answer->outcome.states));
        json_put(object, "steps", json_count(answer->outcome.transitions));
        json_put(object, "states_bytes", json_count(answer->outcome.states_bytes));
        json_put(object, "progress", json_text(answer->outcome.progress));
        if (!answer->outcome.tests) {
            json_put(object, "coverage", json_text(answer->outcome.coverage));
            json_put(object, "test", json_text(answer->outcome.scenario));
        }
    }
    if (answer->outcome.judged) {
        json_put(object, "judged", json_count(answer->outcome.judged));
        json_put(object, "several_histories", json_count(answer->outcome.several));
        json_put(object, "most_histories", json_count(answer->outcome.most_histories));
    }
    if (answer->outcome.quasi)
        json_put(object, "quasi", json_text(answer->outcome.quasi));
    if (answer->promise)
        json_put(object, "promise", json_text(answer->promise));
    if (answer->causes) {
        uint64_t failed = MIN(answer->outcome.tests_failed, answer->outcome.tests);
        json_put(object, "tests_passed", json_count(answer->outcome.tests - failed));
        json_put(object, "tests_failed", json_count(answer->outcome.tests_failed));
        json_put(object, "causes", causes_value(answer));
        json_put(object, "phases", phases_value(&answer->outcome));
    }
    if (answer->outcome.all_tests || answer->outcome.all_partial)
        json_put(object, "all", all_value(&answer->outcome));
    if (answer->cases)
        json_put(object, "cases", cases_value(answer));
    if (answer->repair)
        json_put(object, "repair", repair_value(answer->repair));
    if (answer->rejected) {
        json_t *rejected = json_array();
        for (uint32_t i = 0; rejected && i < answer->rejected_count; i++)
            json_push(rejected, answer_value(&answer->rejected[i]));
        json_put(object, "rejected", rejected);
    }
    return object;
}

bool json_write(FILE *to, json_t *object)
{
    bool written = json_print(to, object, JSON_PRESERVE_ORDER | JSON_REAL_PRECISION(9));
    json_decref(object);
    return written && fputc('\n', to) != EOF && fflush(to) == 0;
}

bool json_write_answer(FILE *to, const Answer *answer)
{
    return json_write(to, answer_value(answer));
}
