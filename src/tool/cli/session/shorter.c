#include "tool/cli/session/shorter.h"
#include <string.h>
#include "base/str.h"
#include "tool/instrument/process.h"
#include "tool/report/scenario.h"

#define PART_OF_LIMIT 0.1 /* of the user's limit goes into this, on top of it, */
#define MOST_SECONDS 3.0  /* but no more than this */
#define LEAST_SECONDS 0.2 /* where there is less, nothing is found out */
#define TRIES 12          /* that shall have a place in it */

#define FEW 5 /* calls, which are left out one by one */

typedef struct TestCalls { /* a test, call by call */
    struct {
        Str text;
        uint32_t column;
    } at[64];
    uint32_t count, columns;
    bool framed; /* the first column and the last are main's */
} TestCalls;

typedef struct Shorter {
    Session *session;
    Answer *answer;
    double deadline, each; /* seconds */
    TestCalls slow;        /* the smallest test that is known to take long */
    TestCalls fast;        /* the largest that ended, */
    Answer ended;          /* with this; no calls: none did */
    bool violated;         /* a smaller test is, and has become the answer */
} Shorter;

/* The length of the first call of TEXT: up to a space outside of parentheses and strings. */
static size_t call_length(Str text)
{
    int depth = 0;
    bool quoted = false;
    size_t i = 0;
    for (; i < text.length; i++) {
        if (text.at[i] == '\\' && quoted)
            i++;
        else if (text.at[i] == '"')
            quoted = !quoted;
        else if (!quoted && text.at[i] == '(')
            depth++;
        else if (!quoted && text.at[i] == ')')
            depth--;
        else if (!quoted && !depth && text.at[i] == ' ')
            break;
    }
    return MIN(i, text.length);
}

/* False if there are more calls than there is room for. */
static bool read_test(const char *text, TestCalls *test)
{
    Scenario columns;
    *test = (TestCalls){0};
    scenario_begin(&columns, text);
    test->framed = columns.framed;
    for (; scenario_next(&columns); test->columns++)
        for (Str rest = columns.calls; rest.length;) {
            if (test->count == COUNT_OF(test->at))
                return false;
            size_t length = call_length(rest);
            test->at[test->count].text = (Str){rest.at, length};
            test->at[test->count++].column = test->columns;
            rest = str_trim((Str){rest.at + length, rest.length - length});
        }
    return true;
}

static const char *write_test(Arena *arena, const TestCalls *test)
{
    Buffer text = {0};
    for (uint32_t i = 0; i < test->count; i++) {
        bool next = i && test->at[i].column != test->at[i - 1].column;
        buffer_printf(&text, "%s%.*s", !i ? "" : next ? " | " : " ", STR_ARG(test->at[i].text));
    }
    const char *copy = str_copy(arena, buffer_str(&text));
    vec_free(&text);
    return copy;
}

static uint32_t count_threads(const TestCalls *test)
{
    uint32_t threads = test->count > 0;
    for (uint32_t i = 1; i < test->count; i++)
        threads += test->at[i].column != test->at[i - 1].column;
    return threads;
}

static void leave_out(const TestCalls *from, uint32_t call, TestCalls *to)
{
    *to = *from;
    to->count--;
    memmove(&to->at[call], &to->at[call + 1], (to->count - call) * sizeof to->at[0]);
}

/* Explores a smaller test; *ended: within its time, or with a violation. */
static bool try_test(Shorter *s, const TestCalls *test, bool *ended, Error *error)
{
    Session *session = s->session;
    const char *text = write_test(session->arena, test);
    Session copy = *session;
    RunOptions options = *session->options;
    Answer answer = {0};
    *ended = false;
    if (strlen(text) >= sizeof copy.explore.check.scenario)
        return true;
    options.output.quiet = true;
    copy.options = &options;
    copy.ran = copy.replay_ran = (Words){0};
    copy.stays_built = true;
    strcpy(copy.explore.check.scenario, text);
    copy.explore.check.threads = copy.explore.check.length = 0;
    copy.explore.check.samples = copy.explore.check.exhaustive = copy.explore.check.fit = 0;
    copy.explore.time_ms = (uint64_t)(s->each * 1e3);
    if (!session_explore(&copy, &answer, error))
        return false;
    if (answer.verdict == VERDICT_VIOLATED) {
        vec_free(&s->answer->remarks);
        answer.seconds += s->answer->seconds;
        *s->answer = answer;
        copy.options = session->options;
        *session = copy;
        s->violated = true;
        return true;
    }
    *ended = answer.verdict == VERDICT_HOLDS;
    if (*ended && test->count > s->fast.count) {
        s->fast = *test;
        s->ended = answer;
    }
    vec_free(&answer.remarks);
    vec_free(&copy.ran);
    vec_free(&copy.replay_ran);
    return true;
}

