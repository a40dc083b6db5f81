/* Every reason why an answer is inconclusive has an advice: the reasons are read from the sources.
 */
#include "tool/report/advice.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>
#include "base/file.h"

/* The string literals behind the next ops_unsupported( or OUTCOME_reason in TEXT, as one; *at is
 * behind them. False if there are none. */
static bool next_reason(const char **at, Buffer *reason)
{
    static const char *const calls[] = {"op_unsupported(", "op_unsupported_at(", "tell_give_up(",
                                        "OUTCOME_reason,"};
    const char *begin = NULL;
    for (size_t i = 0; i < COUNT_OF(calls); i++) {
        const char *found = strstr(*at, calls[i]);
        if (found && (!begin || found < begin))
            begin = found;
    }
    if (!begin)
        return false;
    vec_clear(reason);
    const char *p = begin;
    for (; *p && *p != ';'; p++)
        if (*p == '"')
            for (p++; *p && *p != '"'; p++) {
                p += *p == '\\';
                vec_push(reason, *p);
            }
    vec_push(reason, 0);
    *at = p;
    return true;
}

/* These say themselves what to change: most are errors in the test file or the command. */
static bool says_itself(const char *reason)
{
    static const char *const parts[] = {"must return",          "write HD_OP",
                                        "do not go with",       "HD_SINGLE leaves",
                                        "that are declared",    "no call is marked",
                                        "HD_ARRAY takes",       "decides under sc",
                                        "as --keep-going asks", "no main function",
                                        "HD_WAIT, which is",    "is for whole programs",
                                        "do not show the %s",   "consistent by the axioms"};
    for (size_t i = 0; i < COUNT_OF(parts); i++)
        if (strstr(reason, parts[i]))
            return true;
    return false;
}

static void look_at(const char *path, unsigned *count)
{
    Buffer text = {0}, reason = {0};
    Error error = {0};
    assert_true(file_read(path, &text, &error));
    vec_push(&text, 0);
    Arena *arena = arena_new();
    for (const char *at = text.at; next_reason(&at, &reason);) {
        if (strlen(reason.at) < 12) /* "%s" */
            continue;
        Answer answer = {.command = strstr(path, "/check/") ? "check" : "run",
                         .verdict = VERDICT_INCONCLUSIVE,
                         .reason = reason.at};
        ++*count;
        AnswerAsked by_states = {.explore = {.check = {.unbounded = 2}}};
        if (strstr(path, "/states/"))
            answer.asked = &by_states;
        bool helps = says_itself(reason.at) || advice_for(arena, &answer);
        if (!helps)
            printf("no advice: %s: %s\n", path, reason.at);
        assert_true(helps);
    }
    arena_free(arena);
    vec_free(&text);
    vec_free(&reason);
}

static void test_every_reason_has_an_advice(void **state)
{
    (void)state;
    char path[512];
    unsigned count = 0;
    FILE *list = popen("grep -rlE 'op_unsupported|tell_give_up|OUTCOME_reason' src/guest", "r");
    assert_non_null(list);
    while (fgets(path, sizeof path, list)) {
        path[strcspn(path, "\n")] = 0;
        if (strstr(path, ".c"))
            look_at(path, &count);
    }
    pclose(list);
    assert_in_range(count, 100, 1000);
}

/* What was asked for already is not advised. */
static void test_nothing_is_repeated(void **state)
{
    (void)state;
    Arena *arena = arena_new();
    AnswerAsked asked = {.explore = {.model = MODEL_SC,
                                     .preemptions = 1,
                                     .time_ms = 60000,
                                     .check = {.threads = 2, .length = 2}}};
    Answer answer = {.command = "check",
                     .verdict = VERDICT_INCONCLUSIVE,
                     .reason = "the time limit of 60 s was reached",
                     .asked = &asked};
    const char *advice = advice_for(arena, &answer);
    assert_non_null(strstr(advice, "--time=10m"));
    assert_non_null(strstr(advice, "--preemptions=0;"));
    assert_null(strstr(advice, "--shape"));
    assert_null(strstr(advice, "--model"));
    asked.explore.schedules = 5;
    asked.explore.check.unbounded = 2;
    advice = advice_for(arena, &answer);
    assert_null(strstr(advice, "schedules=100000"));
    assert_null(strstr(advice, "--preemptions"));
    assert_null(strstr(advice, "states instead"));
    asked.explore = (ExploreOptions){.preemptions = -1, .time_ms = 60000};
    asked.journal = true;
    answer.command = "run";
    answer.executions = 1000;
    answer.seconds = 60;
    answer.estimate = (Estimate){.executions = 60000, .error = 100, .is_sure = true};
    advice = advice_for(arena, &answer);
    assert_non_null(strstr(advice, "(a forecast: all of it takes about 60m)"));
    assert_null(strstr(advice, "--journal"));
    answer.estimate.executions = 1e12; /* nobody waits so long */
    assert_null(strstr(advice_for(arena, &answer), "--time"));
    answer.verdict = VERDICT_HOLDS;
    assert_null(advice_for(arena, &answer));
    arena_free(arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_every_reason_has_an_advice),
                                       cmocka_unit_test(test_nothing_is_repeated)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
