#include "guest/harness/check/test.h"
#include "guest/explore/all.h"
#include "base/clock.h"
#include <stdio.h>
#include "guest/runtime/fiber.h"
#include "guest/entry/guest.h"
#include "guest/explore/schedules/bounded.h"
#include "guest/explore/graph/graph.h"
#include "guest/harness/graph_history.h"
#include "judge/spec/spec.h"

ChildTest child_test;
ExploreCounts child_test_done;
uint64_t child_test_serial_ns;
double child_test_schedules;

void child_test_set(const TestCase *test)
{
    child_test.test = child_test.serial_test = *test;
    child_test.operations = testcase_operations(test);
}

const DeclaredCall *child_test_call_of(const TestCase *test, uint32_t k)
{
    for (uint32_t t = UINT32_MAX; (t = testcase_next_column(test, t)) != UINT32_MAX;) {
        if (k < test->length[t])
            return &child_test.declared.calls[test->call[t][k]];
        k -= test->length[t];
    }
    assert_failed("an operation of the test", __FILE__, __LINE__);
}

bool child_test_must_not_wait(const DeclaredCall *call)
{
    const Declared *declared = &child_test.declared;
    return declared->blocking_is_limited && !declared->may_block[call - declared->calls];
}

/* Returns the result of CALL as a word. */
static uint64_t result_word(const DeclaredCall *call, const HdValue *result)
{
    if (result->kind == HEDDLE_ARRAY && (result->count < 0 || result->count > HEDDLE_ITEMS))
        op_unsupported("%s returns an array of %d items (%s:%d); HD_ARRAY takes at most %d: return "
                       "fewer, or what matters about them",
                       call->text, result->count, call->operation->file, call->operation->line,
                       HEDDLE_ITEMS);
    op_unannounced |= result->kind == HEDDLE_TEXT || result->kind == HEDDLE_ARRAY;
    return declared_value(child_test.values, result).word;
}

static const void *place_of(HeddleCall *function)
{
    return __extension__(const char *)(uintptr_t) function + 1;
}

uint64_t child_test_perform(const DeclaredCall *call)
{
    HdValue result = call->operation->call(call->arguments);
    if (result.kind == HEDDLE_WAIT)
        op_unsupported("%s returns HD_WAIT, which is for golden code only: an operation of the "
                       "implementation really waits",
                       call->text);
    return result_word(call, &result);
}

uint64_t child_test_perform_serially(const DeclaredCall *call)
{
    bool golden = child_test.source == SERIAL_GOLDEN;
    HdValue result = (golden ? call->golden->call : call->operation->call)(call->arguments);
    if (golden && result.kind == HEDDLE_WAIT) {
        static uint32_t never;
        op_await(&never, sizeof never, AWAIT_NE, 0, RMW_NONE, 0, ORDER_RELAXED, NULL, "golden code",
                 "wait");
    }
    return result_word(call, &result);
}

/* An operation that ends its thread or the program has no result, and what it should have done is
 * not known. */
static void leave_call(bool process)
{
    uint32_t k;
    if (!graph_history_in_call(op_self(), &k))
        return;
    bool golden = child_test.serially && child_test.source == SERIAL_GOLDEN;
    op_unsupported("%s%s ends %s; %s must return: let it return a value instead of calling %s",
                   golden ? "the golden code of " : "",
                   (child_test.serially ? child_test_serial_call(k) : child_test_call(k))->text,
                   process ? "the program" : "its thread", golden ? "it" : "an operation",
                   process ? "exit" : "pthread_exit");
}

static void perform(uint32_t thread, uint32_t i)
{
    uint32_t k = testcase_number(&child_test.test, thread, i);
    const DeclaredCall *call = child_test_call(k);
    const void *pc = place_of(call->operation->call);
    op_mark(k, false, 0, pc);
    op_mark(k, true, child_test_perform(call), pc);
}

/* Performs operation I in a serial run; false if it has to wait and says so (HD_WAIT of golden
 * code). */
