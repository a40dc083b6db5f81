#include "guest/harness/check/rounds.h"
#include <string.h>
#include <time.h>
#include "base/vec.h"
#include "guest/explore/search/explore.h"
#include "guest/explore/search/revisit.h"
#include "guest/explore/scale/workers.h"
#include "guest/harness/check/composition.h"
#include "guest/harness/check/done.h"
#include "guest/harness/check/test.h"
#include "guest/runtime/pages.h"
#include "guest/runtime/request.h"

#define FIRST_BUDGET 1000 /* of polls: 16 executions or blocked graphs each ... */
#define POLL_REQUESTS 250 /* ... or so many requests of threads, whichever comes first */
#define GROWTH 4
#define MOST_PUT_OFF (1u << 16)
#define LATER (UINT64_C(1) << 40) /* between the numbers of a test in two rounds */

typedef struct Covered { /* a shape */
    TestShape shape;
    uint64_t count;
    uint64_t *begun; /* or NULL: COUNT says it */
    bool all, sampled, may_stay;
} Covered;

typedef struct PutOff {
    TestCase test;
    uint32_t shape;
    uint64_t piece; /* its number among all tests, for workers_begin_piece */
} PutOff;

typedef struct Begun { /* a test that this process has begun */
    uint64_t piece;
    UnitCounts before; /* what the process had counted by then */
} Begun;

typedef struct Rounds {
    Covered covered[LINK_SHAPES];
    uint32_t shape_count;
    PutOff *put_off; /* those of this process */
    uint32_t put_off_count;
    Link *link;
    bool is_limited;
    double deadline; /* 0: none */
    uint64_t budget, polls;
    uint64_t first_request; /* request_count when the test that is being made began */
    uint64_t leaves;        /* see rounds_leaves */
    bool is_over;           /* the budget of the test that is being made is spent */
    bool may_stop;          /* and at the deadline it is left out */
    bool is_trying;         /* a test is being made within a budget */
    uint64_t test;          /* which, from 1 on */
    bool (*poll_of_tool)(void);
    RoundsCount *count;
    /* Tests that may turn out to come after one that fails: since no other process has been at an
     * earlier one. */
    Vec(Begun) begun;
} Rounds;
static Rounds rounds;

