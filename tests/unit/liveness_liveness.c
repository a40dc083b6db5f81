/* The analysis of dead stack bytes on functions written in assembly: what is dead at the call
 * marked with a label is derived by hand from the few lines of each; random functions are compared
 * with a search over their paths. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <cmocka.h>
#include "base/hash.h"
#include "tool/instrument/liveness/liveness.h"

/* What every program needs: the runtime's way to the explorer, as far as the analysis looks at it.
 */
static const char support[] =
    ".text\n"
    "#define FUNCTION(name) .globl name; .type name, @function; name: .cfi_startproc\n"
    "#define END(name) .cfi_endproc; .size name, .-name\n"
    "FUNCTION(heddle__switch)\n ret\nEND(heddle__switch)\n"
    "FUNCTION(fiber_yield)\n jmp heddle__switch\nEND(fiber_yield)\n"
    "FUNCTION(abort)\n ud2\nEND(abort)\n"
    "FUNCTION(_setjmp)\n xor %eax, %eax\n ret\nEND(_setjmp)\n"
    "#define HOOK(name) FUNCTION(name); sub $8, %rsp; call fiber_yield; add $8, %rsp; ret; "
    "END(name)\n"
    "HOOK(__tsan_read8)\nHOOK(__tsan_write8)\nHOOK(other)\n"
    "HOOK(__tsan_atomic64_compare_exchange_strong)\nHOOK(__tsan_atomic32_compare_exchange_weak)\n"
    "FUNCTION(takes_stack)\n mov 8(%rsp), %rax\n sub $8, %rsp\n call fiber_yield\n add $8, %rsp\n"
    " ret\nEND(takes_stack)\n"
    "FUNCTION(reads)\n mov (%rdi), %rax\n xor %eax, %eax\n ret\nEND(reads)\n"
    "FUNCTION(writes)\n movq $0, (%rdi)\n ret\nEND(writes)\n"
    "FUNCTION(writes_half)\n movl $0, (%rdi)\n ret\nEND(writes_half)\n"
    "FUNCTION(writes_perhaps)\n test %esi, %esi\n je 1f\n movq $0, (%rdi)\n1: ret\n"
    "END(writes_perhaps)\n"
    "FUNCTION(copies)\n mov (%rsi), %rax\n mov %rax, (%rdi)\n xor %eax, %eax\n ret\n"
    "END(copies)\n"
    "FUNCTION(keeps)\n mov %rdi, pointer(%rip)\n ret\nEND(keeps)\n"
    "FUNCTION(keeps_a_part)\n lea 8(%rdi), %rax\n mov %rax, pointer(%rip)\n ret\n"
    "END(keeps_a_part)\n"
    "FUNCTION(keeps_perhaps)\n mov %rdi, %rax\n test %esi, %esi\n je 1f\n xor %eax, %eax\n"
    "1: mov %rax, pointer(%rip)\n ret\nEND(keeps_perhaps)\n"
    "FUNCTION(stores_in_other)\n mov %rdi, (%rsi)\n ret\nEND(stores_in_other)\n"
    "FUNCTION(reaches_back)\n mov -8(%rdi), %rax\n ret\nEND(reaches_back)\n"
    "FUNCTION(indexes)\n mov (%rdi,%rsi,8), %rax\n ret\nEND(indexes)\n"
    "FUNCTION(gives_back)\n mov %rdi, %rax\n ret\nEND(gives_back)\n"
    "FUNCTION(passes_on)\n sub $8, %rsp\n call reads\n add $8, %rsp\n ret\nEND(passes_on)\n"
    "FUNCTION(jumps_on)\n jmp reads\nEND(jumps_on)\n"
    "FUNCTION(reads_late)\n push %rbx\n mov %rdi, %rbx\n xor %edi, %edi\n call fiber_yield\n"
    " mov (%rbx), %rax\n xor %eax, %eax\n pop %rbx\n ret\nEND(reads_late)\n"
    "FUNCTION(_start)\n ud2\nEND(_start)\n"
    "FUNCTION(__tsan_func_entry)\n ret\nEND(__tsan_func_entry)\n"
    ".data\n.globl pointer\npointer: .quad other\n.text\n";

static char folder[] = "/tmp/heddle-liveness-XXXXXX";

