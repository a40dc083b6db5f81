/* What of inline assembly is replaced by a call of the runtime, and what is left as it is. */
#include "tool/instrument/machine/assembly.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>
#include "record/assembly_code.h"

static Buffer made;

static bool translated(const char *text, AssemblyMeaning meaning)
{
    made.count = 0;
    buffer_append(&made, "", 0);
    return assembly_translate(str_of(text), meaning, &made);
}

/* An instruction of inline assembly is told as this number. */
static void told(const char *instruction, unsigned code)
{
    char text[256], number[64];
    snprintf(text, sizeof text, "#APP\n# 3 \"a.c\" 1\n\t%s\n# 0 \"\" 2\n#NO_APP\n", instruction);
    snprintf(number, sizeof number, "$%u, heddle__asm+8(%%rip)", code);
    assert_true(translated(text, ASSEMBLY_IN_SC));
    assert_non_null(strstr(made.at, number));
    assert_null(strstr(made.at, "lock"));
}

static void left(const char *instruction, AssemblyMeaning meaning)
{
    char text[256];
    snprintf(text, sizeof text, "#APP\n\t%s\n#NO_APP\n", instruction);
    assert_false(translated(text, meaning));
    assert_string_equal(made.at, text);
}

static void instructions(void **state)
{
    (void)state;
    told("lock; cmpxchgq %rcx, (%rdx)", ASSEMBLY_CODE(ASSEMBLY_CAS, 8, 1));
    told("lock cmpxchgb %sil, 4(%rdx,%rax,8)", ASSEMBLY_CODE(ASSEMBLY_CAS, 1, 6));
    told("lock\n\txadd %r9d, x(%rip)", ASSEMBLY_CODE(ASSEMBLY_FETCH_ADD, 4, 9));
    told("xchgw (%rdi), %ax", ASSEMBLY_CODE(ASSEMBLY_EXCHANGE, 2, 0));
    told("xchg %rdi, (%rdi)", ASSEMBLY_CODE(ASSEMBLY_EXCHANGE, 8, 7));
    told("lock; decl -20(%rbp)", ASSEMBLY_CODE(ASSEMBLY_DEC, 4, ASSEMBLY_IMMEDIATE));
    told("lock; orb $1, (%rax)", ASSEMBLY_CODE(ASSEMBLY_OR, 1, ASSEMBLY_IMMEDIATE));
    told("movq (%rax), %rax", ASSEMBLY_CODE(ASSEMBLY_LOAD, 8, 0));
    told("sete 7(%rdi,%rax)", ASSEMBLY_CODE(ASSEMBLY_STORE, 1, ASSEMBLY_IMMEDIATE));
    told("movl %r15d, x", ASSEMBLY_CODE(ASSEMBLY_STORE, 4, 15));
    told("cmpl $0, (%rdx)", ASSEMBLY_CODE(ASSEMBLY_COMPARE, 4, ASSEMBLY_IMMEDIATE));
    told("lock; btsl %eax, (%rdx)", ASSEMBLY_CODE(ASSEMBLY_BIT_SET, 4, 0));
    told("lock btrq $63, 8(%rdx)", ASSEMBLY_CODE(ASSEMBLY_BIT_RESET, 8, ASSEMBLY_IMMEDIATE));
    told("lock; btcw %cx, (%rdx)", ASSEMBLY_CODE(ASSEMBLY_BIT_FLIP, 2, 1));
    told("btq %rsi, (%rdx)", ASSEMBLY_CODE(ASSEMBLY_BIT_TEST, 8, 6));
    told("lock cmpxchg16b (%rdi)", ASSEMBLY_CODE(ASSEMBLY_CAS_WIDE, 16, ASSEMBLY_IMMEDIATE));
    told("lock; cmpxchg8b 8(%rsi)", ASSEMBLY_CODE(ASSEMBLY_CAS_PAIR, 8, ASSEMBLY_IMMEDIATE));
    told("lock notb (%rsi)", ASSEMBLY_CODE(ASSEMBLY_NOT, 1, ASSEMBLY_IMMEDIATE));
    told("lock; negq x(%rip)", ASSEMBLY_CODE(ASSEMBLY_NEGATE, 8, ASSEMBLY_IMMEDIATE));
    told("mfence", ASSEMBLY_CODE(ASSEMBLY_FENCE, 0, ASSEMBLY_IMMEDIATE));
    told("sfence", ASSEMBLY_CODE(ASSEMBLY_FENCE_STORES, 0, ASSEMBLY_IMMEDIATE));
    told("lfence", ASSEMBLY_CODE(ASSEMBLY_FENCE_LOADS, 0, ASSEMBLY_IMMEDIATE));
    told("movq %fs:(%rax), %rdx", ASSEMBLY_CODE(ASSEMBLY_LOAD_OWN, 8, 2));
    told("movl %fs:16, %ecx", ASSEMBLY_CODE(ASSEMBLY_LOAD_OWN, 4, 1));
    told("rdtsc", ASSEMBLY_CODE(ASSEMBLY_CLOCK, 0, ASSEMBLY_IMMEDIATE));
    told("rdtscp", ASSEMBLY_CODE(ASSEMBLY_CLOCK_PLACE, 0, ASSEMBLY_IMMEDIATE));
    told("lock; addl $0, -128(%rsp)", ASSEMBLY_CODE(ASSEMBLY_FENCE, 0, ASSEMBLY_IMMEDIATE));
}

