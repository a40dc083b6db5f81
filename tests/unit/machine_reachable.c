/* Which functions may run, on small assembly texts. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <string.h>
#include "tool/instrument/machine/reachable.h"

static const char text[] = "\t.globl\tmain\n"
                           "\t.type\tmain, @function\n"
                           "main:\n"
                           "\tcall\tused\n"
                           "\tret\n"
                           "\t.size\tmain, .-main\n"
                           "\t.type\tused, @function\n"
                           "used:\n"
                           "\tleaq\ttaken(%rip), %rax # unused_comment\n"
                           "\t.type\ttaken, @function\n"
                           "taken:\n"
                           "\tret\n"
                           "\t.type\tlonely, @function\n"
                           "lonely:\n"
                           "\tcall\tchain@PLT\n"
                           "\tcall\tlonely\n"
                           "\t.type\tchain, @function\n"
                           "chain:\n"
                           "\tret\n"
                           "\t.section\t.data.rel,\"aw\"\n"
                           "\t.type\ttable, @object\n"
                           "table:\n"
                           "\t.quad\tin_table\n"
                           "\t.string\t\"in_text\"\n"
                           "\t.text\n"
                           "\t.type\tin_table, @function\n"
                           "in_table:\n"
                           "\tret\n"
                           "\t.type\tin_text, @function\n"
                           "in_text:\n"
                           "\tret\n";

static void test_reachable(void **state)
{
    (void)state;
    Reachable reachable;
    reachable_find(str_of(text), &reachable);
    static const char *const run[] = {"main", "used", "taken", "in_table", "somewhere_else"};
    static const char *const not_run[] = {"lonely", "chain", "in_text"};
    for (size_t i = 0; i < COUNT_OF(run); i++)
        assert_true(reachable_may_run(&reachable, str_of(run[i])));
    for (size_t i = 0; i < COUNT_OF(not_run); i++)
        assert_false(reachable_may_run(&reachable, str_of(not_run[i])));
    reachable_free(&reachable);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_reachable)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