/* Assembles SOURCE with the support and returns its table. */
static LivenessTable *analyse(Arena *arena, const char *source)
{
    char path[64], command[256];
    snprintf(path, sizeof path, "%s/p.S", folder);
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    fprintf(file, "%s%s\n.section .note.GNU-stack, \"\", @progbits\n", support, source);
    assert_int_equal(fclose(file), 0);
    snprintf(command, sizeof command,
             "cd %s && gcc -nostdlib -static -no-pie -o p p.S && nm p | grep ' [tT] at' >labels",
             folder);
    assert_int_equal(system(command), 0);
    snprintf(path, sizeof path, "%s/p", folder);
    Error error = {0};
    LivenessTable *table = NULL;
    assert_true(liveness_analyse(arena, path, &table, &error));
    return table;
}

static const LivenessEntry *entry_at(const LivenessTable *table, const char *label)
{
    char path[64], name[64];
    snprintf(path, sizeof path, "%s/labels", folder);
    FILE *file = fopen(path, "r");
    assert_non_null(file);
    unsigned long address, found = 0;
    while (fscanf(file, "%lx %*c %63s", &address, name) == 2)
        if (!strcmp(name, label))
            found = address;
    fclose(file);
    assert_true(found);
    for (uint32_t i = 0; i < table->entry_count; i++)
        if (liveness_entries(table)[i].address == found)
            return &liveness_entries(table)[i];
    return NULL;
}

/* "48: 0+8 16+24; rbx dead at 8": frame size, dead bytes, registers that are not the caller's. */
static void describe(const LivenessTable *table, const LivenessEntry *e, char *text, size_t room)
{
    static const char *const names[] = {"r15", "r14", "r13", "r12", "rbx", "rbp"};
    if (!e) {
        snprintf(text, room, "nothing");
        return;
    }
    size_t n = (size_t)snprintf(text, room, "%u:", e->frame_bytes);
    for (unsigned i = 0; i < e->range_count; i++) {
        const LivenessRange *range = &liveness_ranges(table)[e->first_range + i];
        n += (size_t)snprintf(text + n, room - n, " %u+%u", range->offset, range->bytes);
    }
    for (size_t r = 0; r < COUNT_OF(names); r++) {
        if (e->saved[r] == LIVENESS_KEPT)
            continue;
        n += (size_t)snprintf(text + n, room - n, "; %s %s", names[r],
                              e->dead >> r & 1 ? "dead" : "live");
        n += e->saved[r] == LIVENESS_LOST
                 ? (size_t)snprintf(text + n, room - n, " lost")
                 : (size_t)snprintf(text + n, room - n, " at %d", e->saved[r]);
    }
}

typedef struct Case {
    const char *what, *body, *expected;
} Case;

/* Frame of 40 bytes, so the stack pointer is 48 below the CFA. */
#define ENTER " sub $40, %rsp\n"
#define LEAVE " add $40, %rsp\n ret\n"
#define YIELD " call fiber_yield\n at_call:\n"
#define LEND(to) " lea 8(%rsp), %rdi\n call " to "\n xor %edi, %edi\n"

/* Somebody instrumented calls the functions; else they would not be looked at. */
#define INSTRUMENTED "FUNCTION(user)\n sub $8, %%rsp\n call __tsan_func_entry\n"
#define LAST " add $8, %%rsp\n ret\nEND(user)\n"

