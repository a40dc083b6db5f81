#include "guest/harness/check/generate.h"
#include "guest/explore/facts/values.h"
#include "guest/explore/scale/workers.h"
#include "guest/harness/check/composition.h"
#include "guest/harness/check/counted.h"
#include "guest/harness/check/decide.h"
#include "guest/harness/check/done.h"
#include "guest/harness/check/failing.h"
#include "guest/harness/check/judging.h"
#include "guest/harness/check/rounds.h"
#include "guest/harness/check/spec.h"
#include "guest/harness/check/choose.h"

#define USUAL_SECONDS 28
#define USED_PART 0.94 /* of a time limit: it ends before that is reached */

/* With --jobs all processes go through the same tests; which of them takes one is settled by a
 * counter. */
/* More than rounds_finish adds to the numbers of pieces of work. */
#define GENERATE_LATER (UINT64_C(1) << 60)

typedef struct Generating {
    uint64_t next;  /* the number of the next test */
    uint64_t own;   /* that of the one that this process takes next */
    uint64_t later; /* added to the numbers of pieces of work: what comes after rounds_finish */
    bool sampled;
    bool chooses; /* tests of the larger shapes are chosen by their size */
} Generating;
static Generating generating;

static bool is_own_test(void)
{
    if (generating.next++ != generating.own)
        return false;
    generating.own = done_take();
    workers_begin_piece(generating.next + generating.later);
    return true;
}

/* Meeting has a number, as a test has. */
static void meet_others(void)
{
    is_own_test();
    workers_meet(generating.next + generating.later);
}

/* Another process may have found something at the same time: the first test has the outcome. */
static FindingKind take_finding(FindingKind kind, const TestCase *test)
{
    if (kind != FINDING_NONE && !workers_claim_piece()) {
        exploration.stopped = true;
        return FINDING_NONE;
    }
    if (kind == FINDING_VIOLATION) {
        rounds_unlimit();
        decide_smallest(test);
    }
    return kind;
}

static FindingKind take_test(const TestCase *test)
{
    uint64_t already = judging.histories, serial_runs = child_spec_serial_runs();
    FindingKind kind = take_finding(failing_decide(test), test);
    if (kind == FINDING_NONE && rounds_are_over()) { /* it will be made again */
        judging.histories = already;
        deciding.tests--;
        child_spec_forget_runs(serial_runs);
    }
    return kind;
}

static FindingKind run_all(const TestShape *shape, bool may_stay)
{
    TestCase next;
    uint64_t count = 0, left_out = child_composition_left_out();
    if (!testcase_first(shape, &next))
        return FINDING_NONE;
    uint32_t number = rounds_begin_shape(shape, may_stay);
    do {
        TestCase complete = next;
        if (!child_composition_complete(&complete))
            continue;
        FindingKind kind = FINDING_NONE;
        if (is_own_test()) {
            kind = rounds_try(number, &complete, take_test);
            if (generating.chooses)
                choose_note_size(shape, &next, rounds_leaves());
        }
        count++;
        if (kind != FINDING_NONE)
            return kind;
    } while (!exploration.stopped && testcase_next(shape, &next));
    rounds_end_shape(number, count,
                     !exploration.stopped && child_composition_left_out() == left_out, false);
    return FINDING_NONE;
}

/* WANTED random tests of each of COUNT shapes, in turn: a shape with hard tests does not keep the
 * others from being looked at. */
static FindingKind run_samples(const TestShape *shapes, uint32_t count, uint64_t wanted,
                               Random *random)
{
    uint32_t number[LINK_SHAPES];
    uint64_t made = 0;
    FindingKind kind = FINDING_NONE;
    for (uint32_t s = 0; s < count; s++)
        number[s] = rounds_begin_shape(&shapes[s], true);
    for (; made < wanted && !exploration.stopped; made++)
        for (uint32_t s = 0; s < count && !exploration.stopped; s++) {
            TestCase sample;
            testcase_sample(&shapes[s], random, &sample);
            if (!child_composition_complete(&sample))
                continue;
            if (is_own_test())
                kind = rounds_try(number[s], &sample, take_test);
            if (kind != FINDING_NONE)
                return kind;
        }
    generating.sampled |= count > 0;
    for (uint32_t s = 0; s < count; s++)
        rounds_end_shape(number[s], made, false, true);
    return FINDING_NONE;
}

/* A shape and how many tests of it are so few that all are made. FIRST: 0, or tests may be left
 * out, and so many are wanted first (choose.h). */
typedef struct Wanted {
    uint32_t threads, length;
    uint64_t most;
    uint32_t first;
} Wanted;

static const ChooseWork choose_work = {is_own_test, meet_others, take_test};

