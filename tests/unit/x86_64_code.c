/* The small reader of machine code against capstone, on this very program: whatever it claims to
 * know it must know right. Then the case it is there for: a structure copied between two hooks. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <capstone/capstone.h>
#include <string.h>
#include "guest/runtime/x86_64/code.c"

extern char __etext;

/* Does it write to memory, by capstone? */
static bool writes_memory(const cs_insn *instruction)
{
    const cs_x86 *x86 = &instruction->detail->x86;
    if (instruction->id == X86_INS_NOP || instruction->id == X86_INS_TEST ||
        instruction->id == X86_INS_CMP)
        return false;
    /* capstone 4 does not know the access of vector moves */
    static const char *const first[] = {"mov", "ro", "rc", "sh",
                                        "sa"}; /* nor of shifts by a byte */
    for (size_t i = 0; i < COUNT_OF(first) && x86->op_count; i++)
        if (!strncmp(instruction->mnemonic, first[i], strlen(first[i])) &&
            x86->operands[0].type == X86_OP_MEM)
            return true;
    for (int i = 0; i < x86->op_count; i++)
        if (x86->operands[i].type == X86_OP_MEM && x86->operands[i].access & CS_AC_WRITE)
            return true;
    return false;
}

/* Does it write to rbp or a part of it, by capstone? */
static bool sets_rbp(csh handle, const cs_insn *instruction)
{
    cs_regs read, written;
    uint8_t reads, writes;
    if (cs_regs_access(handle, instruction, read, &reads, written, &writes) != CS_ERR_OK)
        return false;
    for (int i = 0; i < writes; i++)
        if (written[i] == X86_REG_RBP || written[i] == X86_REG_EBP || written[i] == X86_REG_BP ||
            written[i] == X86_REG_BPL)
            return true;
    return false;
}

static void test_against_capstone(void **state)
{
    (void)state;
    csh handle;
    assert_int_equal(cs_open(CS_ARCH_X86, CS_MODE_64, &handle), CS_ERR_OK);
    cs_option(handle, CS_OPT_DETAIL, CS_OPT_ON);
    cs_insn *instruction = cs_malloc(handle);
    const uint8_t *code = __extension__(const uint8_t *)(uintptr_t) writes_memory;
    size_t left = (size_t)((const uint8_t *)&__etext - code);
    uint64_t address = (uintptr_t)code;
    unsigned known = 0, all = 0;
    while (left > 16) {
        const uint8_t *at = code;
        if (!cs_disasm_iter(handle, &code, &left, &address, instruction)) {
            code++, left--, address++;
            continue;
        }
        Instruction mine = read_instruction(at);
        all++;
        if (!mine.known || mine.ends)
            continue;
        known++;
        if (!mine.sets_rbp && sets_rbp(handle, instruction))
            fail_msg("%s %s: rbp is set", instruction->mnemonic, instruction->op_str);
        bool pushes = (at[0] & 0xf8) == 0x50 || (at[0] == 0x41 && (at[1] & 0xf8) == 0x50);
        if (mine.length != instruction->size ||
            (!pushes && !mine.calls && mine.writes != writes_memory(instruction)))
            fail_msg("%s %s (%02x %02x %02x): length %u, not %u; writes %d", instruction->mnemonic,
                     instruction->op_str, at[0], at[1], at[2], mine.length,
                     (unsigned)instruction->size, mine.writes);
    }
    assert_true(all > 10000 && known > all / 2);
    cs_free(instruction, 1);
    cs_close(&handle);
}

static CodeBetween between(const char *bytes, size_t count, bool stack_counts)
{
    return code_between(bytes, bytes + count, stack_counts, true);
}

