/* Dead stack bytes of AArch64 functions written in assembly: what is dead at the call marked with
 * a label is derived by hand from the few lines of each. Skipped without a cross assembler. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <cmocka.h>
#include "tool/instrument/liveness/liveness.h"

static const char support[] =
    ".text\n"
    "#define FUNCTION(name) .globl name; .type name, %function; name: .cfi_startproc\n"
    "#define END(name) .cfi_endproc; .size name, .-name\n"
    "#define YIELDS(name) FUNCTION(name); stp x29, x30, [sp, -16]!; bl fiber_yield; ldp x29, x30, "
    "[sp], 16; ret; END(name)\n"
    "FUNCTION(heddle__switch)\n ret\nEND(heddle__switch)\n"
    "FUNCTION(fiber_yield)\n b heddle__switch\nEND(fiber_yield)\n"
    "FUNCTION(abort)\n brk #1\nEND(abort)\n"
    "YIELDS(__tsan_write8)\nYIELDS(__tsan_atomic64_compare_exchange_strong)\nYIELDS(other)\n"
    "FUNCTION(takes_stack)\n ldr x0, [sp]\n stp x29, x30, [sp, -16]!\n bl fiber_yield\n"
    " ldp x29, x30, [sp], 16\n ret\nEND(takes_stack)\n"
    "FUNCTION(reads)\n ldr x1, [x0]\n mov x0, 0\n ret\nEND(reads)\n"
    "FUNCTION(reads_two)\n ldp x1, x2, [x0]\n mov x0, 0\n ret\nEND(reads_two)\n"
    "FUNCTION(writes)\n str xzr, [x0]\n mov x0, 0\n ret\nEND(writes)\n"
    "FUNCTION(steps)\n ldr x1, [x0], 8\n mov x0, 0\n ret\nEND(steps)\n"
    "FUNCTION(_start)\n brk #1\nEND(_start)\n"
    "FUNCTION(__tsan_func_entry)\n ret\nEND(__tsan_func_entry)\n"
    ".data\n.globl pointer\npointer: .quad other\n.text\n";

/* A frame of 64 bytes: the caller's frame pointer, the return address, 48 bytes from 16 on. */
#define ENTER " stp x29, x30, [sp, -64]!\n mov x29, sp\n"
#define LEAVE " ldp x29, x30, [sp], 64\n ret\n"
#define YIELD " bl fiber_yield\n at_call:\n"
#define GLOBAL " adrp x9, pointer\n add x9, x9, :lo12:pointer\n"
#define KEPT "; x29 live at 0; x30 live at 8"