static bool perform_serially(uint32_t thread, uint32_t i)
{
    uint32_t k = testcase_number(&child_test.serial_test, thread, i);
    const DeclaredCall *call = child_test_serial_call(k);
    bool golden = child_test.source == SERIAL_GOLDEN;
    HeddleCall *function = golden ? call->golden->call : call->operation->call;
    op_mark(k, false, 0, place_of(function));
    HdValue result = function(call->arguments);
    if (golden && result.kind == HEDDLE_WAIT) {
        child_test.golden_waits = true;
        return false;
    }
    op_mark(k, true, result_word(call, &result), place_of(function));
    return true;
}

static void finish(void)
{
    if (child_test.declared.invariant && !child_test.declared.invariant())
        op_violation(VIOLATION_ASSERTION, NULL, "the invariant does not hold after the test");
    if (child_test.declared.after)
        child_test.declared.after();
    process_exit(0, NULL);
}

/* Golden code has a set-up of its own; invariant and clean-up are about the implementation. */
void child_test_begin_serially(void)
{
    const Declared *declared = &child_test.declared;
    if (child_test.source == SERIAL_GOLDEN) {
        if (declared->golden_init)
            declared->golden_init();
        return;
    }
    if (declared->init)
        declared->init();
    if (child_test.source == SERIAL_REFERENCE)
        declared->reference();
}

static void finish_serially(void)
{
    if (child_test.source == SERIAL_GOLDEN)
        process_exit(0, NULL);
    finish();
}

/* ---- serial runs: a turn that goes round ----
 * Each column is a thread of its own, as in the concurrent program, so that an object may tell
 * threads apart (the owner of a lock, thread_local variables). The thread that has the turn makes
 * its call, then the next column is chosen (op_turn); the others are held by the explorer. How many
 * calls each column has made stands in the event of the choice. */

enum { TURN_BITS = 5, TURN_MASK = 31 }; /* of one column: up to TESTCASE_LENGTH */
#define TURN_WORD (UINT64_C(1) << 63)
#define TURN_ENDS (UINT64_C(1) << 62) /* all calls are made: threads end, the lowest first */
_Static_assert(TESTCASE_LENGTH <= TURN_MASK && TESTCASE_THREADS * TURN_BITS < 62,
               "turns fit a word");

static void *serial_column(void *argument);

/* The columns that have calls left. */
static uint32_t open_columns(uint64_t made, uint32_t *open)
{
    const TestCase *all = &child_test.serial_test;
    uint32_t count = 0;
    for (uint32_t t = 0; t < all->threads; t++)
        if ((made >> (TURN_BITS * t) & TURN_MASK) < all->length[t])
            open[count++] = t;
    return count;
}

/* The word of a turn when all calls are made. */
static uint64_t all_made(void)
{
    const TestCase *all = &child_test.serial_test;
    uint64_t made = TURN_WORD;
    for (uint32_t t = 0; t < all->threads; t++)
        made += (uint64_t)all->length[t] << (TURN_BITS * t);
    return made;
}

/* The last turn that was chosen before place I of the order, or NULL. */
static const Event *turn_before(int i)
{
    while (i-- > 0) {
        const Event *e = &pool[order[i]];
        if (e->kind == EVENT_CHOOSE && e->expected)
            return e;
    }
    return NULL;
}

/* The turn that the running thread has. When it is executed again the graph is further on than
 * it. */
static uint64_t own_turn(void)
{
    int self = fiber_current, i = order_count;
    while (i > 0 &&
           !(pool[order[i - 1]].thread == self && pool[order[i - 1]].index < threads[self].count))
        i--;
    return turn_before(i)->expected;
}

/* Has any column something to do at the end of its thread? If not, that it ends makes no
 * difference. */
static bool ends_matter(void)
{
    for (ThreadSet left = threads_created & ~thread_bit(0); left; left &= left - 1) {
        int t = thread_first(left);
        const GuestThread *thread = guest_thread((unsigned)t);
        if (fibers[t].function == serial_column &&
            (thread->destructor_count || thread->specific_count || thread->held_count))
            return true;
    }
    return false;
}