static double seconds_now(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

bool rounds_are_late(void)
{
    return rounds.deadline > 0 && seconds_now() > rounds.deadline;
}

static bool poll_within_budget(void)
{
    if (rounds.poll_of_tool && rounds.poll_of_tool())
        return true;
    if (!rounds.is_trying)
        return false;
    uint64_t by_requests = (request_count - rounds.first_request) / POLL_REQUESTS;
    rounds.polls++;
    rounds.is_over =
        MAX(rounds.polls, by_requests) > rounds.budget || (rounds.may_stop && rounds_are_late());
    return rounds.is_over;
}

void rounds_begin(Link *link, RoundsCount *count, bool limited, double seconds)
{
    rounds.link = link;
    rounds.count = count;
    rounds.is_limited = limited;
    rounds.deadline = seconds > 0 ? seconds_now() + seconds : 0;
    rounds.budget = FIRST_BUDGET;
    rounds.shape_count = rounds.put_off_count = 0;
    rounds.put_off = limited ? pages_reserve(sizeof *rounds.put_off * MOST_PUT_OFF) : NULL;
    rounds.poll_of_tool = exploration.poll;
    exploration.poll = poll_within_budget;
}

void rounds_unlimit(void)
{
    rounds.is_trying = rounds.is_over = false;
}

bool rounds_are_over(void)
{
    return rounds.is_over;
}

uint64_t rounds_test(void)
{
    return rounds.is_trying ? rounds.test : 0;
}

uint32_t rounds_begin_shape(const TestShape *shape, bool may_stay)
{
    ASSERT(rounds.shape_count < LINK_SHAPES);
    rounds.covered[rounds.shape_count] = (Covered){.shape = *shape, .may_stay = may_stay};
    return rounds.shape_count++;
}

uint32_t rounds_begin_counted(const TestShape *shape, uint64_t all, uint64_t *begun)
{
    uint32_t number = rounds_begin_shape(shape, true);
    rounds_end_shape(number, all, all > 0, all == 0);
    rounds.covered[number].begun = begun;
    return number;
}

void rounds_end_shape(uint32_t shape, uint64_t count, bool all, bool sampled)
{
    rounds.covered[shape].count = count;
    rounds.covered[shape].all = all;
    rounds.covered[shape].sampled = sampled;
}

/* A test has ended; BEFORE was counted when it began. */
static void count_test(uint64_t number, const UnitCounts *before)
{
    UnitCounts of_test;
    rounds.count(&of_test);
#define X(name) of_test.name -= before->name;
    UNIT_COUNTS(X)
#undef X
    done_end(number, &of_test);
}

/* States count as executions: a test is decided by one or the other. */
static uint64_t leaves_since(const UnitCounts *before)
{
    UnitCounts now;
    rounds.count(&now);
    return now.executions + now.blocked + now.test_states + counts.executions + counts.blocked -
           before->executions - before->blocked - before->test_states;
}

uint64_t rounds_leaves(void)
{
    return rounds.leaves;
}

/* The number of a test, from 0, by that of the piece of work. */
static uint64_t number_of(uint64_t piece)
{
    return piece % LATER - 1;
}

static void note_begun(const UnitCounts *counted)
{
    if (workers_are_alone())
        return;
    if (!workers_others_are_earlier())
        vec_clear(&rounds.begun);
    vec_push(&rounds.begun, (Begun){.piece = workers_present_piece(), .before = *counted});
}

void rounds_forget_later(void (*forget)(const UnitCounts *kept))
{
    uint64_t failed = workers_failed_piece();
    for (size_t i = 0; failed && i < rounds.begun.count; i++)
        if (rounds.begun.at[i].piece > failed) {
            forget(&rounds.begun.at[i].before);
            return;
        }
}

/* Makes test number NUMBER, of shape number SHAPE, within the present budget. False if it did not
 * end: nothing of it counts. */
static bool make(const TestCase *test, uint64_t number, uint32_t shape, RoundsRun *run,
                 FindingKind *kind)
{
    ExploreCounts before = child_test_done;
    UnitCounts counted;
    rounds.count(&counted);
    note_begun(&counted);
    rounds.polls = 0;
    rounds.first_request = request_count;
    rounds.is_over = false;
    rounds.may_stop = rounds.covered[shape].may_stay;
    rounds.is_trying = rounds.is_limited;
    rounds.test = number + 1;
    *kind = run(test);
    rounds.is_trying = false;
    rounds.leaves = leaves_since(&counted);
    if (!rounds.is_over && *kind == FINDING_NONE && !exploration.stopped)
        count_test(number, &counted);
    if (!rounds.is_over || *kind != FINDING_NONE)
        return true;
    done_put_off(number, rounds.budget);
    child_test_done = before;
    revisit_count = counted.revisits;
    counts = (ExploreCounts){0};
    exploration.stopped = false;
    return false;
}

FindingKind rounds_try(uint32_t shape, const TestCase *test, RoundsRun *run)
{
    FindingKind kind;
    uint64_t number = number_of(workers_present_piece());
    DoneState done = done_look(number);
    if (done == DONE_YES)
        return FINDING_NONE;
    if (rounds.covered[shape].may_stay && rounds_are_late()) { /* not even begun */
        __atomic_add_fetch(&rounds.link->tests_put_off[shape], 1, __ATOMIC_RELAXED);
        return FINDING_NONE;
    }
    if (rounds.put_off_count == MOST_PUT_OFF)
        rounds.is_limited = false;
    bool waits = done == DONE_PUT_OFF && rounds.is_limited;
    if (!waits && make(test, number, shape, run, &kind)) {
        if (exploration.stopped && kind == FINDING_NONE)
            __atomic_add_fetch(&rounds.link->tests_put_off[shape], 1, __ATOMIC_RELAXED);
        return kind;
    }
    rounds.put_off[rounds.put_off_count++] =
        (PutOff){.test = *test, .shape = shape, .piece = workers_present_piece() + LATER};
    __atomic_add_fetch(&rounds.link->tests_put_off[shape], 1, __ATOMIC_RELAXED);
    return FINDING_NONE;
}

bool rounds_attempt(uint32_t shape, const TestCase *test, bool again, uint64_t budget,
                    RoundsRun *run, FindingKind *kind)
{
    uint64_t *put_off = &rounds.link->tests_put_off[shape], usual = rounds.budget;
    if (!again) {
        __atomic_add_fetch(rounds.covered[shape].begun, 1, __ATOMIC_RELAXED);
        __atomic_add_fetch(put_off, 1, __ATOMIC_RELAXED);
    }
    rounds.budget = budget;
    bool ended = make(test, number_of(workers_present_piece()), shape, run, kind) &&
                 (*kind != FINDING_NONE || !exploration.stopped);
    rounds.budget = usual;
    if (ended && *kind == FINDING_NONE)
        __atomic_sub_fetch(put_off, 1, __ATOMIC_RELAXED);
    return ended;
}

/* One more round of what was put off. */
static FindingKind go_round(RoundsRun *run)
{
    uint32_t kept = 0;
    FindingKind kind = FINDING_NONE;
    for (uint32_t i = 0; i < rounds.put_off_count; i++) {
        PutOff next = rounds.put_off[i];
        bool left_out = rounds.covered[next.shape].may_stay && rounds_are_late();
        if (exploration.stopped || kind != FINDING_NONE || left_out)
            continue;
        workers_begin_piece(next.piece);
        next.piece += LATER; /* in the round after */
        if (make(&next.test, number_of(next.piece), next.shape, run, &kind))
            __atomic_sub_fetch(&rounds.link->tests_put_off[next.shape], !exploration.stopped,
                               __ATOMIC_RELAXED);
        else
            rounds.put_off[kept++] = next;
    }
    rounds.put_off_count = kept;
    return kind;
}

FindingKind rounds_finish(RoundsRun *run)
{
    FindingKind kind = FINDING_NONE;
    rounds.budget = MAX(rounds.budget, done_budget());
    while (rounds.put_off_count && !exploration.stopped && kind == FINDING_NONE) {
        rounds.budget *= GROWTH;
        kind = go_round(run);
    }
    return kind;
}

/* Tests of a shape that were to be made and have not ended. */
static uint64_t missing_of(uint32_t shape)
{
    const Covered *c = &rounds.covered[shape];
    uint64_t begun = c->begun ? __atomic_load_n(c->begun, __ATOMIC_RELAXED) : 0;
    return __atomic_load_n(&rounds.link->tests_put_off[shape], __ATOMIC_RELAXED) +
           (c->begun && c->all ? c->count - MIN(begun, c->count) : 0);
}

uint64_t rounds_left_out(void)
{
    uint64_t sum = 0;
    for (uint32_t i = 0; i < rounds.shape_count; i++)
        sum += missing_of(i);
    return sum;
}

static void describe(const Covered *c, uint64_t missing, Buffer *out)
{
    bool one = c->count == 1; /* "the 1 test" rather than "all 1 tests" */
    uint64_t made = c->count - MIN(missing, c->count);
    buffer_printf(out, "%s", out->count ? ", " : "");
    if (missing)
        buffer_printf(out, "%llu of ", (unsigned long long)made);
    else if (c->all)
        buffer_printf(out, one ? "the " : "all ");
    buffer_printf(out, "%llu %stest%s of %ux%u%s", (unsigned long long)c->count,
                  c->sampled ? "random " : "", one ? "" : "s", c->shape.threads, c->shape.length,
                  child_composition_text());
}

void rounds_describe(Buffer *out)
{
    for (uint32_t i = 0; i < rounds.shape_count; i++) {
        Covered *c = &rounds.covered[i];
        if (c->begun && !c->all)
            c->count = __atomic_load_n(c->begun, __ATOMIC_RELAXED);
        uint64_t missing = missing_of(i);
        bool none_held = finding.kind == FINDING_VIOLATION && missing >= c->count;
        if (c->count && !none_held)
            describe(c, missing, out);
    }
}
