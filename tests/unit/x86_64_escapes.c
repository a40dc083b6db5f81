/* Which instructions escape instrumentation: by the manual of the machine, one case each. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <string.h>
#include "tool/instrument/isa/x86_64/x86_64.h"

static bool escapes(const char *instruction, bool from_source)
{
    return x86_escape_in_text(str_of(instruction), from_source) != NULL;
}

static void test_always(void **state)
{
    (void)state;
    static const char *const all[] = {"lock incl x(%rip)",
                                      "lock cmpxchgq %rdx, (%rdi)",
                                      "xchgl %eax, (%rdi)",
                                      "mfence",
                                      "lfence",
                                      "sfence",
                                      "rdtsc",
                                      "rdtscp",
                                      "cpuid",
                                      "rdrandq %rax",
                                      "syscall",
                                      "int $0x80",
                                      "movntiq %rax, (%rdi)",
                                      "movntdq %xmm0, (%rax)",
                                      "xbegin .L1",
                                      "vmovntps %ymm0, (%rax)"};
    for (size_t i = 0; i < COUNT_OF(all); i++) {
        assert_true(escapes(all[i], false));
        assert_true(escapes(all[i], true));
    }
}

static void test_only_from_source(void **state)
{
    (void)state;
    static const char *const all[] = {
        "movl $1, x(%rip)", "incq (%rdi)",           "movl x, %eax", "mov %fs:0, %rax",
        "rep movsb",        "cmpxchgq %rdx, (%rdi)", "stosl",        "jmp *(%rdi)"};
    for (size_t i = 0; i < COUNT_OF(all); i++) {
        assert_false(escapes(all[i], false)); /* the compiler's own, instrumented */
        assert_true(escapes(all[i], true));
    }
}

static void test_never(void **state)
{
    (void)state;
    static const char *const all[] = {"",
                                      "pause",
                                      "nop",
                                      "rep nop",
                                      "rep",
                                      "xchgq %rax, %rbx",
                                      "movl $1, %eax",
                                      "bsrq %rax, %rcx",
                                      "leaq 8(%rax), %rcx",
                                      "jmp 1f",
                                      "jmp *%rax",
                                      "1:",
                                      ".byte 0x90",
                                      "call f",
                                      "nopl 0(%rax)",
                                      "int3",
                                      "int $3",
                                      "prefetcht0 (%rdi)"};
    for (size_t i = 0; i < COUNT_OF(all); i++) {
        assert_false(escapes(all[i], false));
        assert_false(escapes(all[i], true));
    }
}

static void found(void *context, uint64_t address, const char *instruction, const char *why)
{
    (void)instruction;
    (void)why;
    uint64_t **next = context;
    *(*next)++ = address;
}

static void test_code(void **state)
{
    (void)state;
    static const unsigned char code[] = {0x90,             /* 0: nop */
                                         0xF0, 0xFF, 0x07, /* 1: lock incl (%rdi) */
                                         0x89, 0x07,       /* 4: mov %eax, (%rdi) */
                                         0x87, 0x07,       /* 6: xchg %eax, (%rdi) */
                                         0x48, 0x87, 0xC3, /* 8: xchg %rax, %rbx */
                                         0x0F, 0xAE, 0xF0, /* 11: mfence */
                                         0x0F, 0x05,       /* 14: syscall */
                                         0xC3};
    uint64_t places[8] = {0}, *next = places;
    x86_escapes_in_code(code, sizeof code, 0, found, &next);
    assert_int_equal(next - places, 4);
    assert_int_equal(places[0], 1);
    assert_int_equal(places[1], 6);
    assert_int_equal(places[2], 11);
    assert_int_equal(places[3], 14);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_always),
                                       cmocka_unit_test(test_only_from_source),
                                       cmocka_unit_test(test_never), cmocka_unit_test(test_code)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