static const Case cases[] = {
    {"bytes that nobody reads", ENTER YIELD LEAVE, "48: 0+40"},
    {"a read", ENTER YIELD " mov 8(%rsp), %rax\n" LEAVE, "48: 0+8 16+24"},
    {"a write, then a read", ENTER YIELD " mov %rax, 8(%rsp)\n mov 8(%rsp), %rcx\n" LEAVE,
     "48: 0+40"},
    {"a write of half of what is read",
     ENTER YIELD " movl %eax, 8(%rsp)\n mov 8(%rsp), %rcx\n" LEAVE, "48: 0+12 16+24"},
    {"a read of two bytes", ENTER YIELD " movzwl 10(%rsp), %eax\n" LEAVE, "48: 0+10 12+28"},
    {"addition to memory reads it", ENTER YIELD " addq $1, 8(%rsp)\n" LEAVE, "48: 0+8 16+24"},
    {"a vector read", ENTER YIELD " movups 8(%rsp), %xmm0\n" LEAVE, "48: 0+8 24+16"},
    {"a vector write", ENTER YIELD " movups %xmm0, 8(%rsp)\n mov 16(%rsp), %rax\n" LEAVE,
     "48: 0+40"},
    {"a read on one of two paths",
     ENTER YIELD " test %eax, %eax\n je 1f\n mov 8(%rsp), %rax\n1:\n" LEAVE, "48: 0+8 16+24"},
    {"a read in the next round",
     ENTER "1: mov 8(%rsp), %rdi\n" YIELD " test %eax, %eax\n jne 1b\n" LEAVE, "48: 0+8 16+24"},
    {"a write in the next round",
     ENTER "1: mov %rax, 8(%rsp)\n mov 8(%rsp), %rdi\n" YIELD " test %eax, %eax\n jne 1b\n" LEAVE,
     "48: 0+40"},
    {"an address given to unknown code",
     ENTER " lea 8(%rsp), %rdi\n call *pointer(%rip)\n" YIELD LEAVE, "48:"},
    {"an address given to a function of ours",
     ENTER " lea 8(%rsp), %rdi\n call other\n" YIELD LEAVE, "48:"},
    {"an address in a global", ENTER " lea 8(%rsp), %rax\n mov %rax, pointer(%rip)\n" YIELD LEAVE,
     "48:"},
    {"an address in a vector register", ENTER " lea 8(%rsp), %rax\n movq %rax, %xmm0\n" YIELD LEAVE,
     "48:"},
    {"an address given to a hook",
     ENTER YIELD
     " lea 8(%rsp), %rdi\n call __tsan_write8\n mov %rax, 8(%rsp)\n mov 8(%rsp), %rax\n" LEAVE,
     "48: 0+40"},
    {"the expected value of a compare-exchange",
     ENTER YIELD " lea 8(%rsp), %rsi\n call __tsan_atomic64_compare_exchange_strong\n" LEAVE,
     "48: 0+8 16+24"},
    {"one of four bytes",
     ENTER YIELD " lea 8(%rsp), %rsi\n call __tsan_atomic32_compare_exchange_weak\n" LEAVE,
     "48: 0+8 12+28"},
    {"an address as the desired value",
     ENTER " lea 8(%rsp), %rdx\n call __tsan_atomic64_compare_exchange_strong\n" YIELD LEAVE,
     "48:"},
    {"an array", ENTER " mov (%rsp,%rcx,8), %rax\n" YIELD LEAVE, "48:"},
    {"a pointer that walks",
     ENTER
     " mov %rsp, %rax\n1: add $8, %rax\n cmp %rcx, %rax\n jne 1b\n mov (%rax), %rdx\n" YIELD LEAVE,
     "48:"},
    {"an address kept in the frame",
     ENTER " lea 8(%rsp), %rax\n mov %rax, 16(%rsp)\n" YIELD
           " mov 16(%rsp), %rax\n mov (%rax), %rcx\n" LEAVE,
     "48: 0+8 24+16"},
    {"one of two addresses, written through",
     ENTER " lea 8(%rsp), %rax\n test %edi, %edi\n je 1f\n lea 16(%rsp), %rax\n1: mov %rax, "
           "24(%rsp)\n" YIELD " mov 24(%rsp), %rcx\n movq $0, (%rcx)\n mov 8(%rsp), %rax\n" LEAVE,
     "48: 0+8 16+8 32+8"},
    {"string instructions",
     ENTER YIELD " mov %rsp, %rdi\n mov $2, %ecx\n rep stosq\n mov 8(%rsp), %rax\n" LEAVE, "48:"},
    {"saved registers",
     " push %rbx\n push %rbp\n sub $8, %rsp\n mov %rdi, %rbx\n" YIELD
     " mov %rbx, %rax\n add $8, %rsp\n pop %rbp\n pop %rbx\n ret\n",
     "32: 0+8; rbx live at 16; rbp dead at 8"},
    {"a register overwritten in halves",
     " push %rbx\n" YIELD " mov %eax, %ebx\n mov %rbx, %rax\n pop %rbx\n ret\n",
     "16:; rbx dead at 0"},
    {"a register overwritten perhaps",
     " push %rbx\n mov %rdi, %rbx\n" YIELD " cmove %rax, %rbx\n mov %rbx, %rax\n pop %rbx\n ret\n",
     "16:; rbx live at 0"},
    {"one byte of a register",
     " push %rbx\n mov %rdi, %rbx\n" YIELD " mov %al, %bl\n mov %rbx, %rax\n pop %rbx\n ret\n",
     "16:; rbx live at 0"},
    {"a register that is saved on one path only",
     " test %edi, %edi\n je 1f\n push %r12\n mov %rdi, %r12\n" YIELD
     " mov %r12, %rax\n pop %r12\n ret\n1: sub $8, %rsp\n call fiber_yield\n add $8, %rsp\n ret\n",
     "16:; r12 live at 0"},
    {"a frame with a frame pointer",
     " push %rbp\n mov %rsp, %rbp\n sub $16, %rsp\n" YIELD " mov -8(%rbp), %rax\n leave\n ret\n",
     "32: 0+8; rbp live at 16"},
    {"arguments on the stack",
     " sub $8, %rsp\n push $5\n call takes_stack\nat_call:\n add $16, %rsp\n ret\n", "24: 8+8"},
    {"unknown code may have arguments on the stack",
     ENTER " call *pointer(%rip)\nat_call:\n call fiber_yield\n" LEAVE, "48:"},
    {"no way back but by unwinding", " push %rbx\n" YIELD " call abort\n", "16:; rbx dead at 0"},
    {"the unwinder needs the frame pointer",
     " push %rbp\n mov %rsp, %rbp\n sub $16, %rsp\n" YIELD " call abort\n",
     "32: 0+16; rbp live at 16"},
    {"a tail call", ENTER YIELD " add $40, %rsp\n jmp other\n", "48: 0+40"},
    {"a jump table",
     ENTER YIELD " cmp $1, %eax\n ja 2f\n lea table(%rip), %rdx\n movslq (%rdx,%rax,4), %rax\n"
                 " add %rdx, %rax\n jmp *%rax\n1: mov 8(%rsp), %rax\n2:\n" LEAVE
                 " .section .rodata\n .align 4\ntable: .long 2b-table, 1b-table\n .text\n",
     "48: 0+8 16+24"},
    {"an unknown jump", ENTER YIELD " jmp *%rax\n", "nothing"},
    {"a stack pointer that is computed",
     " push %rbp\n mov %rsp, %rbp\n sub %rdi, %rsp\n" YIELD " leave\n ret\n", "nothing"},
    {"setjmp", ENTER " call _setjmp\n" YIELD LEAVE, "nothing"},
    {"a return with something on the stack", ENTER YIELD " ret\n", "nothing"},
    {"a register that is not given back",
     " sub $8, %rsp\n mov %rdi, %rbx\n" YIELD " add $8, %rsp\n ret\n", "nothing"},
    {"an exception table that names no handler",
     " .cfi_personality 3, other\n .cfi_lsda 3, table\n" ENTER YIELD LEAVE
     " .section .gcc_except_table,\"a\"\ntable: .byte 255, 255, 1, 0\n .text\n",
     "48: 0+40"},
    {"a landing pad",
     " .cfi_personality 3, other\n .cfi_lsda 3, table\n" ENTER "1:\n" YIELD "2:\n" LEAVE
     "3: mov 8(%rsp), %rdi\n call abort\n"
     " .section .gcc_except_table,\"a\"\ntable: .byte 255, 255, 1\n .uleb128 5f-4f\n4:\n"
     " .uleb128 1b-test\n .uleb128 2b-1b\n .uleb128 3b-test\n .uleb128 0\n5:\n .text\n",
     "48: 0+8 16+24"},
    {"a landing pad of another call",
     " .cfi_personality 3, other\n .cfi_lsda 3, table\n" ENTER YIELD "1: call other\n2:\n" LEAVE
     "3: mov 8(%rsp), %rdi\n call abort\n"
     " .section .gcc_except_table,\"a\"\ntable: .byte 255, 255, 1\n .uleb128 5f-4f\n4:\n"
     " .uleb128 1b-test\n .uleb128 2b-1b\n .uleb128 3b-test\n .uleb128 0\n5:\n .text\n",
     "48: 0+8 16+24"},
    {"a landing pad that is not in the function",
     " .cfi_personality 3, other\n .cfi_lsda 3, table\n" ENTER "1:\n" YIELD "2:\n" LEAVE
     " .section .gcc_except_table,\"a\"\ntable: .byte 255, 255, 1\n .uleb128 5f-4f\n4:\n"
     " .uleb128 1b-test\n .uleb128 2b-1b\n .uleb128 4000\n .uleb128 0\n5:\n .text\n",
     "48:"},
    {"an exception may meet pushed arguments",
     " .cfi_personality 3, other\n .cfi_lsda 3, table\n" ENTER " push $1\n push $2\n"
     "1: call *pointer(%rip)\n2: add $16, %rsp\n" YIELD LEAVE "3: mov 8(%rsp), %rdi\n call abort\n"
     " .section .gcc_except_table,\"a\"\ntable: .byte 255, 255, 1\n .uleb128 5f-4f\n4:\n"
     " .uleb128 1b-test\n .uleb128 2b-1b\n .uleb128 3b-test\n .uleb128 0\n5:\n .text\n",
     "48:"},
    {"an object that is lent and read", ENTER YIELD LEND("reads") LEAVE, "48: 0+8 16+24"},
    {"one that is written, then read", ENTER YIELD LEND("writes") " mov 8(%rsp), %rax\n" LEAVE,
     "48: 0+40"},
    {"one of which half is written", ENTER YIELD LEND("writes_half") " mov 8(%rsp), %rax\n" LEAVE,
     "48: 0+12 16+24"},
    {"one that is written on one of two paths",
     ENTER YIELD LEND("writes_perhaps") " mov 8(%rsp), %rax\n" LEAVE, "48: 0+8 16+24"},
    {"one that is copied to another",
     ENTER YIELD " lea 24(%rsp), %rsi\n" LEND("copies") " mov 8(%rsp), %rax\n" LEAVE,
     "48: 0+24 32+8"},
    {"one that is copied to itself",
     ENTER YIELD " lea 8(%rsp), %rsi\n" LEND("copies") " mov 8(%rsp), %rax\n" LEAVE,
     "48: 0+8 16+24"},
    {"one that is kept", ENTER LEND("keeps") YIELD LEAVE, "48:"},
    {"one of which a part is kept", ENTER LEND("keeps_a_part") YIELD LEAVE, "48:"},
    {"one that is kept on one of two paths", ENTER LEND("keeps_perhaps") YIELD LEAVE, "48:"},
    {"one whose address is put into another",
     ENTER " lea 24(%rsp), %rsi\n" LEND("stores_in_other") YIELD LEAVE, "48:"},
    {"one that is left at its lower end", ENTER LEND("reaches_back") YIELD LEAVE, "48:"},
    {"one that is an array", ENTER LEND("indexes") YIELD LEAVE, "48:"},
    {"one that is given back and read", ENTER YIELD LEND("gives_back") " mov (%rax), %rcx\n" LEAVE,
     "48: 0+8 16+24"},
    {"one that is given back and kept",
     ENTER LEND("gives_back") " mov %rax, pointer(%rip)\n" YIELD LEAVE, "48:"},
    {"one that is lent further", ENTER YIELD LEND("passes_on") LEAVE, "48: 0+8 16+24"},
    {"one that is given to a tail call", ENTER LEND("jumps_on") YIELD LEAVE, "48:"},
    {"one that is lent at present", ENTER " lea 8(%rsp), %rdi\n call reads_late\nat_call:\n" LEAVE,
     "48: 0+8 16+24"},
    {"one that was lent", ENTER LEND("reads_late") YIELD LEAVE, "48: 0+40"},
    {"an address in an object that is lent",
     ENTER " lea 24(%rsp), %rax\n mov %rax, 8(%rsp)\n" LEND("reads") YIELD LEAVE, "48:"},
    {"a landing pad sees what was perhaps not written",
     " .cfi_personality 3, other\n .cfi_lsda 3, table\n" ENTER YIELD " lea 8(%rsp), %rdi\n"
     "1: call writes\n2:\n" LEAVE "3: mov 8(%rsp), %rdi\n call abort\n"
     " .section .gcc_except_table,\"a\"\ntable: .byte 255, 255, 1\n .uleb128 5f-4f\n4:\n"
     " .uleb128 1b-test\n .uleb128 2b-1b\n .uleb128 3b-test\n .uleb128 0\n5:\n .text\n",
     "48: 0+8 16+24"},
};

