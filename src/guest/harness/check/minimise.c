#include "guest/harness/check/minimise.h"
#include "base/clock.h"
#include "guest/harness/check/composition.h"
#include "guest/harness/check/test.h"
#include "guest/explore/graph/graph.h"
#include "guest/explore/search/ops.h"

#define SECONDS 15            /* of the search for a smaller test */
#define PREEMPTIONS_SECONDS 3 /* of each search for an execution with fewer preemptions */
#define MOST_PREEMPTIONS 8

typedef struct Minimiser {
    const Declared *declared;
    FindingKind (*run)(const TestCase *test);
    ViolationKind kind;
    TestCase smallest;
} Minimiser;

/* ---- time ---- */

static double deadline;
static bool (*poll_of_tool)(void);

static bool poll_until_deadline(void)
{
    return (poll_of_tool && poll_of_tool()) || clock_seconds() > deadline;
}

static void limit_time(double most)
{
    poll_of_tool = exploration.poll;
    exploration.poll = poll_until_deadline;
    deadline = clock_seconds() + most;
}

static void unlimit_time(void)
{
    exploration.poll = poll_of_tool;
    exploration.stopped = false;
}

static bool poll_and_go_on(void)
{
    if (poll_of_tool)
        poll_of_tool();
    return false;
}

void child_find_again(FindingKind (*run)(const TestCase *test), const TestCase *failing)
{
    poll_of_tool = exploration.poll;
    exploration.poll = poll_and_go_on;
    exploration.stopped = false;
    FindingKind again = run(failing);
    unlimit_time();
    ASSERT(again == FINDING_VIOLATION);
}

/* ---- smaller tests ---- */

static bool accept(Minimiser *m, const TestCase *candidate)
{
    if (exploration.stopped || !candidate->threads || !child_composition_allows(candidate))
        return false;
    if (m->run(candidate) != FINDING_VIOLATION || finding.violation != m->kind)
        return false;
    m->smallest = *candidate;
    return true;
}

static bool remove_one(Minimiser *m)
{
    const TestCase from = m->smallest;
    TestCase candidate;
    for (uint32_t t = UINT32_MAX; (t = testcase_next_column(&from, t)) != UINT32_MAX;)
        for (uint32_t i = 0; i < from.length[t]; i++) {
            testcase_without(&from, t, i, &candidate);
            if (accept(m, &candidate))
                return true;
        }
    return false;
}

/* No single call can be left out, but two may: a put and the get that takes it. */
static bool remove_two(Minimiser *m)
{
    const TestCase from = m->smallest;
    TestCase fewer, candidate;
    for (uint32_t t = UINT32_MAX; (t = testcase_next_column(&from, t)) != UINT32_MAX;)
        for (uint32_t i = 0; i < from.length[t]; i++) {
            testcase_without(&from, t, i, &fewer);
            for (uint32_t u = UINT32_MAX; (u = testcase_next_column(&fewer, u)) != UINT32_MAX;)
                for (uint32_t j = 0; j < fewer.length[u]; j++) {
                    testcase_without(&fewer, u, j, &candidate);
                    /* each pair once: the second one is not before the first */
                    if (testcase_number(&fewer, u, j) >= testcase_number(&from, t, i) &&
                        accept(m, &candidate))
                        return true;
                }
        }
    return false;
}

/* The calls that the matrix of a test has room for. */
static uint32_t area(const TestCase *test)
{
    uint32_t longest = 0;
    for (uint32_t t = 0; t < test->threads; t++)
        longest = MAX(longest, test->length[t]);
    return test->threads * longest;
}

/* Lets one thread do what two did, if that makes the matrix smaller; not where roles are given to
 * threads. */
static bool merge_threads(Minimiser *m)
{
    const TestCase from = m->smallest;
    TestCase candidate;
    for (uint32_t a = 0; a < from.threads && !m->declared->any_role; a++)
        for (uint32_t b = 0; b < from.threads; b++)
            if (a != b && from.threads > 1 && testcase_merged(&from, a, b, &candidate) &&
                area(&candidate) < area(&from) && accept(m, &candidate))
                return true;
    return false;
}

/* Is CALL one that puts a value which the test puts already? Elements that can be told apart are
 * easier to follow. */
static bool puts_again(const Minimiser *m, const TestCase *test, uint16_t call)
{
    bool there = false;
    for (uint32_t t = UINT32_MAX; (t = testcase_next_column(test, t)) != UINT32_MAX && !there;)
        for (uint32_t i = 0; i < test->length[t]; i++)
            there |= test->call[t][i] == call;
    return there && child_composition_role(&m->declared->calls[call]) == BALANCE_PUT;
}

static bool simplify_argument(Minimiser *m)
{
    const DeclaredCall *calls = m->declared->calls;
    const TestCase from = m->smallest;
    for (uint32_t t = UINT32_MAX; (t = testcase_next_column(&from, t)) != UINT32_MAX;)
        for (uint32_t i = 0; i < from.length[t]; i++)
            for (uint16_t c = 0; c < from.call[t][i]; c++) {
                TestCase candidate = from;
                candidate.call[t][i] = c;
                if (calls[c].operation == calls[from.call[t][i]].operation &&
                    !puts_again(m, &from, c) && accept(m, &candidate))
                    return true;
            }
    return false;
}

/* ---- the execution ---- */

/* Bounds from 0 on, each searched completely, until the violation shows: then no execution with
 * fewer preemptions shows it. Executions of weak models are no interleavings. */
static bool find_fewest_preemptions(Minimiser *m)
{
    int32_t wanted = options.preemptions;
    int32_t most = wanted >= 0 ? MIN(wanted, MOST_PREEMPTIONS) : MOST_PREEMPTIONS;
    bool found = false;
    if (!model_is_interleaved(options.model))
        return false;
    for (options.preemptions = 0; options.preemptions <= most && !found; options.preemptions++) {
        limit_time(PREEMPTIONS_SECONDS);
        found = m->run(&m->smallest) == FINDING_VIOLATION && finding.violation == m->kind;
        bool late = exploration.stopped;
        unlimit_time();
        if (late && !found)
            break;
        if (found && options.preemptions)
            op_warning("the execution has %d preemption%s; none with fewer shows the violation",
                       options.preemptions, options.preemptions == 1 ? "" : "s");
        else if (found)
            op_warning("it shows without any preemption");
    }
    options.preemptions = wanted;
    return found;
}

static void shrink(Minimiser *m)
{
    limit_time(SECONDS);
    do
        while (remove_one(m))
            ;
    while (remove_two(m));
    while (merge_threads(m) || simplify_argument(m))
        ;
    unlimit_time();
}

void child_minimise(const Declared *declared, const TestCase *failing,
                    FindingKind (*run)(const TestCase *test), TestCase *smallest)
{
    Minimiser m = {declared, run, finding.violation, *failing};
    bool serially = child_test.serially; /* that is where it fails */
    shrink(&m);
    *smallest = m.smallest;
    if (serially || !find_fewest_preemptions(&m))
        child_find_again(run, &m.smallest);
}

void child_shrink(const Declared *declared, const TestCase *failing,
                  FindingKind (*run)(const TestCase *test), TestCase *smallest)
{
    Minimiser m = {declared, run, finding.violation, *failing};
    shrink(&m);
    *smallest = m.smallest;
    child_find_again(run, smallest);
}

void child_minimise_execution(FindingKind (*run)(const TestCase *unused))
{
    Minimiser m = {.run = run, .kind = finding.violation};
    if (!find_fewest_preemptions(&m))
        child_find_again(run, &m.smallest);
}