static const struct {
    const char *what, *body, *expected;
} cases[] = {
    {"bytes that nobody reads", ENTER YIELD LEAVE, "64: 16+48" KEPT},
    {"a read", ENTER YIELD " ldr x0, [sp, 16]\n" LEAVE, "64: 24+40" KEPT},
    {"a read of two registers", ENTER YIELD " ldp x0, x1, [sp, 16]\n" LEAVE, "64: 32+32" KEPT},
    {"a read of two halves", ENTER YIELD " ldp w0, w1, [sp, 16]\n" LEAVE, "64: 24+40" KEPT},
    {"a write of two registers, then a read",
     ENTER YIELD " stp x0, x1, [sp, 16]\n ldp x2, x3, [sp, 16]\n" LEAVE, "64: 16+48" KEPT},
    {"a write of zeros, then a read",
     ENTER YIELD " stp xzr, xzr, [sp, 16]\n ldp x2, x3, [sp, 16]\n" LEAVE, "64: 16+48" KEPT},
    {"a write of half of what is read", ENTER YIELD " str w0, [sp, 16]\n ldr x1, [sp, 16]\n" LEAVE,
     "64: 16+4 24+40" KEPT},
    {"a read of two bytes", ENTER YIELD " ldrh w0, [sp, 18]\n" LEAVE, "64: 16+2 20+44" KEPT},
    {"a vector read", ENTER YIELD " ldr q0, [sp, 32]\n" LEAVE, "64: 16+16 48+16" KEPT},
    {"a vector write, then a read",
     ENTER YIELD " stp q0, q1, [sp, 16]\n ldp q2, q3, [sp, 16]\n" LEAVE, "64: 16+48" KEPT},
    {"a write that moves its base",
     ENTER YIELD " add x0, sp, 16\n str x1, [x0, 8]!\n ldr x2, [sp, 24]\n" LEAVE, "64: 16+48" KEPT},
    {"a read that moves its base, after which it reads further",
     ENTER " add x19, sp, 16\n" YIELD " ldr x1, [x19], 8\n ldr x1, [x19]\n" LEAVE, "nothing"},
    {"the same with a register that calls change",
     ENTER YIELD " add x0, sp, 16\n ldr x1, [x0], 16\n ldr x1, [x0]\n" LEAVE,
     "64: 24+8 40+24" KEPT},
    {"a read on one of two paths", ENTER YIELD " cbz x0, 1f\n ldr x0, [sp, 16]\n1:\n" LEAVE,
     "64: 24+40" KEPT},
    {"a read in the next round", ENTER "1: ldr x0, [sp, 16]\n" YIELD " cbnz x0, 1b\n" LEAVE,
     "64: 24+40" KEPT},
    {"the caller's registers, which are not changed",
     ENTER " stp x19, x20, [sp, 16]\n" YIELD " ldp x19, x20, [sp, 16]\n" LEAVE,
     "64: 32+32; x19 dead at 16; x20 dead at 24" KEPT},
    {"its own value in one of them",
     ENTER " stp x19, x20, [sp, 16]\n mov x19, x0\n" YIELD
           " mov x0, x19\n ldp x19, x20, [sp, 16]\n" LEAVE,
     "64: 32+32; x19 live at 16; x20 dead at 24" KEPT},
    {"they are saved one by one",
     ENTER " str x19, [sp, 16]\n mov x19, x0\n" YIELD " ldr x19, [sp, 16]\n" LEAVE,
     "64: 24+40; x19 dead at 16" KEPT},
    {"vector registers of the caller's, where only an exception leads out",
     ENTER " stp d8, d9, [sp, 16]\n" YIELD " bl abort\n", "64: 32+32" KEPT},
    {"one of them", ENTER " str d15, [sp, 16]\n" YIELD " bl abort\n", "64: 24+40" KEPT},
    {"other vector registers", ENTER " stp d7, d16, [sp, 16]\n" YIELD " bl abort\n",
     "64: 16+48" KEPT},
    {"an address, the first of two in a global",
     ENTER " add x0, sp, 16\n" GLOBAL " stp x0, x1, [x9]\n" YIELD LEAVE, "64:" KEPT},
    {"the second", ENTER " add x0, sp, 16\n" GLOBAL " stp x1, x0, [x9]\n" YIELD LEAVE, "64:" KEPT},
    {"an address stored beside another value, loaded alone, kept",
     ENTER " add x0, sp, 32\n stp x1, x0, [sp, 16]\n ldr x2, [sp, 24]\n" GLOBAL
           " str x2, [x9]\n" YIELD LEAVE,
     "64:" KEPT},
    {"an address stored alone, loaded beside another value, kept",
     ENTER " add x0, sp, 32\n str x0, [sp, 24]\n ldp x2, x3, [sp, 16]\n" GLOBAL
           " str x3, [x9]\n" YIELD LEAVE,
     "64:" KEPT},
    {"an address copied by vectors",
     ENTER " add x0, sp, 32\n str x0, [sp, 16]\n ldr q0, [sp, 16]\n" YIELD LEAVE, "64:" KEPT},
    {"an address behind the last byte",
     ENTER " add x0, sp, 64\n" GLOBAL " str x0, [x9]\n" YIELD LEAVE, "64:" KEPT},
    {"an address that has moved on, kept",
     ENTER " add x0, sp, 16\n ldr x1, [x0], 8\n" GLOBAL " str x0, [x9]\n" YIELD LEAVE, "64:" KEPT},
    {"an address given by x0", ENTER " add x0, sp, 16\n bl other\n" YIELD LEAVE, "64:" KEPT},
    {"by x7", ENTER " add x7, sp, 16\n bl other\n" YIELD LEAVE, "64:" KEPT},
    {"by x8, for a result", ENTER " add x8, sp, 16\n bl other\n" YIELD LEAVE, "64:" KEPT},
    {"by x18, to a nested function", ENTER " add x18, sp, 16\n bl other\n" YIELD LEAVE, "64:" KEPT},
    {"left in x9", ENTER " add x9, sp, 16\n bl other\n" YIELD LEAVE, "64: 16+48" KEPT},
    {"given to a hook", ENTER " add x0, sp, 16\n bl __tsan_write8\n" YIELD LEAVE, "64: 16+48" KEPT},
    {"the expected value of a compare-exchange",
     ENTER YIELD " add x1, sp, 16\n bl __tsan_atomic64_compare_exchange_strong\n" LEAVE,
     "64: 24+40" KEPT},
    {"lent to a function that reads", ENTER YIELD " add x0, sp, 16\n bl reads\n mov x0, 0\n" LEAVE,
     "64: 24+40" KEPT},
    {"that reads two registers", ENTER YIELD " add x0, sp, 16\n bl reads_two\n mov x0, 0\n" LEAVE,
     "64: 32+32" KEPT},
    {"that writes", ENTER YIELD " add x0, sp, 16\n bl writes\n ldr x0, [sp, 16]\n" LEAVE,
     "64: 16+48" KEPT},
    {"that moves the address", ENTER YIELD " add x0, sp, 16\n bl steps\n" LEAVE, "64:" KEPT},
    {"what the callee reads of the stack",
     " sub sp, sp, 80\n stp x29, x30, [sp, 16]\n bl takes_stack\n at_call:\n"
     " ldp x29, x30, [sp, 16]\n add sp, sp, 80\n ret\n",
     "80: 8+8 32+48; x29 dead at 16; x30 live at 24"},
    {"another return address", ENTER YIELD " ldr x29, [sp]\n add sp, sp, 64\n ret\n", "nothing"},
    {"a frame that is left behind", ENTER YIELD " ldp x29, x30, [sp]\n ret\n", "nothing"},
    {"a register that is not restored", ENTER " str x19, [sp, 16]\n mov x19, 0\n" YIELD LEAVE,
     "nothing"},
    {"its own return address, read before it is called",
     ENTER " mov x0, x30\n hint #7\n" YIELD LEAVE, "64: 16+48" KEPT},
};

