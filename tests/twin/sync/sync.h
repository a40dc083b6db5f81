/* sync.h: the language of programs about the lives of threads and about locks of every kind
 * (interp.c performs them, machine.c decides them by all interleavings).
 *
 * A text is `KKSB:' and bodies. KK are the kinds of the two mutexes: n normal, r recursive, e error
 * checking, b robust. S is the first value of the semaphore, B the number of threads at the
 * barrier. Bodies of threads are separated by `|', the first is main's; `/' begins each function:
 * the destructor of the key, the function of pthread_once, and two that may run at exit. Main ends
 * with `return 0'; a thread that nobody joins is nobody's fault.
 *
 * An operation has six characters: a letter, what it is about, a number, a register, and its guard:
 * a register (9: none) that must have the value. Those that can fail leave a SyncResult there.
 *
 *   l0 s0 a0 W0     load, store, add to location 0; load it until it is the number (all seq_cst)
 *   r0 w0           the same location plainly: read, write
 *   C A             any number below the number; assert that the register is not the number
 *   L0 T0 M0 U0 K0  mutex 0: lock, try, lock with a time limit, unlock, make it consistent
 *   c0 k0 S0 b0     condition variable 0: wait with the mutex NUMBER, also with a time limit;
 *                   signal, broadcast
 *   D E d e u       read-write lock: read, write, try to read, try to write, unlock
 *   P V Y G         semaphore: post, wait, try to wait, its value
 *   N               wait at the barrier (register: 1 in one of the threads)
 *   o               once
 *   v g             set the key's value to the number (0: none); get it
 *   B2 J2 y2 F2     create thread 2; join it (register: what it returned); try to; detach
 *                   it. The last three do nothing as long as its creator has not told its name
 *   H1 h1           create NUMBER threads in a row, the first one being 1, which have equal bodies
 *                   (`=' instead of a body: the one before); join NUMBER of these, from 1 on. Main
 *                   alone knows their names
 *   z1              try to join one of them (register: SYNC_BUSY or SYNC_OK)
 *   p R             pthread_exit with, return the number
 *   x q i           exit, quick_exit, _exit with the number
 *   X O Q           atexit, on_exit, at_quick_exit: the function NUMBER (2 or 3) */
#ifndef HEDDLE_TWIN_SYNC_H
#define HEDDLE_TWIN_SYNC_H

enum { SYNC_THREADS = 4, SYNC_FUNCTIONS = 4, SYNC_BODIES = SYNC_THREADS + SYNC_FUNCTIONS };
enum { SYNC_LENGTH = 18, SYNC_REGISTERS = 4, SYNC_CELLS = 2, SYNC_MUTEXES = 2, SYNC_CONDS = 2 };
enum { SYNC_DESTRUCTOR, SYNC_ONCE, SYNC_AT_EXIT }; /* functions */
enum { SYNC_NO_GUARD = 9 };

typedef enum SyncResult {
    SYNC_OK,
    SYNC_BUSY,
    SYNC_DEADLOCK,
    SYNC_OWNER_DEAD,
    SYNC_LOST,
    SYNC_NOT_OWNER,
    SYNC_TIMED_OUT,
    SYNC_INVALID
} SyncResult;

typedef struct SyncOp {
    char code;
    int about, number, target, guard, value;
} SyncOp;
typedef struct SyncProgram {
    char kind[SYNC_MUTEXES];
    int semaphore, barrier;
    SyncOp op[SYNC_BODIES][SYNC_LENGTH];
    int length[SYNC_BODIES], threads; /* body SYNC_THREADS + i is function i */
    int like[SYNC_THREADS];           /* the first thread with this body */
} SyncProgram;

static inline int sync_parse_op(const char *text, SyncOp *op)
{
    for (int i = 1; i < 6; i++)
        if (text[i] < '0' || text[i] > '9')
            return 0;
    *op = (SyncOp){text[0],       text[1] - '0', text[2] - '0',
                   text[3] - '0', text[4] - '0', text[5] - '0'};
    return op->target < SYNC_REGISTERS &&
           (op->guard < SYNC_REGISTERS || op->guard == SYNC_NO_GUARD);
}

static inline int sync_parse(const char *text, SyncProgram *program)
{
    int body = 0, function = -1;
    *program = (SyncProgram){.threads = 1};
    for (int i = 0; i < 5; i++)
        if (!text[i])
            return 0;
    for (int i = 0; i < SYNC_MUTEXES; i++)
        program->kind[i] = text[i];
    program->semaphore = text[2] - '0';
    program->barrier = text[3] - '0';
    if (text[4] != ':')
        return 0;
    for (text += 5; *text; text++) {
        if (*text == '|' || *text == '/') {
            function += *text == '/';
            program->threads += *text == '|';
            body = *text == '/' ? SYNC_THREADS + function : program->threads - 1;
            if (program->threads > SYNC_THREADS || function >= SYNC_FUNCTIONS)
                return 0;
            if (body < SYNC_THREADS)
                program->like[body] = body;
            continue;
        }
        if (*text == '=') {
            if (body < 1 || body >= SYNC_THREADS)
                return 0;
            for (int i = 0; i < program->length[body - 1]; i++)
                program->op[body][i] = program->op[body - 1][i];
            program->length[body] = program->length[body - 1];
            program->like[body] = program->like[body - 1];
            continue;
        }
        if (program->length[body] == SYNC_LENGTH ||
            !sync_parse_op(text, &program->op[body][program->length[body]++]))
            return 0;
        text += 5;
    }
    return 1;
}

static inline int sync_enabled(const SyncOp *op, const int *registers)
{
    return op->guard == SYNC_NO_GUARD || registers[op->guard] == op->value;
}
#endif
