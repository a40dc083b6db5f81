/* verdicts.h: the language of programs whose verdicts are compared (verdicts.c performs them,
 * verdicts_judge.c decides them by all interleavings). One word a thread, separated by `|`; the
 * first is what main does while the others run. An operation has six characters: a letter, what it
 * is about, a number, a register, and its guard: a register (9: none) that must have the value.
 *
 *   L0 U0 T0 D0 I0   lock, unlock, try (register: 1 if taken), destroy, initialise mutex 0
 *   l0 s0 a0         load, store, add to location 0, sequentially consistent
 *   c0               compare-exchange it from the number to 2 (register: 1 if it succeeds)
 *   W0               load it again and again until it is the number
 *   r0 w0            the same location plainly: read, write
 *   C                register: any number below the number
 *   M0 Z0 F0         block 0 of the heap: malloc, calloc (its address is stored); free
 *   h0 H0 g0 G0      item NUMBER of block 0: load, store; plainly: read, write. No block: nothing
 *   n0               writes item 0 of block 0, which may be a null pointer
 *   x0 f0            writes behind the end of block 0; frees its middle. No block: nothing
 *   B2 J2            creates thread 2, which main creates at its start otherwise; waits for its
 * end, if the thread has created it. What a thread creates it joins at its end A assert that the
 * register is not the number E                exit with the number */
#ifndef HEDDLE_TWIN_VERDICTS_H
#define HEDDLE_TWIN_VERDICTS_H

enum {
    VT_THREADS = 4,
    VT_LENGTH = 16,
    VT_REGISTERS = 4,
    VT_CELLS = 2,
    VT_MUTEXES = 2,
    VT_BLOCKS = 2
};
enum { VT_ITEMS = 2, VT_NO_GUARD = 9 };

typedef struct VtOp {
    char code;
    int about, number, target, guard, value;
} VtOp;
typedef struct VtProgram {
    VtOp op[VT_THREADS][VT_LENGTH];
    int length[VT_THREADS], threads; /* thread 0 is main */
    int late[VT_THREADS];            /* created by an operation */
} VtProgram;

static inline int vt_parse(const char *text, VtProgram *program)
{
    *program = (VtProgram){.threads = 1};
    for (; *text; text++) {
        int t = program->threads - 1;
        if (*text == '|') {
            if (++program->threads > VT_THREADS)
                return 0;
            continue;
        }
        if (program->length[t] == VT_LENGTH)
            return 0;
        for (int i = 1; i < 6; i++)
            if (text[i] < '0' || text[i] > '9')
                return 0;
        program->op[t][program->length[t]++] = (VtOp){text[0],       text[1] - '0', text[2] - '0',
                                                      text[3] - '0', text[4] - '0', text[5] - '0'};
        if (*text == 'B' && (text[1] - '0' >= VT_THREADS || program->late[text[1] - '0']++))
            return 0;
        text += 5;
    }
    return 1;
}

static inline int vt_enabled(const VtOp *op, const int *registers)
{
    return op->guard == VT_NO_GUARD || registers[op->guard] == op->value;
}
#endif