static char folder[] = "/tmp/heddle-frames-XXXXXX";

static LivenessTable *analyse(Arena *arena, const char *body)
{
    char path[64], command[256];
    snprintf(path, sizeof path, "%s/p.S", folder);
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    fprintf(file,
            "%sFUNCTION(test)\n%s END(test)\nFUNCTION(user)\n stp x29, x30, [sp, -16]!\n"
            " bl __tsan_func_entry\n bl test\n ldp x29, x30, [sp], 16\n ret\nEND(user)\n"
            ".section .note.GNU-stack, \"\", %%progbits\n",
            support, body);
    assert_int_equal(fclose(file), 0);
    snprintf(command, sizeof command,
             "cd %s && aarch64-linux-gnu-gcc -nostdlib -static -no-pie -o p p.S && "
             "nm p | grep ' [tT] at_call' >label",
             folder);
    assert_int_equal(system(command), 0);
    snprintf(path, sizeof path, "%s/p", folder);
    Error error = {0};
    LivenessTable *table = NULL;
    assert_true(liveness_analyse(arena, path, &table, &error));
    return table;
}

static const LivenessEntry *marked_entry(const LivenessTable *table)
{
    char path[64];
    unsigned long address = 0;
    snprintf(path, sizeof path, "%s/label", folder);
    FILE *file = fopen(path, "r");
    assert_non_null(file);
    assert_int_equal(fscanf(file, "%lx", &address), 1);
    fclose(file);
    for (uint32_t i = 0; i < table->entry_count; i++)
        if (liveness_entries(table)[i].address == address)
            return &liveness_entries(table)[i];
    return NULL;
}

/* "64: 16+8 32+8; x19 dead at 16": frame size, dead bytes, registers that are not the caller's. */
static void describe(const LivenessTable *table, const LivenessEntry *e, char *text, size_t room)
{
    enum { FIRST = 19, LAST = 30 };
    if (!e) {
        snprintf(text, room, "nothing");
        return;
    }
    size_t n = (size_t)snprintf(text, room, "%u:", e->frame_bytes);
    for (unsigned i = 0; i < e->range_count; i++) {
        const LivenessRange *range = &liveness_ranges(table)[e->first_range + i];
        n += (size_t)snprintf(text + n, room - n, " %u+%u", range->offset, range->bytes);
    }
    for (int r = 0; r <= LAST - FIRST; r++)
        if (e->saved[r] != LIVENESS_KEPT)
            n += (size_t)snprintf(text + n, room - n, "; x%d %s at %d", FIRST + r,
                                  e->dead >> r & 1 ? "dead" : "live", e->saved[r]);
}

static void test_cases(void **state)
{
    (void)state;
    int bad = 0;
    if (system("command -v aarch64-linux-gnu-gcc >/dev/null"))
        skip();
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        Arena *arena = arena_new();
        char text[512];
        const LivenessTable *table = analyse(arena, cases[i].body);
        describe(table, marked_entry(table), text, sizeof text);
        if (strcmp(text, cases[i].expected) && ++bad)
            print_error("%s: %s, not %s\n", cases[i].what, text, cases[i].expected);
        arena_free(arena);
    }
    assert_int_equal(bad, 0);
}

int main(void)
{
    if (!mkdtemp(folder))
        return 2;
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_cases)};
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    char command[128];
    snprintf(command, sizeof command, "rm -rf %s", folder);
    return system(command) || failed ? 1 : 0;
}
