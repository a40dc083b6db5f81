/* Which machines have a table, and what is theirs by their calling conventions. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <cmocka.h>
#include <elf.h>
#include "tool/instrument/isa/isa.h"

static void test_machines(void **state)
{
    (void)state;
    const Isa *x86 = isa_of(EM_X86_64), *arm = isa_of(EM_AARCH64);
    assert_string_equal(x86->name, "x86-64");
    assert_true(x86->foreign && x86->decode);
    assert_string_equal(arm->name, "AArch64");
    assert_null(arm->foreign);
    assert_null(isa_of(EM_386));
    assert_null(isa_of(EM_RISCV));
}

/* The sets of x86-64, from its calling convention. */
static void test_registers(void **state)
{
    (void)state;
    const Isa *x86 = isa_of(EM_X86_64);
    /* rax rcx rdx rsi rdi r8 r9 r10 r11 */
    assert_int_equal(isa_caller_saved(x86), 0x0fc7);
    assert_int_equal(isa_results(x86), 5);
    assert_int_equal(isa_argument_in(x86, 7), 0);
    assert_int_equal(isa_argument_in(x86, 9), 5);
    assert_int_equal(isa_argument_in(x86, 3), -1);
    assert_int_equal(x86->result_place, 7);
}

/* Those of AArch64 (AAPCS64, 6.1): x0 to x18 and x30 are not preserved, results in memory stand
 * where x8 says. */
static void test_aarch64(void **state)
{
    (void)state;
    const Isa *arm = isa_of(EM_AARCH64);
    assert_int_equal(isa_caller_saved(arm), 0x4007ffff);
    assert_int_equal(isa_results(arm), 3);
    assert_int_equal(arm->result_place, 8);
    assert_int_equal(isa_argument_in(arm, 3), 3);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_machines),
                                       cmocka_unit_test(test_registers),
                                       cmocka_unit_test(test_aarch64)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