static void test_cases(void **state)
{
    (void)state;
    int bad = 0;
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        Arena *arena = arena_new();
        char *source = arena_printf(
                 arena, "FUNCTION(test)\n%s END(test)\n" INSTRUMENTED " call test\n" LAST,
                 cases[i].body),
             text[512];
        const LivenessTable *table = analyse(arena, source);
        describe(table, entry_at(table, "at_call"), text, sizeof text);
        if (strcmp(text, cases[i].expected) && ++bad)
            print_error("%s: %s, not %s\n", cases[i].what, text, cases[i].expected);
        arena_free(arena);
    }
    assert_int_equal(bad, 0);
}

/* ---- random functions against a search over paths ---- */

enum { STEPS = 24, FRAME = 40 };
typedef enum StepKind {
    STEP_READ,
    STEP_WRITE,
    STEP_BRANCH,
    STEP_JUMP,
    STEP_CALL,
    STEP_LEND, /* calls function number `target` with the address of what is at `offset` */
    STEP_KINDS
} StepKind;
typedef struct Step {
    StepKind kind;
    int offset, bytes, target;
} Step;

/* Functions that are lent 16 bytes have some of these steps, on their argument. */
enum { LENT_STEPS = 8, LENT_FUNCTIONS = 12, LENT = 16 };