static uint32_t column_length(const TestCalls *test, uint32_t column)
{
    uint32_t length = 0;
    for (uint32_t i = 0; i < test->count; i++)
        length += test->at[i].column == column;
    return length;
}

/* The calls of TEST in the order in which they are left out: from the end of the longest column, so
 * that few tries lead to a test that ends. */
static void order_calls(const TestCalls *test, uint32_t *order)
{
    for (uint32_t i = 0; i < test->count; i++) {
        uint32_t call = test->count - 1 - i, at = i;
        uint32_t length = column_length(test, test->at[call].column);
        for (; at && column_length(test, test->at[order[at - 1]].column) < length; at--)
            order[at] = order[at - 1];
        order[at] = call;
    }
}

static bool is_over(const Shorter *s)
{
    return s->violated || process_interrupted() || process_seconds() + s->each > s->deadline;
}

/* Leaves a quarter of the calls of the slow test out, again and again, until one ends. */
static bool shrink_fast(Shorter *s, Error *error)
{
    for (bool ended = false; !ended && s->slow.count > FEW && !is_over(s);) {
        TestCalls candidate = s->slow;
        for (uint32_t left = s->slow.count / 4; left; left--) {
            uint32_t order[COUNT_OF(candidate.at)];
            TestCalls from = candidate;
            order_calls(&from, order);
            leave_out(&from, order[0], &candidate);
        }
        if (!try_test(s, &candidate, &ended, error))
            return false;
        if (!ended && !s->violated)
            s->slow = candidate;
    }
    return true;
}

/* Leaves one call out of the slow test, so that it is slow still; *found is false if that can't be
 * done, or the time is over. */
static bool shrink(Shorter *s, bool *found, Error *error)
{
    const TestCalls from = s->slow;
    *found = false;
    uint32_t order[COUNT_OF(from.at)];
    order_calls(&from, order);
    for (uint32_t i = 0; i < from.count && from.count > 1 && !is_over(s); i++) {
        TestCalls candidate;
        bool ended;
        leave_out(&from, order[i], &candidate);
        if (!try_test(s, &candidate, &ended, error))
            return false;
        if (!ended && !s->violated) {
            s->slow = candidate;
            *found = true;
            return true;
        }
    }
    return true;
}

static void tell(const Shorter *s, uint32_t calls)
{
    Arena *arena = s->session->arena;
    Answer *answer = s->answer;
    uint32_t threads = count_threads(&s->slow);
    if (s->slow.count < calls)
        vec_push(&answer->remarks,
                 arena_printf(arena,
                              "%s %u thread%s and %u call%s of the test do not end within %.2g s, "
                              "either: %s",
                              threads == 1 ? "this" : "these", threads, threads == 1 ? "" : "s",
                              s->slow.count, s->slow.count == 1 ? "" : "s", s->each,
                              write_test(arena, &s->slow)));
    if (s->fast.count)
        answer->shorter =
            arena_printf(arena,
                         "a smaller test, like --scenario='%s', which was tried: it holds, %llu "
                         "execution%s in %.2g s",
                         write_test(arena, &s->fast), (unsigned long long)s->ended.executions,
                         s->ended.executions == 1 ? "" : "s", s->ended.seconds);
}

bool shorter_find(Session *session, Answer *answer, Error *error)
{
    double limit = (double)session->explore.time_ms / 1e3;
    Shorter s = {.session = session, .answer = answer};
    if (answer->verdict != VERDICT_INCONCLUSIVE || !limit || !answer->outcome.stopped_test ||
        session->explore.schedules || !answer->reason || !strstr(answer->reason, "time limit") ||
        !read_test(answer->outcome.stopped_test, &s.slow) || s.slow.framed)
        return true;
    double seconds = MIN(MOST_SECONDS, PART_OF_LIMIT * limit);
    if (seconds < LEAST_SECONDS)
        return true;
    s.each = seconds / TRIES;
    s.deadline = process_seconds() + seconds;
    uint32_t calls = s.slow.count;
    if (!shrink_fast(&s, error))
        return false;
    for (bool found = true; found && !is_over(&s);)
        if (!shrink(&s, &found, error))
            return false;
    if (!s.violated)
        tell(&s, calls);
    return true;
}