/* Tests of COUNT shapes for as long as a default check takes. */
static FindingKind run_chosen(const ChooseShape *shapes, uint32_t count, Random *random)
{
    FindingKind kind = choose_try(shapes, count, random, &choose_work);
    kind = kind == FINDING_NONE ? rounds_finish(take_test) : kind;
    generating.later = GENERATE_LATER;
    return kind == FINDING_NONE && !exploration.stopped ? choose_finish(&choose_work) : kind;
}

static FindingKind refuse_many(uint64_t planned)
{
    OutcomeMessage *outcome = &deciding.link->outcome;
    outcome->input_error = 1;
    outcome_say(outcome, OUTCOME_reason,
                "%llu tests are more than a journal or a share holds (%u): ask for some of them "
                "with --samples, or for a smaller --shape",
                (unsigned long long)planned, UNITS_TESTS);
    return FINDING_UNSUPPORTED;
}

/* The tests of COUNT shapes: of each all, if they are few, then SAMPLES random ones of the others.
 */
static FindingKind run_shapes(const Wanted *wanted, uint32_t count, uint64_t samples,
                              Random *random)
{
    TestShape sampled[LINK_SHAPES], shape = child_composition_shape(1, 1);
    ChooseShape chosen[LINK_SHAPES];
    uint32_t sampled_count = 0;
    uint64_t planned = 0; /* for whoever shows progress */
    for (uint32_t i = 0; i < count; i++) {
        shape.threads = wanted[i].threads;
        shape.length = wanted[i].length;
        uint64_t all = testcase_count(&shape);
        planned += all <= wanted[i].most ? all : samples;
    }
    __atomic_store_n(&deciding.link->test_count, planned, __ATOMIC_RELAXED);
    if (done_is_kept() && planned > UNITS_TESTS)
        return refuse_many(planned);
    generating.own = done_take();
    for (uint32_t i = 0; i < count && !exploration.stopped; i++) {
        shape.threads = wanted[i].threads;
        shape.length = wanted[i].length;
        bool many = testcase_count(&shape) > wanted[i].most;
        if (many || (generating.chooses && wanted[i].first)) {
            generating.sampled |= many;
            chosen[sampled_count] =
                (ChooseShape){shape, wanted[i].first ? wanted[i].first : CHOOSE_WANTED};
            sampled[sampled_count++] = shape;
            continue;
        }
        FindingKind kind = run_all(&shape, wanted[i].first);
        if (kind != FINDING_NONE)
            return kind;
    }
    if (exploration.stopped)
        sampled_count = 0;
    return generating.chooses ? run_chosen(chosen, sampled_count, random)
                              : run_samples(sampled, sampled_count, samples, random);
}

double generate_seconds(void)
{
    const CheckOptions *check = &options.check;
    double limit = (double)options.time_ms * 1e-3 * USED_PART;
    double part = options.second_opinion ? 0.5 : 1; /* the rest is for that */
    if (check->threads || check->samples || done_is_kept())
        return 0;
    if (!options.time_ms)
        return USUAL_SECONDS;
    return check->fit && limit >= USUAL_SECONDS ? limit * part : 0;
}

FindingKind generate_tests(const CheckOptions *check)
{
    uint64_t samples = check->samples ? check->samples : CHOOSE_WANTED;
    Random random = {options.seed};
    generating.chooses = generate_seconds() > 0 && !check->observations[0];
    choose_setup();
    if (!check->observations[0]) /* one process writes the file */
        workers_split(options.jobs);
    values_unshare();
    rounds_begin(deciding.link, counted_get, !check->observations[0], generate_seconds());
    /* of one thread: they show a structure that is wrong without any concurrency */
    const Wanted shapes[] = {
        {1, 1, 20000, 0},
        {2, 1, 20000, 0},
        {1, 2, 20000, 0},
        {2, 2, 20000, 0},
        {3, 1, 20000, 0},
        {1, 3, 2000, 0},
        {1, 4, 2000, 0},
        {2, 3, samples, CHOOSE_WANTED},
        {3, 2, samples, CHOOSE_WANTED},
        {3, 3, samples, 20},
    };
    const Wanted asked = {check->threads, check->length, check->exhaustive ? UINT64_MAX : samples,
                          0};
    generating.own = UINT64_MAX; /* run_shapes says first how many there are */
    FindingKind kind = check->threads ? run_shapes(&asked, 1, samples, &random)
                                      : run_shapes(shapes, COUNT_OF(shapes), samples, &random);
    kind = kind == FINDING_NONE ? rounds_finish(take_test) : kind;
    if (kind != FINDING_NONE)
        return kind;
    if (!exploration.stopped)
        done_wait();
    workers_meet(UINT64_MAX); /* another process may be at an earlier test, which fails */
    rounds_forget_later(counted_set);
    return kind;
}

bool generate_sampled(void)
{
    return generating.sampled;
}
