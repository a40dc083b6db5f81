/* What instructions of AArch64 read, write and lead to: words as the assembler makes them, by the
 * architecture's manual. tests/aarch64.sh compares the whole of libraries with the disassembler's
 * text (tests/helpers/aarch64_words.py). */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <string.h>
#include "tool/instrument/isa/aarch64/aarch64.h"

static Code decode(uint32_t word, bool *described)
{
    cs_insn in = {.address = 0x400000, .size = 4};
    Code code;
    memcpy(in.bytes, &word, sizeof word);
    *described = a64_decode(0, &in, &code);
    return code;
}

static Code one(uint32_t word)
{
    bool described;
    Code code = decode(word, &described);
    assert_true(described);
    return code;
}

static void test_memory(void **state)
{
    static const struct {
        uint32_t word;
        int base, index, bytes, displacement, step;
        bool reads, writes;
        RegSet changes;
    } all[] = {
        {0xf9400401, 0, -1, 8, 8, 0, true, false, 1 << 1},          /* ldr x1, [x0, 8] */
        {0xb9000fe2, 31, -1, 4, 12, 0, false, true, 0},             /* str w2, [sp, 12] */
        {0x39400260, 19, -1, 1, 0, 0, true, false, 1 << 0},         /* ldrb w0, [x19] */
        {0xf85f83a0, 29, -1, 8, -8, 0, true, false, 1 << 0},        /* ldur x0, [x29, -8] */
        {0xf8408441, 2, -1, 8, 0, 8, true, false, 1 << 1 | 1 << 2}, /* ldr x1, [x2], 8 */
        {0x7862d801, 0, 2, 2, 0, 0, true, false, 1 << 1},           /* ldrh w1, [x0, w2, sxtw 1] */
        {0xa9bd7bfd, 31, -1, 16, -48, -48, false, true, REG_BIT(31)}, /* stp x29, x30, [sp, -48]! */
        {0xa94153f3, 31, -1, 16, 16, 0, true, false,
         1 << 19 | 1 << 20},                           /* ldp x19, x20, [sp, 16] */
        {0x3d800001, 0, -1, 16, 0, 0, false, true, 0}, /* str q1, [x0] */
        {0xad400400, 0, -1, 32, 0, 0, true, false, 0}, /* ldp q0, q1, [x0] */
        {0x4c40a000, 0, -1, 32, 0, 0, true, false, 0}, /* ld1 {v0.16b, v1.16b}, [x0] */
        {0x0d000020, 1, -1, 1, 0, 0, false, true, 0},  /* st1 {v0.b}[0], [x1] */
    };
    (void)state;
    for (size_t i = 0; i < COUNT_OF(all); i++) {
        Code code = one(all[i].word);
        RegSet changes = code.changes | (code.dst >= 0 ? REG_BIT(code.dst) : 0);
        assert_int_equal(code.memory.base, all[i].base);
        assert_int_equal(code.memory.index, all[i].index);
        assert_int_equal(code.memory.bytes, all[i].bytes);
        assert_int_equal(code.memory.displacement, all[i].displacement);
        assert_int_equal(code.step, all[i].step);
        assert_int_equal(code.memory.reads, all[i].reads);
        assert_int_equal(code.memory.writes, all[i].writes);
        assert_int_equal(changes, all[i].changes);
        assert_false(code.is_locked);
    }
}

/* Atomic ones, and what may be anywhere: whatever they do, nobody announces them. Only loads that
 * acquire, and are not exclusive, are told from those that write. */
static void test_atomic(void **state)
{
    static const uint32_t loads[] = {0x88dffc00,  /* ldar w0, [x0] */
                                     0xb8bfc000}; /* ldapr w0, [x0] */
    static const uint32_t all[] = {0x085ffc41,    /* ldaxrb w1, [x2] */
                                   0xc8017c62,    /* stxr w1, x2, [x3] */
                                   0x889ffc01,    /* stlr w1, [x0] */
                                   0xc8e07c41,    /* casa x0, x1, [x2] */
                                   0xb8e00041,    /* ldaddal w0, w1, [x2] */
                                   0xf8208041,    /* swp x0, x1, [x2] */
                                   0x19010440,    /* cpyfp [x0]!, [x1]!, x2! */
                                   0xa540a000,    /* ld1w {z0.s}, p0/z, [x0] */
                                   0x48207c82};   /* casp x0, x1, x2, x3, [x4] */
    (void)state;
    for (size_t i = 0; i < COUNT_OF(loads); i++) {
        Code code = one(loads[i]);
        assert_int_equal(code.memory.bytes, 4);
        assert_true(code.memory.reads && !code.memory.writes && code.is_locked);
    }
    for (size_t i = 0; i < COUNT_OF(all); i++) {
        Code code = one(all[i]);
        assert_true(code.memory.bytes && code.memory.reads && code.memory.writes);
        assert_true(code.is_locked);
    }
}

