/* Which instructions of AArch64 escape instrumentation, as text and as words: by the architecture's
 * manual, one case each. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <string.h>
#include "tool/instrument/isa/aarch64/aarch64.h"

static bool escapes(const char *instruction, bool from_source)
{
    return a64_escape_in_text(str_of(instruction), from_source) != NULL;
}

static void test_text(void **state)
{
    static const char *const all[] = {"ldxr w0, [x1]",
                                      "stlxr w2, w0, [x1]",
                                      "ldar w0, [x1]",
                                      "stlr w0, [x1]",
                                      "ldapr x0, [x1]",
                                      "cas w0, w1, [x2]",
                                      "ldaddal w0, w1, [x2]",
                                      "stadd w0, [x1]",
                                      "swpl x0, x1, [x2]",
                                      "ldsmax x0, x1, [x2]",
                                      "dmb ish",
                                      "dsb sy",
                                      "isb",
                                      "sb",
                                      "stnp x0, x1, [x2]",
                                      "svc #0",
                                      "mrs x0, cntvct_el0",
                                      "msr tpidr_el0, x0",
                                      "dc zva, x0",
                                      "cpyfp [x0]!, [x1]!, x2!",
                                      "ld1w {z0.s}, p0/z, [x0]"};
    static const char *const from_source[] = {"ldr x0, [x1]", "stp x0, x1, [sp, -16]!",
                                              "ldr x0, =counter", "st1 {v0.16b}, [x0]"};
    static const char *const none[] = {"yield",           "nop",
                                       "mov x0, x1",      "sbfx x0, x1, #3, #4",
                                       "sbc x0, x1, x2",  "mrs x0, tpidr_el0",
                                       "b.ne 1b",         "prfm pldl1keep, [x0]",
                                       "// 12 \"a.c\" 1", "1:",
                                       ".loc 1 2",        "bl other",
                                       "casual:",         "msr fpcr, x0"};
    (void)state;
    for (size_t i = 0; i < COUNT_OF(all); i++)
        assert_true(escapes(all[i], false) && escapes(all[i], true));
    for (size_t i = 0; i < COUNT_OF(from_source); i++)
        assert_true(!escapes(from_source[i], false) && escapes(from_source[i], true));
    for (size_t i = 0; i < COUNT_OF(none); i++)
        assert_false(escapes(none[i], true));
}

static void count(void *context, uint64_t address, const char *instruction, const char *why)
{
    (void)address, (void)instruction, (void)why;
    ++*(unsigned *)context;
}

static unsigned found(uint32_t word)
{
    unsigned many = 0;
    a64_escapes_in_code(&word, sizeof word, 0x1000, count, &many);
    return many;
}

static void test_words(void **state)
{
    static const uint32_t all[] = {0x885ffc20,   /* ldaxr w0, [x1] */
                                   0x88dffc20,   /* ldar w0, [x1] */
                                   0x889ffc20,   /* stlr w0, [x1] */
                                   0x88a07c41,   /* cas w0, w1, [x2] */
                                   0xb8e00041,   /* ldaddal w0, w1, [x2] */
                                   0xb8bfc020,   /* ldapr w0, [x1] */
                                   0xd5033bbf,   /* dmb ish */
                                   0xd5033fdf,   /* isb */
                                   0xa8000440,   /* stnp x0, x1, [x2] */
                                   0xd4000001,   /* svc #0 */
                                   0xd53be040,   /* mrs x0, cntvct_el0 */
                                   0xd51bd040,   /* msr tpidr_el0, x0 */
                                   0xd50b7420,   /* dc zva, x0 */
                                   0xa540a000,   /* ld1w {z0.s}, p0/z, [x0] */
                                   0x19010440};  /* cpyfp */
    static const uint32_t none[] = {0xf9400020,  /* ldr x0, [x1] */
                                    0xa9bf7bfd,  /* stp x29, x30, [sp, -16]! */
                                    0xd53bd040,  /* mrs x0, tpidr_el0 */
                                    0xd503203f,  /* yield */
                                    0xd503233f,  /* paciasp */
                                    0xd5033f5f,  /* clrex */
                                    0xd65f03c0,  /* ret */
                                    0x4c407000,  /* ld1 {v0.16b}, [x0] */
                                    0xf8626820}; /* ldr x0, [x1, x2] */
    (void)state;
    for (size_t i = 0; i < COUNT_OF(all); i++)
        assert_int_equal(found(all[i]), 1);
    for (size_t i = 0; i < COUNT_OF(none); i++)
        assert_int_equal(found(none[i]), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_text), cmocka_unit_test(test_words)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