static void what_is_not_understood(void **state)
{
    (void)state;
    static const char *const lines[] = {
        "addl $1, (%rax)",         /* no atomic step */
        "negl (%rax)",             /* neither */
        "cmpxchg8b (%rax)",        /* neither */
        "lock; addl $x, (%rax)",   /* an address */
        "lock; incl %fs:8",        /* thread-local memory */
        "lock; inc (%rax)",        /* of unknown size */
        "lock; xaddl %ah, (%rax)", /* no such register, or size */
        "movb %ah, (%rax)",        /* the upper half of one */
        "movq %xmm0, (%rax)",      /* a vector */
        "movq %rax, %rcx",         /* no memory */
        "sete %al",                /* nor here */
        "btsl %eax, (%rdx)",       /* no atomic step, either */
        "rep; nop",
        "pause",
        "1:",
        "",
    };
    for (size_t i = 0; i < sizeof lines / sizeof *lines; i++)
        left(lines[i], ASSEMBLY_IN_TSO);
    /* under rc11 only fences have a meaning */
    left("lock; incl (%rax)", ASSEMBLY_IN_C11);
    left("movq (%rax), %rax", ASSEMBLY_IN_C11);
    assert_true(translated("#APP\n\tmfence\n#NO_APP\n", ASSEMBLY_IN_C11));
    /* another language: a name is a register there */
    assert_false(
        translated("\t.intel_syntax noprefix\n#APP\n\tmov rax, [rdi]\n#NO_APP\n", ASSEMBLY_IN_SC));
}

static void surroundings(void **state)
{
    (void)state;
    /* what the compiler itself writes stays, but for the fence of an intrinsic */
    assert_false(
        translated("f:\n\tmovq (%rax), %rax\n\tlock cmpxchg16b (%rdi)\n\tret\n", ASSEMBLY_IN_SC));
    assert_true(translated("f:\n\tmfence\n\tret\n", ASSEMBLY_IN_C11));
    assert_true(translated("f:\n\trdtsc\n\tret\n", ASSEMBLY_IN_C11));
    assert_non_null(strstr(made.at, "#APP\n#NO_APP\n\tret\n"));
    /* the other instructions of a line keep their order */
    assert_true(translated("#APP\n\tlock; decl (%rax); sete %cl\n#NO_APP\n", ASSEMBLY_IN_SC));
    const char *call = strstr(made.at, "call\theddle__assembly"),
               *set = strstr(made.at, "sete %cl");
    assert_true(call && set && call < set);
    assert_null(strstr(made.at, "decl"));
    /* labels stay where they are */
    assert_true(translated("#APP\n1:\tlock; decl (%rax)\n2: again: pause\n\tjns 1b\n#NO_APP\n",
                           ASSEMBLY_IN_SC));
    assert_true(strstr(made.at, "#APP\n1:\n#NO_APP\n") && strstr(made.at, "2: again: pause\n"));
    assert_null(strstr(made.at, "decl"));
    /* a lock whose instruction is not understood comes back */
    assert_true(translated("#APP\n\tmfence\n\tlock\n\taddl $x, (%rdx)\n#NO_APP\n", ASSEMBLY_IN_SC));
    assert_non_null(strstr(made.at, "lock addl $x, (%rdx)"));
    /* a compare-exchange that fails is a fence on x86 */
    assert_true(translated("#APP\n\tlock; cmpxchgl %ecx, (%rdx)\n#NO_APP\n", ASSEMBLY_IN_TSO));
    const char *first = strstr(made.at, "call\theddle__assembly");
    assert_true(first && strstr(first + 1, "call\theddle__assembly"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(instructions),
                                       cmocka_unit_test(what_is_not_understood),
                                       cmocka_unit_test(surroundings)};
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    vec_free(&made);
    return failed;
}
