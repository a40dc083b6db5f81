/* Which stretches of a thread's run may hold code that the log does not follow: calls that are
 * over, calls that call back, calls inside calls; by hand on a stack of words. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include "guest/runtime/opaque.c"

Fiber fibers[MAX_THREADS];
int fiber_current;
static uint64_t stack[100];

void heddle__opaque(void)
{
}

static int set_up_fiber(void **unused)
{
    (void)unused;
    memset(stack, 0, sizeof stack);
    fiber_current = 1;
    fibers[1] = (Fiber){.limit = (char *)stack, .base = (char *)(stack + 100), .sp = stack + 80};
    opaque_begin(1);
    return 0;
}

/* The thread stops with its stack from word AT on. */
static bool ran(int at)
{
    fibers[1].sp = stack + at;
    return opaque_ran(1);
}

static void enter(int slot, uint64_t return_address)
{
    stack[slot] = return_address;
    opaque_note(&stack[slot]);
}

static void nothing_was_called(void **unused)
{
    (void)unused;
    assert_false(ran(70));
    assert_false(ran(60));
}

static void a_call_that_is_over(void **unused)
{
    (void)unused;
    enter(60, 0x1111);
    stack[60] = 0x2222; /* returned; the next call, of the runtime, stands in its place */
    assert_true(ran(50));
    assert_false(ran(50));
    enter(60, 0x1111); /* and one that returned to a shorter stack */
    assert_true(ran(70));
    assert_false(ran(70));
    assert_false(ran(50)); /* what lies in the place by chance says nothing any more */
}

static void a_call_that_calls_back(void **unused)
{
    (void)unused;
    enter(60, 0x1111);
    assert_true(ran(40)); /* the program runs below it */
    assert_true(ran(30)); /* it may have returned to the function and been called once more */
    assert_true(ran(40));
    stack[60] = 0x2222;
    assert_true(ran(50)); /* at the end of this stretch the call was over, at its beginning not */
    assert_false(ran(50));
}

static void a_call_inside_a_call(void **unused)
{
    (void)unused;
    enter(60, 0x1111);
    enter(40, 0x3333); /* made by what was called back */
    stack[40] = 0x4444;
    assert_true(ran(30));
    assert_true(ran(30)); /* the outer one is still open */
    stack[60] = 0x2222;
    assert_true(ran(30));
    assert_false(ran(30));
}

static void what_only_says_so(void **unused)
{
    (void)unused;
    opaque_note(NULL); /* an exception: nothing stays open */
    assert_true(ran(50));
    assert_false(ran(50));
    fiber_current = -1; /* the explorer's own calls */
    opaque_note(&stack[60]);
    assert_false(ran(50));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(nothing_was_called, set_up_fiber),
        cmocka_unit_test_setup(a_call_that_is_over, set_up_fiber),
        cmocka_unit_test_setup(a_call_that_calls_back, set_up_fiber),
        cmocka_unit_test_setup(a_call_inside_a_call, set_up_fiber),
        cmocka_unit_test_setup(what_only_says_so, set_up_fiber),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