/* All calls are made. Unless something is left to do, the program may end here as well as in
 * main. */
static bool may_end_here(void)
{
    const Declared *declared = &child_test.declared;
    return (child_test.source == SERIAL_GOLDEN || (!declared->after && !declared->invariant)) &&
           !child_test.serial_test.length[TESTCASE_AFTER] && !ends_matter();
}

static void *serial_column(void *argument)
{
    uint32_t own = (uint32_t)(uintptr_t)argument, length = child_test.serial_test.length[own];
    uint32_t open[TESTCASE_THREADS], count;
    uint64_t made = 0;
    bool fresh = true; /* it was given the turn after its last call */
    if (child_test.moved) {
        guest_set(guest_current()->random, UINT64_C(0x9e3779b97f4a7c15));
        guest_set(guest_current()->clock, guest_current()->clock + 1000000);
    }
    for (uint32_t i = 0; i < length; i++) {
        if (!perform_serially(own, i))
            process_exit(0, NULL);
        made = (fresh ? own_turn() : made) + (UINT64_C(1) << (TURN_BITS * own));
        count = open_columns(made, open);
        fresh = count != 1 || open[0] != own;
        if (!count && may_end_here())
            process_exit(0, NULL);
        if (fresh)
            op_turn(MAX(count, 1u), made);
    }
    op_turn(1, all_made() | TURN_ENDS);
    thread_finish(NULL);
}

/* All but the thread that has the turn: the column that was chosen last; main, when all calls are
 * made; each column, the lowest first, when they have to end. */
static ThreadSet held_threads(void)
{
    const Event *turn = turn_before(order_count);
    if (!turn)
        return 0;
    uint32_t open[TESTCASE_THREADS];
    bool ending = turn->expected & TURN_ENDS;
    uint32_t count = open_columns(turn->expected, open);
    ThreadSet held = count > 0;
    for (ThreadSet left = threads_created & ~threads_ended & ~thread_bit(0); left;
         left &= left - 1) {
        int t = thread_first(left);
        if (fibers[t].function != serial_column)
            continue;
        bool has_turn = count ? (uintptr_t)fibers[t].argument == open[turn->value] : ending;
        ending &= !has_turn;
        if (!has_turn)
            held |= thread_bit(t);
    }
    return held;
}

static void *end_at_once(void *unused)
{
    (void)unused;
    thread_finish(NULL);
}

/* The calls of main before or after the threads. */
static void perform_of_main(uint32_t column)
{
    for (uint32_t i = 0; i < child_test.serial_test.length[column]; i++)
        if (!perform_serially(column, i))
            process_exit(0, NULL);
}

static void run_serially(void)
{
    const TestCase *all = &child_test.serial_test;
    unsigned created[TESTCASE_THREADS];
    uint32_t open[TESTCASE_THREADS];
    child_test_begin_serially();
    if (child_test.moved) /* all threads have other numbers, stacks and heaps */
        op_join(op_create(end_at_once, NULL, NULL), false, NULL);
    perform_of_main(TESTCASE_BEFORE);
    for (uint32_t t = 0; t < all->threads; t++)
        created[t] = op_create(serial_column, (void *)(uintptr_t)t, NULL);
    op_turn(open_columns(TURN_WORD, open), TURN_WORD);
    op_turn(1, all_made()); /* it has the turn again */
    if (ends_matter()) {
        op_turn(1, all_made() | TURN_ENDS);
        for (uint32_t t = 0; t < all->threads; t++)
            op_join(created[t], false, NULL);
    }
    perform_of_main(TESTCASE_AFTER);
    finish_serially();
}

void *child_test_serial(void *unused)
{
    (void)unused;
    run_serially();
    return NULL;
}

void *child_test_moved(void *unused)
{
    (void)unused;
    run_serially();
    return NULL;
}

/* ---- concurrently ---- */