static void make_access(Random *random, Step *s, int room)
{
    s->bytes = 1 << random_below(random, 4);
    s->offset = (int)random_below(random, (uint64_t)(room - s->bytes + 1));
}

static void make_steps(Random *random, Step *steps)
{
    for (int i = 0; i < STEPS; i++) {
        Step *s = &steps[i];
        uint64_t roll = random_below(random, 18);
        s->kind = roll < 4    ? STEP_READ
                  : roll < 10 ? STEP_WRITE
                  : roll < 12 ? STEP_BRANCH
                  : roll < 13 ? STEP_JUMP
                  : roll < 16 ? STEP_CALL
                              : STEP_LEND;
        make_access(random, s, FRAME);
        s->target = (int)random_below(random, STEPS + 1);
        if (s->kind != STEP_LEND)
            continue;
        s->offset = (int)random_below(random, FRAME - LENT + 1);
        s->target = (int)random_below(random, LENT_FUNCTIONS);
    }
}

/* Those with a larger number lend their argument further to those before. */
static void make_lent_steps(Random *random, Step *steps, int number)
{
    for (int i = 0; i < LENT_STEPS; i++) {
        Step *s = &steps[i];
        uint64_t roll = random_below(random, 12);
        s->kind = roll < 2                   ? STEP_READ
                  : roll < 7                 ? STEP_WRITE
                  : roll < 9                 ? STEP_BRANCH
                  : roll < 10 && number >= 6 ? STEP_LEND
                                             : STEP_KINDS; /* nothing */
        make_access(random, s, LENT);
        s->target = (int)random_below(random, LENT_STEPS + 1);
        if (s->kind == STEP_LEND)
            s->target = (int)random_below(random, 6);
    }
}

