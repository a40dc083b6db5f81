/* Which lines of assembly text are the hint of a spinning thread, and that nothing else is touched.
 */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <cmocka.h>
#include <string.h>
#include "tool/instrument/machine/pauses.h"

static void check(const char *text, const char *wanted)
{
    char copy[200];
    size_t bytes = strlen(text);
    assert_int_equal(bytes, strlen(wanted));
    memcpy(copy, text, bytes + 1);
    pauses_blank(copy, bytes);
    assert_string_equal(copy, wanted);
}

static void test_forms(void **state)
{
    (void)state;
    check("\tpause\n", "\t     \n");
    check("pause", "     ");
    check("\tpause;\n", "\t     ;\n");
    check("\tpause # wait\n", "\t      # wait\n");
    check("\trep; nop\n", "\t        \n");
    check("\trep nop\n", "\t       \n");
    check("\trep ;nop ; \n", "\t         ; \n");
    check("\tnop\n\tpause\n\tret\n\tpause\n", "\tnop\n\t     \n\tret\n\t     \n");
}

static void test_others(void **state)
{
    (void)state;
    const char *const same[] = {"\tpausefoo\n",
                                "\tpause_now:\n",
                                "\tpause: nop\n",
                                "\tcall pause\n",
                                "\trep ret\n",
                                "\trep movsb\n",
                                "\trepnop\n",
                                "\trep; nopw\n",
                                "\tpushq %rbp\n",
                                "\tret\n",
                                "# pause\n",
                                "\tpause; ret\n",
                                "",
                                "\trep",
                                "\t.ascii \"pause\"\n"};
    for (size_t i = 0; i < sizeof same / sizeof *same; i++)
        check(same[i], same[i]);
}

static void check_left(const char *text, const char *wanted)
{
    char copy[200];
    size_t bytes = strlen(text);
    assert_int_equal(bytes, strlen(wanted));
    memcpy(copy, text, bytes + 1);
    pauses_blank_left_behind(copy, bytes);
    assert_string_equal(copy, wanted);
}

#define HOOK "\tcallq\t__tsan_atomic128_load@PLT\n"
#define LOAD "\tcallq\t__atomic_load_16@PLT\n"
#define NO_LOAD "\t                          \n"

/* The load that is left behind a hook goes; one that somebody asked for stays. */
static void test_left_behind(void **state)
{
    (void)state;
    check_left(HOOK LOAD, HOOK NO_LOAD);
    check_left(HOOK "\tmovq %rax, (%rsp)\n" LOAD LOAD, HOOK "\tmovq %rax, (%rsp)\n" NO_LOAD LOAD);
    check_left("\tcall __tsan_atomic128_load\n\tcall __atomic_load_16\n",
               "\tcall __tsan_atomic128_load\n\t                     \n");
    const char *const same[] = {LOAD,
                                "\tcallq\tf@PLT\n" LOAD,
                                HOOK "\tcallq\tf@PLT\n" LOAD,
                                HOOK "\tlock\n\tcmpxchg16b (%rdi)\n" LOAD,
                                HOOK "\tcallq\t__atomic_load_16x@PLT\n",
                                "\tcallq\t__tsan_atomic64_load@PLT\n" LOAD};
    for (size_t i = 0; i < sizeof same / sizeof *same; i++)
        check_left(same[i], same[i]);
}

static void test_file(void **state)
{
    (void)state;
    Error error = {0};
    assert_false(pauses_remove("/nonexistent/0.s", &error));
    assert_non_null(strstr(error.message, "/nonexistent/0.s"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_forms), cmocka_unit_test(test_others),
                                       cmocka_unit_test(test_left_behind),
                                       cmocka_unit_test(test_file)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
