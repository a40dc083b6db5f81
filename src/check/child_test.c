#include "check/child_test.h"
#include <stdio.h>
#include "runtime/fiber.h"
#include "runtime/guest.h"
#include "spec/spec.h"

ChildTest child_test;
ExploreCounts child_test_done;

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

static const void *place_of(HeddleCall *function)
{
    return __extension__(const char *)(uintptr_t) function + 1;
}

static void perform(uint32_t thread, uint32_t i)
{
    uint32_t k = testcase_number(&child_test.test, thread, i);
    const DeclaredCall *call = child_test_call(k);
    const void *pc = place_of(call->operation->call);
    op_mark(k, false, 0, pc);
    HdValue result = call->operation->call(call->arguments);
    if (result.kind == HEDDLE_WAIT)
        op_unsupported("%s returns HD_WAIT, which is for golden code only: an operation of the "
                       "implementation really waits",
                       call->text);
    op_mark(k, true, declared_value(child_test.values, &result).word, pc);
}

/* The same in a serial run; false if it has to wait and says so (HD_WAIT of golden code). */
static bool perform_serially(uint32_t thread, uint32_t i)
{
    uint32_t k = testcase_number(&child_test.serial_test, thread, i);
    const DeclaredCall *call = child_test_serial_call(k);
    bool golden = child_test.source == SERIAL_GOLDEN;
    HeddleCall *function = golden ? call->golden->call : call->operation->call;
    op_mark(k, false, 0, place_of(function));
    HdValue result = function(call->arguments);
    if (golden && result.kind == HEDDLE_WAIT)
        return false;
    op_mark(k, true, declared_value(child_test.values, &result).word, place_of(function));
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
static void begin_serially(void)
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

static void perform_all_serially(void)
{
    const TestCase *all = &child_test.serial_test;
    uint32_t done[TESTCASE_THREADS] = {0};
    for (uint32_t i = 0; i < all->length[TESTCASE_BEFORE]; i++)
        if (!perform_serially(TESTCASE_BEFORE, i))
            return;
    for (;;) {
        uint32_t open[TESTCASE_THREADS], count = 0;
        for (uint32_t t = 0; t < all->threads; t++)
            if (done[t] < all->length[t])
                open[count++] = t;
        if (!count)
            break;
        uint32_t t = open[op_choose(count, NULL)];
        if (!perform_serially(t, done[t]++))
            return;
    }
    for (uint32_t i = 0; i < all->length[TESTCASE_AFTER]; i++)
        if (!perform_serially(TESTCASE_AFTER, i))
            return;
}

void *child_test_serial(void *unused)
{
    (void)unused;
    begin_serially();
    perform_all_serially();
    finish_serially();
    return NULL;
}

static void *moved_thread(void *unused)
{
    (void)unused;
    guest_set(guest_current()->random, UINT64_C(0x9e3779b97f4a7c15));
    guest_set(guest_current()->clock, guest_current()->clock + 1000000);
    perform_all_serially();
    thread_finish(NULL);
}

void *child_test_moved(void *unused)
{
    (void)unused;
    begin_serially();
    op_join(op_create(moved_thread, NULL, NULL), NULL);
    finish_serially();
    return NULL;
}

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

void *child_test_concurrent(void *unused)
{
    (void)unused;
    unsigned created[TESTCASE_THREADS];
    if (child_test.declared.init)
        child_test.declared.init();
    perform_column(TESTCASE_BEFORE);
    for (uint32_t t = 0; t < child_test.test.threads; t++)
        created[t] = op_create(column_program, (void *)(uintptr_t)t, NULL);
    for (uint32_t t = 0; t < child_test.test.threads; t++)
        op_join(created[t], NULL);
    perform_column(TESTCASE_AFTER);
    finish();
    return NULL;
}

/* ---- exploring ---- */

void child_test_set_program(void *(*program)(void *))
{
    fiber_set_main(program);
    child_test.serially = program != child_test_concurrent;
}

FindingKind child_test_explore(void *(*program)(void *), ExploreVisitor *complete,
                               ExploreVisitor *stuck, uint32_t model)
{
    child_test_set_program(program);
    explore_on_complete = complete;
    explore_on_stuck = stuck;
    options.model = model;
    FindingKind kind = explore_all();
    child_test_done.executions += counts.executions;
    child_test_done.blocked += counts.blocked;
    child_test_done.cut += counts.cut;
    child_test_done.left_out += counts.left_out;
    counts = (ExploreCounts){0}; /* stuck executions are histories like others here */
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