static const char *const reads[] = {"movzbl", "movzwl", "mov", "mov"};
static const char *const into[] = {"eax", "eax", "eax", "rax"};
static const char *const from[] = {"al", "ax", "eax", "rax"};

static char *print_steps(Arena *arena, const Step *steps, int number)
{
    char *text = arena_printf(arena, "FUNCTION(test%d)\n sub $%d, %%rsp\n", number, FRAME),
         line[96];
    for (int i = 0; i < STEPS; i++) {
        const Step *s = &steps[i];
        int size = __builtin_ctz((unsigned)s->bytes);
        line[0] = 0;
        if (s->kind == STEP_READ)
            snprintf(line, sizeof line, "%s %d(%%rsp), %%%s", reads[size], s->offset, into[size]);
        else if (s->kind == STEP_WRITE)
            snprintf(line, sizeof line, "mov %%%s, %d(%%rsp)", from[size], s->offset);
        else if (s->kind == STEP_CALL)
            snprintf(line, sizeof line, "call fiber_yield\nat%d_%d:", number, i);
        else if (s->kind == STEP_LEND)
            snprintf(line, sizeof line,
                     "lea %d(%%rsp), %%rdi\n call lent%d\nat%d_%d: xor %%edi, %%edi", s->offset,
                     s->target, number, i);
        else
            snprintf(line, sizeof line, "%s .L%d_%d", s->kind == STEP_JUMP ? "jmp" : "je", number,
                     s->target);
        text = arena_printf(arena, "%s.L%d_%d: %s\n", text, number, i, line);
    }
    return arena_printf(arena, "%s.L%d_%d: add $%d, %%rsp\n ret\nEND(test%d)\n", text, number,
                        STEPS, FRAME, number);
}