static void test_between(void **state)
{
    (void)state;
    /* mov %r12,%rdi; call: the second hook of a copy */
    assert_int_equal(between("\x4c\x89\xe7\xe8\0\0\0", 8, false), CODE_NOTHING);
    /* movq $7,(%rax); mov %r12,%rdi; call: an assignment, then another statement */
    assert_int_equal(between("\x48\xc7\x00\x07\0\0\0\x4c\x89\xe7\xe8\0\0\0", 15, false),
                     CODE_STORES);
    /* mov %rax,-8(%rbp); mov %r12,%rdi; call: a register saved, unless the object is on the stack
     */
    assert_int_equal(between("\x48\x89\x45\xf8\x4c\x89\xe7\xe8\0\0\0", 12, false), CODE_NOTHING);
    assert_int_equal(between("\x48\x89\x45\xf8\x4c\x89\xe7\xe8\0\0\0", 12, true), CODE_STORES);
    /* movl $1,(%r12,%rbp,4); call, and movl $1,4(%r13); call: other bases than %rsp and %rbp */
    assert_int_equal(between("\x41\xc7\x04\xac\x01\0\0\0\xe8\0\0\0", 13, false), CODE_STORES);
    assert_int_equal(between("\x41\xc7\x45\x04\x01\0\0\0\xe8\0\0\0", 13, false), CODE_STORES);
    /* movl $1,8(%rsp,%r12,4); call: the extended register is the index */
    assert_int_equal(between("\x42\xc7\x44\xa4\x08\x01\0\0\0\xe8\0\0\0", 14, false), CODE_NOTHING);
    /* the store by rbp again, which is no frame pointer; and where rbp changes after it (mov
     * %rbx,%rbp; pop %rbp; mov 8(%rsp),%rbp), before it, or not (mov %rbx,%r13; movaps
     * %xmm0,%xmm5) */
    const char *by_rbp = "\x48\x89\x45\xf8\x4c\x89\xe7\xe8\0\0\0";
    assert_int_equal(code_between(by_rbp, by_rbp + 12, false, false), CODE_STORES);
    assert_int_equal(between("\x48\x89\x45\xf8\x48\x89\xdd\xe8\0\0\0", 12, false), CODE_UNKNOWN);
    assert_int_equal(between("\x48\x89\x45\xf8\x5d\xe8\0\0\0", 10, false), CODE_UNKNOWN);
    assert_int_equal(between("\x48\x89\x45\xf8\x48\x8b\x6c\x24\x08\xe8\0\0\0", 14, false),
                     CODE_UNKNOWN);
    assert_int_equal(between("\x48\x89\xdd\x48\x89\x45\xf8\xe8\0\0\0", 12, false), CODE_NOTHING);
    assert_int_equal(between("\x48\x89\x45\xf8\x49\x89\xdd\xe8\0\0\0", 12, false), CODE_NOTHING);
    assert_int_equal(between("\x48\x89\x45\xf8\x0f\x28\xe8\xe8\0\0\0", 12, false), CODE_NOTHING);
    /* je +2; call: a branch */
    assert_int_equal(between("\x74\x02\xe8\0\0\0", 7, false), CODE_STORES);
    /* hlt */
    assert_int_equal(between("\xf4\xe8\0\0\0", 6, false), CODE_UNKNOWN);
}

/* An int3 stands for an instruction of three bytes. */
static unsigned trapped(const void *address)
{
    return *(const unsigned char *)address == 0xcc ? 3 : 0;
}

static CodeBetween before(const char *code, size_t length, bool stack_counts, bool rbp_on_stack)
{
    return code_before(code, code + length, stack_counts, rbp_on_stack, trapped);
}

static void test_before(void **state)
{
    (void)state;
    /* mov %rdx,(%rax); then the instruction in question; the same behind one that is trapped */
    assert_int_equal(before("\x48\x89\x10\xcc", 3, false, false), CODE_STORES);
    assert_int_equal(before("\xcc\x90\x90\x48\x89\x10\xcc", 6, false, false), CODE_STORES);
    /* nothing, imul %ebx,%eax, or one that is trapped, comes before: the store is yet to come */
    assert_int_equal(before("\xcc\x90\x90\x48\x89\x10", 0, false, false), CODE_NOTHING);
    assert_int_equal(before("\x0f\xaf\xc3\xcc\x90\x90\x48\x89\x10", 3, false, false), CODE_NOTHING);
    assert_int_equal(before("\xcc\x90\x90\xcc\x90\x90\x48\x89\x10", 3, false, false), CODE_NOTHING);
    /* mov %rdx,8(%rsp), and mov %rdx,-8(%rbp): saved registers, unless the store is to the stack */
    assert_int_equal(before("\x48\x89\x54\x24\x08\xcc", 5, false, false), CODE_NOTHING);
    assert_int_equal(before("\x48\x89\x54\x24\x08\xcc", 5, true, false), CODE_UNKNOWN);
    assert_int_equal(before("\x48\x89\x55\xf8\xcc", 4, false, true), CODE_NOTHING);
    assert_int_equal(before("\x48\x89\x55\xf8\xcc", 4, false, false), CODE_STORES);
    assert_int_equal(before("\x48\x89\x55\xf8\x48\x89\xdd\xcc", 7, false, true), CODE_UNKNOWN);
    /* a call, or the end of the function */
    assert_int_equal(before("\xe8\0\0\0\0\xcc", 5, false, false), CODE_STORES);
    assert_int_equal(before("\xc3\xcc", 1, false, false), CODE_STORES);
    /* jmp over two bytes to the store, to the instruction; je; setg (%rax), which is not known */
    assert_int_equal(before("\xeb\x02\x90\x90\x48\x89\x10\xcc", 7, false, false), CODE_STORES);
    assert_int_equal(before("\xe9\x02\0\0\0\x90\x90\xcc", 7, false, false), CODE_NOTHING);
    assert_int_equal(before("\x74\x03\x48\x89\x10\xcc", 5, false, false), CODE_UNKNOWN);
    assert_int_equal(before("\x0f\x9f\x00\xcc", 3, false, false), CODE_UNKNOWN);
    /* a loop that leads nowhere */
    assert_int_equal(before("\xeb\xfe\xcc", 2, false, false), CODE_UNKNOWN);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_against_capstone),
                                       cmocka_unit_test(test_between),
                                       cmocka_unit_test(test_before)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