static void perform_column(uint32_t column)
{
    for (uint32_t i = 0; i < child_test.test.length[column]; i++)
        perform(column, i);
}

static void *column_program(void *argument)
{
    perform_column((uint32_t)(uintptr_t)argument);
    thread_finish(NULL);
}

/* Do threads T and U make the same calls? */
static bool are_equal_columns(const TestCase *test, uint32_t t, uint32_t u)
{
    return test->length[t] == test->length[u] &&
           !memcmp(test->call[t], test->call[u], test->length[t] * sizeof test->call[t][0]);
}

void *child_test_concurrent(void *unused)
{
    (void)unused;
    unsigned created[TESTCASE_THREADS];
    if (child_test.declared.init)
        child_test.declared.init();
    perform_column(TESTCASE_BEFORE);
    for (uint32_t t = 0; t < child_test.test.threads; t++)
        created[t] =
            op_create_alike(column_program, (void *)(uintptr_t)t,
                            t && are_equal_columns(&child_test.test, t - 1, t), NULL, NULL);
    for (uint32_t t = 0; t < child_test.test.threads; t++)
        op_join(created[t], false, NULL);
    perform_column(TESTCASE_AFTER);
    finish();
    return NULL;
}

/* ---- exploring ---- */

void child_test_set_program(void *(*program)(void *))
{
    fiber_set_main(program);
    child_test.serially = program != child_test_concurrent;
    child_test.moved = program == child_test_moved;
    thread_leaves = leave_call;
    exploration.held = child_test.serially ? held_threads : NULL;
}

void child_test_add_counts(void)
{
    child_test_done.executions += counts.executions;
    child_test_done.blocked += counts.blocked;
    child_test_done.stuck += counts.stuck;
    child_test_done.cut += counts.cut;
    child_test_done.left_out += counts.left_out;
    counts = (ExploreCounts){0}; /* stuck executions are histories like others here */
}

FindingKind child_test_explore(void *(*program)(void *), ExploreVisitor *complete,
                               ExploreVisitor *stuck, uint32_t model)
{
    child_test_set_program(program);
    exploration.on_complete = complete;
    exploration.on_stuck = stuck;
    options.model = model;
    int32_t preemptions = options.preemptions;
    if (child_test.serially)
        options.preemptions = -1; /* all of them are the specification */
    uint64_t start = clock_cpu_ns();
    FindingKind kind = explore_all();
    if (child_test.serially)
        child_test_serial_ns += clock_cpu_ns() - start;
    else if (in_bound.active)
        child_test_schedules += in_bound.schedules;
    options.preemptions = preemptions;
    child_test_add_counts();
    return kind;
}

/* ---- words ---- */

void child_test_print_value(uint64_t word, Buffer *out)
{
    if (word == VALUE_UNKNOWN.word)
        buffer_printf(out, "waits");
    else
        value_print(child_test.values, (Value){word}, out);
}

void child_test_print_observed(Value value, Buffer *out)
{
    if (value_equal(value, VALUE_NONE))
        buffer_printf(out, "no result");
    else if (value_kind(child_test.values, value) == VALUE_IS_STRING)
        buffer_printf(out, "%.*s", STR_ARG(value_text(child_test.values, value)));
    else if (value_equal(value, VALUE_UNKNOWN))
        buffer_printf(out, "no result: it waits");
    else
        value_print(child_test.values, value, out);
}

void child_test_print_result(uint64_t word, Buffer *out)
{
    if (word == SPEC_DONE.word)
        return;
    buffer_printf(out, " = ");
    child_test_print_value(word, out);
}

void child_test_mark_words(unsigned number, bool returns, uint64_t word, char *text, size_t bytes)
{
    Buffer out = {0};
    const TestCase *test = child_test.serially ? &child_test.serial_test : &child_test.test;
    buffer_printf(&out, "%s", child_test_call_of(test, number)->text);
    if (returns)
        child_test_print_result(word, &out);
    snprintf(text, bytes, "%.*s", STR_ARG(buffer_str(&out)));
    vec_free(&out);
}