/* The address is kept in rbx, and now and then in the frame. */
static char *print_lent_steps(Arena *arena, const Step *steps, int number)
{
    char *text = arena_printf(arena,
                              "FUNCTION(lent%d)\n push %%rbx\n sub $16, %%rsp\n"
                              " mov %%rdi, 8(%%rsp)\n mov 8(%%rsp), %%rbx\n xor %%edi, %%edi\n",
                              number),
         line[96];
    for (int i = 0; i < LENT_STEPS; i++) {
        const Step *s = &steps[i];
        int size = __builtin_ctz((unsigned)s->bytes);
        line[0] = 0;
        if (s->kind == STEP_READ)
            snprintf(line, sizeof line, "%s %d(%%rbx), %%%s", reads[size], s->offset, into[size]);
        else if (s->kind == STEP_WRITE)
            snprintf(line, sizeof line, "mov %%%s, %d(%%rbx)", from[size], s->offset);
        else if (s->kind == STEP_LEND)
            snprintf(line, sizeof line, "mov 8(%%rsp), %%rdi\n call lent%d\n xor %%edi, %%edi",
                     s->target);
        else if (s->kind == STEP_BRANCH)
            snprintf(line, sizeof line, "je .M%d_%d", number, s->target);
        text = arena_printf(arena, "%s.M%d_%d: %s\n", text, number, i, line);
    }
    return arena_printf(arena,
                        "%s.M%d_%d: xor %%eax, %%eax\n add $16, %%rsp\n pop %%rbx\n ret\n"
                        "END(lent%d)\n",
                        text, number, LENT_STEPS, number);
}

static Step lent_steps[LENT_FUNCTIONS][LENT_STEPS];

/* Does a path of lent function F from step AT on read BYTE before it writes it? *PASSES: one comes
 * to its end without. *TOUCHED: one touches it. */
static bool lent_reads(int f, int at, int byte, bool *seen, bool *passes, bool *touched)
{
    bool result = false;
    while (at < LENT_STEPS && !seen[at]) {
        seen[at] = true;
        const Step *s = &lent_steps[f][at++];
        bool touches = (s->kind == STEP_READ || s->kind == STEP_WRITE) && byte >= s->offset &&
                       byte < s->offset + s->bytes;
        if (touches) {
            *touched = true;
            return result || s->kind == STEP_READ;
        }
        if (s->kind == STEP_BRANCH)
            result |= lent_reads(f, s->target, byte, seen, passes, touched);
        if (s->kind == STEP_LEND) {
            bool visited[LENT_STEPS + 1] = {false}, through = false;
            result |= lent_reads(s->target, 0, byte, visited, &through, touched);
            if (!through)
                return result;
        }
    }
    *passes |= at == LENT_STEPS;
    return result;
}

/* May lent function F touch BYTE at all? */
static bool lent_touches(int f, int byte)
{
    bool seen[LENT_STEPS + 1] = {false};
    int todo[LENT_STEPS * 2 + 2] = {0}, count = 1;
    while (count) {
        int at = todo[--count];
        if (at >= LENT_STEPS || seen[at])
            continue;
        seen[at] = true;
        const Step *s = &lent_steps[f][at];
        if ((s->kind == STEP_READ || s->kind == STEP_WRITE) && byte >= s->offset &&
            byte < s->offset + s->bytes)
            return true;
        if (s->kind == STEP_LEND && lent_touches(s->target, byte))
            return true;
        if (s->kind == STEP_BRANCH)
            todo[count++] = s->target;
        todo[count++] = at + 1;
    }
    return false;
}

/* Can BYTE be read from step AT on before it is written? */
static bool may_read(const Step *steps, int at, int byte, bool *seen)
{
    while (at < STEPS && !seen[at]) {
        seen[at] = true;
        const Step *s = &steps[at];
        bool touches = (s->kind == STEP_READ || s->kind == STEP_WRITE) && byte >= s->offset &&
                       byte < s->offset + s->bytes;
        if (touches)
            return s->kind == STEP_READ;
        if (s->kind == STEP_LEND && byte >= s->offset && byte < s->offset + LENT) {
            bool visited[LENT_STEPS + 1] = {false}, passes = false, touched = false;
            if (lent_reads(s->target, 0, byte - s->offset, visited, &passes, &touched))
                return true;
            if (!passes)
                return false;
        }
        if (s->kind == STEP_BRANCH && may_read(steps, s->target, byte, seen))
            return true;
        at = s->kind == STEP_JUMP ? s->target : at + 1;
    }
    return false;
}

