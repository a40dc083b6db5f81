#include "guest/harness/check/observations.h"
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include "guest/harness/check/test.h"
#include "judge/history/run_tree.h"
#include "guest/explore/search/ops.h"
#include "judge/spec/spec.h"

static RunTree *kept;       /* NULL: there are none */
static FILE *learnt;        /* NULL: not wanted */
static bool over;           /* after child_observations_end */
static bool test_is_absent; /* a run of the present test is not among the kept ones */
static uint64_t tests_seen, tests_absent;

static bool keep_line(Str line, Error *error)
{
    RunCall calls[RUN_TEXT_CALLS];
    size_t count, place;
    if (!run_text_parse(child_test.values, line, calls, &count, error))
        return false;
    if (run_tree_add(kept, calls, count, &place))
        return true;
    return error_set(
        error,
        "%s contradicts itself: call %zu (%.*s) of one history gives something else in "
        "another that begins in the same way",
        options.check.observations, place + 1, STR_ARG(calls[place].name));
}

static bool read_kept(const char *path, Error *error)
{
    FILE *file = fopen(path, "r");
    char *line = NULL;
    size_t room = 0;
    ssize_t length;
    bool fine = true;
    if (!file)
        return errno == ENOENT || error_set(error, "%s: %s", path, strerror(errno));
    kept = run_tree_new(arena_new());
    while (fine && (length = getline(&line, &room, file)) > 0)
        fine = keep_line(str_trim((Str){line, (size_t)length}), error);
    fclose(file);
    return fine;
}

bool child_observations_setup(Error *error)
{
    char path[sizeof options.check.exchange + 16];
    if (!options.check.exchange[0])
        return true;
    snprintf(path, sizeof path, "%s.kept", options.check.exchange);
    if (!read_kept(path, error))
        return false;
    snprintf(path, sizeof path, "%s.learnt", options.check.exchange);
    if (!kept && !(learnt = fopen(path, "w")))
        return error_set(error, "%s: %s", path, strerror(errno));
    return true;
}

static uint32_t load_run(RunCall *calls, const uint32_t *operations, const Value *results,
                         uint32_t count, uint32_t blocked)
{
    const TestCase *test = &child_test.serial_test;
    uint32_t all = count + (blocked != UINT32_MAX);
    for (uint32_t i = 0; i < all; i++) {
        uint32_t k = i < count ? operations[i] : blocked, thread = UINT32_MAX, first = 0;
        const DeclaredCall *call = child_test_serial_call(k);
        while (k - first >= test->length[thread = testcase_next_column(test, thread)])
            first += test->length[thread];
        thread = MIN(thread, RUN_TEXT_MAIN);
        calls[i] = (RunCall){
            .thread = thread,
            .name = str_of(call->operation->name),
            .count = (uint32_t)call->operation->parameter_count,
            .result = i < count ? run_text_value(child_test.values, results[i], SPEC_DONE.word)
                                : VALUE_UNKNOWN};
        for (uint32_t j = 0; j < calls[i].count; j++)
            calls[i].arguments[j] =
                run_text_value(child_test.values, call->values[j], SPEC_DONE.word);
    }
    return all;
}

static void report_difference(const uint32_t *operations, uint32_t place, uint32_t last,
                              Value before, Value now)
{
    Buffer out = {0};
    for (uint32_t i = 0; i <= place; i++)
        buffer_printf(&out, "%s%s", i ? ", " : "",
                      child_test_serial_call(i < place ? operations[i] : last)->text);
    buffer_printf(&out, ": the last call now gives ");
    child_test_print_observed(now, &out);
    buffer_printf(&out, " in a serial run; %s has ", options.check.observations);
    child_test_print_observed(before, &out);
    op_violation(
        VIOLATION_SPECIFICATION, NULL,
        "after %.*s: correct the operation, or remove the file to keep today's serial runs "
        "instead",
        STR_ARG(buffer_str(&out)));
}

void child_observations_run(const uint32_t *operations, const Value *results, uint32_t count,
                            uint32_t blocked)
{
    RunCall calls[RUN_TEXT_CALLS];
    if (!kept && (!learnt || over))
        return;
    uint32_t all = load_run(calls, operations, results, count, blocked), state = 0;
    if (!kept) {
        Buffer line = {0};
        run_text_print(child_test.values, calls, all, &line);
        fprintf(learnt, "%.*s\n", STR_ARG(buffer_str(&line)));
        vec_free(&line);
        return;
    }
    for (uint32_t i = 0; i < all; i++) {
        Value before;
        if (!run_tree_find(kept, &state, &calls[i], &before)) {
            test_is_absent = true;
            return;
        }
        if (!value_equal(before, calls[i].result))
            report_difference(operations, i, i < count ? operations[i] : blocked, before,
                              calls[i].result);
    }
}

void child_observations_end_test(void)
{
    if (over)
        return;
    if (learnt) {
        fprintf(learnt, ".\n");
        fflush(learnt);
    }
    tests_seen++;
    tests_absent += test_is_absent;
    test_is_absent = false;
}

void child_observations_end(void)
{
    if (kept && tests_absent && !over)
        op_warning("%llu of %llu tests are not in %s: they are judged by today's serial runs",
                   (unsigned long long)tests_absent, (unsigned long long)tests_seen,
                   options.check.observations);
    over = true;
}
