#include "tool/report/json.h"
#include <math.h>
#include "tool/report/jsontext.h"

static json_t *count_value(uint64_t count)
{
    return json_integer((json_int_t)MIN(count, (uint64_t)INT64_MAX));
}

/* Microseconds are enough, and keep the line short. */
static json_t *seconds_value(double seconds)
{
    return json_real(round(seconds * 1e6) / 1e6);
}

static json_t *answer_value(const Answer *answer)
{
    json_t *object = json_object();
    if (!object)
        die("out of memory");
    json_put(object, "command", json_text(answer->command));
    json_put(object, "subject", json_text(answer->subject));
    json_put(object, "verdict", json_text(verdict_word(answer->verdict)));
    json_put(object, "violation",
             json_text(answer_shows_violation(answer) ? violation_word(answer->violation) : NULL));
    json_put(object, "message", json_text(answer->message));
    json_put(object, "reason",
             json_text(answer->verdict == VERDICT_INCONCLUSIVE ? answer->reason : NULL));
    json_put(object, "exhaustive", json_boolean(answer->exhaustive));
    json_put(object, "bounds", json_text(answer->bounds));
    json_put(object, "model", json_text(answer->model));
    json_put(object, "executions", count_value(answer->executions));
    json_put(object, "blocked", count_value(answer->blocked));
    json_put(object, "stuck", count_value(answer->stuck));
    json_put(object, "cut", count_value(answer->cut));
    json_put(object, "histories", count_value(answer->histories));
    json_put(object, "events", count_value(answer->events));
    json_put(object, "revisits", count_value(answer->revisits));
    json_put(object, "restarts", count_value(answer->restarts));
    json_put(object, "promoted", count_value(answer->promoted));
    json_put(object, "seconds", seconds_value(answer->seconds));
    json_put(object, "cpu_seconds", seconds_value(answer->cpu_seconds));
    json_put(object, "build_seconds", seconds_value(answer->build_seconds));
    json_put(object, "peak_rss_kb", count_value((uint64_t)MAX(answer->peak_rss_kb, 0)));
    if (answer->tests) {
        json_put(object, "tests", count_value(answer->tests));
        json_put(object, "serial_runs", count_value(answer->serial_runs));
        json_put(object, "serial_seconds", json_real(answer->serial_seconds));
        json_put(object, "coverage", json_text(answer->coverage));
        json_put(object, "test", json_text(answer->scenario));
        json_put(object, "smallest", json_text(answer->shape));
        json_put(object, "overtaking", json_text(answer->overtaking));
    }
    if (answer->judged) {
        json_put(object, "judged", count_value(answer->judged));
        json_put(object, "several_histories", count_value(answer->several));
        json_put(object, "most_histories", count_value(answer->most_histories));
    }
    json_put(object, "record", json_text(answer->record_path));
    json_t *remarks = json_array();
    for (size_t i = 0; remarks && i < answer->remarks.count; i++)
        json_push(remarks, json_text(answer->remarks.at[i]));
    json_put(object, "remarks", remarks);
    if (answer->quasi)
        json_put(object, "quasi", json_text(answer->quasi));
    if (answer->rejected) {
        json_t *rejected = json_array();
        for (uint32_t i = 0; rejected && i < answer->rejected_count; i++)
            json_push(rejected, answer_value(&answer->rejected[i]));
        json_put(object, "rejected", rejected);
    }
    return object;
}

bool json_write_answer(FILE *to, const Answer *answer)
{
    json_t *object = answer_value(answer);
    bool written = json_dumpf(object, to, JSON_PRESERVE_ORDER | JSON_REAL_PRECISION(9)) == 0;
    json_decref(object);
    return written && fputc('\n', to) != EOF && fflush(to) == 0;
}