static bool reachable(const Step *steps, int at, int goal, bool *seen)
{
    while (at < STEPS && !seen[at]) {
        seen[at] = true;
        if (at == goal)
            return true;
        if (steps[at].kind == STEP_BRANCH && reachable(steps, steps[at].target, goal, seen))
            return true;
        at = steps[at].kind == STEP_JUMP ? steps[at].target : at + 1;
    }
    return false;
}

/* Is BYTE live while the call of step I goes on? */
static bool is_live(const Step *steps, int i, int byte)
{
    bool visited[STEPS + 1] = {false};
    const Step *s = &steps[i];
    bool lent = s->kind == STEP_LEND && byte >= s->offset && byte < s->offset + LENT &&
                lent_touches(s->target, byte - s->offset);
    return lent || may_read(steps, i + 1, byte, visited);
}

static void test_random(void **state)
{
    (void)state;
    enum { FUNCTIONS = 200 };
    static Step steps[FUNCTIONS][STEPS];
    const char *seed = getenv("HEDDLE_SEED");
    Random random = {seed ? (uint64_t)atoll(seed) : 20};
    Arena *arena = arena_new();
    char *source = arena_copy(arena, "", 1);
    for (int f = 0; f < LENT_FUNCTIONS; f++) {
        make_lent_steps(&random, lent_steps[f], f);
        source = arena_printf(arena, "%s%s", source, print_lent_steps(arena, lent_steps[f], f));
    }
    for (int f = 0; f < FUNCTIONS; f++) {
        make_steps(&random, steps[f]);
        source = arena_printf(arena, "%s%s", source, print_steps(arena, steps[f], f));
    }
    source = arena_printf(arena, "%s" INSTRUMENTED, source);
    for (int f = 0; f < FUNCTIONS; f++)
        source = arena_printf(arena, "%s call test%d\n", source, f);
    const LivenessTable *table = analyse(arena, arena_printf(arena, "%s" LAST, source));
    unsigned compared = 0, dead = 0, lent = 0;
    for (int f = 0; f < FUNCTIONS; f++)
        for (int i = 0; i < STEPS; i++) {
            bool seen[STEPS + 1] = {false};
            StepKind kind = steps[f][i].kind;
            if ((kind != STEP_CALL && kind != STEP_LEND) || !reachable(steps[f], 0, i, seen))
                continue;
            char label[32];
            snprintf(label, sizeof label, "at%d_%d", f, i);
            const LivenessEntry *e = entry_at(table, label);
            assert_non_null(e);
            assert_int_equal(e->frame_bytes, FRAME + 8);
            bool is_dead[FRAME] = {false};
            for (unsigned k = 0; k < e->range_count; k++) {
                const LivenessRange *range = &liveness_ranges(table)[e->first_range + k];
                memset(is_dead + range->offset, 1, range->bytes);
            }
            lent += kind == STEP_LEND;
            for (int byte = 0; byte < FRAME; byte++, compared++, dead += is_dead[byte - 1])
                if (is_dead[byte] == is_live(steps[f], i, byte))
                    fail_msg("function %d, after step %d, byte %d: dead is %d", f, i, byte,
                             is_dead[byte]);
        }
    print_message("%u bytes compared, %u dead, %u calls that lend\n", compared, dead, lent);
    assert_true(dead > 1000 && compared - dead > 1000 && lent > 50);
    arena_free(arena);
}

static void test_errors(void **state)
{
    (void)state;
    Arena *arena = arena_new();
    Error error = {0};
    LivenessTable *table;
    assert_false(liveness_analyse(arena, "/nonexistent/program", &table, &error));
    assert_non_null(strstr(error.message, "/nonexistent/program"));
    assert_false(liveness_analyse(arena, "/etc/passwd", &table, &error));
    assert_non_null(strstr(error.message, "not an executable with fixed addresses"));
    arena_free(arena);
}

int main(void)
{
    if (!mkdtemp(folder))
        return 2;
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_cases), cmocka_unit_test(test_random),
                                       cmocka_unit_test(test_errors)};
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    char command[128];
    snprintf(command, sizeof command, "rm -rf %s", folder);
    return system(command) || failed ? 1 : 0;
}