static void test_registers(void **state)
{
    (void)state;
    Code code = one(0xaa0103e0); /* mov x0, x1 */
    assert_true(code.kind == CODE_MOVE && code.dst == 0 && code.src == 1 && code.reads == 2);
    code = one(0x910003fd); /* mov x29, sp */
    assert_true(code.kind == CODE_MOVE && code.dst == 29 && code.src == A64_SP);
    code = one(0x910043e0); /* add x0, sp, 16 */
    assert_true(code.kind == CODE_ADDRESS && code.memory.base == A64_SP && code.dst == 0);
    assert_int_equal(code.memory.displacement, 16);
    code = one(0xd10083ff); /* sub sp, sp, 32 */
    assert_true(code.kind == CODE_ADD && code.dst == A64_SP && code.immediate == -32);
    code = one(0xf100041f); /* cmp x0, 1 */
    assert_true(code.kind == CODE_COMPARE && !code.changes && code.dst == REG_NONE);
    code = one(0xf2a00020); /* movk x0, 1, lsl 16: a part of x0 stays */
    assert_true(code.reads == 1 && code.changes == 1);
    code = one(0xb0000100); /* adrp x0, page + 0x21 */
    assert_true(code.is_page && code.dst == 0 && code.immediate == 0x421000);
    code = one(0xd53bd041); /* mrs x1, tpidr_el0 */
    assert_true(code.is_thread_pointer && code.dst == 1);
    code = one(0x9e660001); /* fmov x1, d0 */
    assert_true(code.changes == 2 && !code.reads);
    code = one(0x8b020c20); /* add x0, x1, x2, lsl 3: either may be an address */
    assert_true(code.kind == CODE_ADDRESS && code.memory.base == 1 && code.memory.index == 2);
}

static void test_flow(void **state)
{
    bool described;
    (void)state;
    Code code = one(0x94000003); /* bl . + 12 */
    assert_true(code.kind == CODE_CALL && code.flow == FLOW_NEXT && code.immediate == 0x40000c);
    code = one(0x17ffffff); /* b . - 4 */
    assert_true(code.flow == FLOW_JUMP && code.immediate == 0x3ffffc);
    code = one(0x54000040); /* b.eq . + 8 */
    assert_true(code.flow == FLOW_BRANCH && code.immediate == 0x400008);
    code = one(0xb4000060); /* cbz x0, . + 12 */
    assert_true(code.flow == FLOW_BRANCH && code.immediate == 0x40000c && code.reads == 1);
    code = one(0x36180040); /* tbz w0, 3, . + 8 */
    assert_true(code.flow == FLOW_BRANCH && code.immediate == 0x400008);
    code = one(0xd63f0020); /* blr x1 */
    assert_true(code.kind == CODE_CALL && code.reads == 2 && !code.is_direct);
    assert_int_equal(one(0xd61f0020).flow, FLOW_TABLE); /* br x1 */
    assert_int_equal(one(0xd65f03c0).flow, FLOW_RETURN);
    assert_int_equal(one(0xd4200020).flow, FLOW_END); /* brk 1 */
    decode(0xd4000001, &described);                   /* svc 0 */
    assert_false(described);
}

/* Which operands the runtime announces: those of plain loads and stores, at most 32 bytes, named by
 * registers that are not extended. */
static void test_operands(void **state)
{
    static const struct {
        uint32_t word;
        bool can_watch;
        unsigned bytes, writes, scale;
    } all[] = {
        {0xf9400401, true, 8, 0, 0},   /* ldr x1, [x0, 8] */
        {0xf8626820, true, 8, 0, 1},   /* ldr x0, [x1, x2] */
        {0xb8227820, true, 4, 1, 4},   /* str w0, [x1, x2, lsl 2] */
        {0x3ce27820, true, 16, 0, 16}, /* ldr q0, [x1, x2, lsl 4] */
        {0x7862d801, false, 2, 0, 0},  /* ldrh w1, [x0, w2, sxtw 1] */
        {0xa9010440, true, 16, 1, 0},  /* stp x0, x1, [x2, 16] */
        {0x4c40a000, true, 32, 0, 0},  /* ld1 {v0.16b, v1.16b}, [x0] */
        {0x4c402000, false, 64, 0, 0}, /* ld1 {v0.16b - v3.16b}, [x0] */
        {0x18000040, false, 4, 0, 0},  /* ldr w0, . + 8 */
        {0xb8e00041, false, 64, 1, 0}, /* ldaddal w0, w1, [x2] */
        {0x910043e0, false, 8, 0, 0},  /* add x0, sp, 16 */
    };
    (void)state;
    for (size_t i = 0; i < COUNT_OF(all); i++) {
        cs_insn in = {.address = 0x400000, .size = 4};
        IsaOperand operand = {.text = ""};
        memcpy(in.bytes, &all[i].word, sizeof all[i].word);
        a64_operand(&in, &operand);
        assert_int_equal(operand.can_watch, all[i].can_watch);
        assert_int_equal(operand.watch.bytes, all[i].bytes);
        assert_int_equal(operand.watch.writes, all[i].writes);
        assert_int_equal(operand.watch.scale, all[i].scale);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_memory), cmocka_unit_test(test_atomic),
                                       cmocka_unit_test(test_registers),
                                       cmocka_unit_test(test_flow),
                                       cmocka_unit_test(test_operands)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
