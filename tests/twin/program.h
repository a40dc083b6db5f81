/* program.h: the tiny language of the twin: straight-line threads of atomic accesses with guards,
 * one line a thread. Read by the enumerator (enumerate.c) and by the threaded C program that
 * performs it (interp.c), so it stands alone: libc only, everything static, no allocation.
 *
 *   init: x=1 y=2                    initial values (default 0)
 *   pre: st.rlx x 1                  main, before it creates the threads
 *   st.rel x 1; ld.acq y r0          thread 1
 *   [r0=1] st.sc x r0+1; fence.sc    thread 2; the guard holds for one instruction
 *   mid: st.rlx x 1                  main, while the threads run
 *   post: ld.rlx x r0                main, after it has joined all threads
 *   heap: malloc                     x, y, z and w lie in one block of the heap (or: calloc)
 *
 *   ld.ORDER loc reg                 st.ORDER loc value
 *   xchg.ORDER loc value reg         add.ORDER loc value reg            reg: the value found
 *   cas.SUCCESS.FAILURE loc expected desired reg                        fence.ORDER
 *   free                             frees the block
 *   move                             reallocates it; what it returns is not used
 *
 * ORDER rlx con acq rel ar sc, and na (not atomic) for ld and st; loc x y z w v u t s, which lie
 * side by side, two to 8 aligned bytes; of na also several that follow each other, as one object
 * (st.na xyz 1: each becomes 1; ld.na xyz r0: into r0, r1 and r2); reg r0..r7, zero at the start; a
 * value is an integer, a register, or a sum of both kinds (r0+r1+1); guards [r0=1] and [r0!1]. A
 * `|` may stand for a new line. */
#ifndef HEDDLE_TWIN_PROGRAM_H
#define HEDDLE_TWIN_PROGRAM_H
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

enum { TWIN_THREADS = 10, TWIN_LENGTH = 48, TWIN_LOCATIONS = 8, TWIN_REGISTERS = 8 };
enum { TWIN_BLOCK = 4 }; /* locations in the heap, if any are */
/* numbers of <stdatomic.h>, and one for plain accesses */
enum { TWIN_RLX, TWIN_CON, TWIN_ACQ, TWIN_REL, TWIN_AR, TWIN_SC, TWIN_NA };
typedef enum TwinOp {
    TWIN_LOAD,
    TWIN_STORE,
    TWIN_EXCHANGE,
    TWIN_ADD,
    TWIN_CAS,
    TWIN_FENCE,
    TWIN_FREE,
    TWIN_MOVE
} TwinOp;
typedef enum TwinHeap { TWIN_STATIC, TWIN_MALLOC, TWIN_CALLOC } TwinHeap;

typedef struct TwinValue { /* constant plus registers */
    int constant;
    int first, second; /* register numbers, or -1 */
} TwinValue;
typedef struct TwinInstruction {
    TwinOp op;
    int order, failure;
    int location, width; /* width: how many locations */
    bool pair;           /* enumerate.c: the next location comes with it */
    TwinValue value;     /* stored, added or desired */
    TwinValue expected;  /* CAS */
    int destination;     /* register that gets the value found */
    int guard;           /* register, or -1: always */
    bool guard_equal;
    int guard_value;
} TwinInstruction;
typedef struct TwinBlock {
    TwinInstruction code[TWIN_LENGTH];
    int length;
} TwinBlock;
typedef struct TwinProgram {
    int initial[TWIN_LOCATIONS];
    TwinBlock pre, mid, post;
    TwinHeap heap;
    TwinBlock thread[TWIN_THREADS]; /* number 1 stands at 0 */
    int threads;
} TwinProgram;

static inline int twin_value(TwinValue v, const int *registers)
{
    return v.constant + (v.first < 0 ? 0 : registers[v.first]) +
           (v.second < 0 ? 0 : registers[v.second]);
}
static inline bool twin_enabled(const TwinInstruction *i, const int *registers)
{
    return i->guard < 0 || (registers[i->guard] == i->guard_value) == i->guard_equal;
}

/* --- Reading --------------------------------------------------------------------------------- */

static const char twin_location_names[] = "xyzwvuts";
static const char *const twin_order_names[] = {"rlx", "con", "acq", "rel", "ar", "sc", "na"};
static const char *const twin_op_names[] = {"ld",  "st",    "xchg", "add",
                                            "cas", "fence", "free", "move"};

static inline bool twin_take(const char **at, const char *word) /* a literal */
{
    while (**at == ' ')
        ++*at;
    size_t length = strlen(word);
    if (strncmp(*at, word, length) != 0)
        return false;
    *at += length;
    return true;
}
static inline bool twin_take_one_of(const char **at, const char *const *names, int count,
                                    int *which)
{
    for (*which = 0; *which < count; ++*which)
        if (twin_take(at, names[*which]))
            return true;
    return false;
}
static inline bool twin_take_order(const char **at, int *order)
{
    return twin_take(at, ".") && twin_take_one_of(at, twin_order_names, 7, order);
}
static inline bool twin_take_int(const char **at, int *value)
{
    char *end;
    *value = (int)strtol(*at, &end, 10);
    bool found = end != *at;
    *at = end;
    return found;
}
static inline bool twin_take_location(const char **at, int *location)
{
    while (**at == ' ')
        ++*at;
    const char *found = **at ? strchr(twin_location_names, **at) : NULL;
    if (!found)
        return false;
    *location = (int)(found - twin_location_names);
    ++*at;
    return true;
}
static inline bool twin_take_register(const char **at, int *number)
{
    return twin_take(at, "r") && twin_take_int(at, number) && *number >= 0 &&
           *number < TWIN_REGISTERS;
}
static inline bool twin_take_value(const char **at, TwinValue *value)
{
    *value = (TwinValue){0, -1, -1};
    do {
        int n;
        while (**at == ' ')
            ++*at;
        if (**at == 'r') {
            if (value->second >= 0 || !twin_take_register(at, &n))
                return false;
            *(value->first < 0 ? &value->first : &value->second) = n;
        } else {
            if (!twin_take_int(at, &n))
                return false;
            value->constant += n;
        }
    } while (twin_take(at, "+"));
    return true;
}

static inline bool twin_take_instruction(const char **at, TwinInstruction *i)
{
    int op;
    *i = (TwinInstruction){.guard = -1, .destination = -1, .width = 1};
    if (twin_take(at, "[")) {
        if (!twin_take_register(at, &i->guard))
            return false;
        i->guard_equal = twin_take(at, "=");
        if (!i->guard_equal && !twin_take(at, "!"))
            return false;
        if (!twin_take_int(at, &i->guard_value) || !twin_take(at, "]"))
            return false;
    }
    if (!twin_take_one_of(at, twin_op_names, 8, &op))
        return false;
    i->op = (TwinOp)op;
    if (i->op >= TWIN_FREE)
        return true;
    if (!twin_take_order(at, &i->order))
        return false;
    if (i->op == TWIN_FENCE)
        return true;
    if (i->op == TWIN_CAS && !twin_take_order(at, &i->failure))
        return false;
    if (!twin_take_location(at, &i->location))
        return false;
    while (i->order == TWIN_NA && i->location + i->width < TWIN_LOCATIONS &&
           **at == twin_location_names[i->location + i->width])
        i->width++, ++*at;
    if (i->op == TWIN_CAS && !twin_take_value(at, &i->expected))
        return false;
    if (i->op != TWIN_LOAD && !twin_take_value(at, &i->value))
        return false;
    return i->op == TWIN_STORE ||
           (twin_take_register(at, &i->destination) && i->destination + i->width <= TWIN_REGISTERS);
}

static inline bool twin_take_initial(const char **at, int *initial)
{
    int location;
    while (twin_take_location(at, &location))
        if (!twin_take(at, "=") || !twin_take_int(at, &initial[location]))
            return false;
    return true;
}

static inline bool twin_at_line_end(const char **at)
{
    while (**at == ' ')
        ++*at;
    return !**at || **at == '\n' || **at == '|';
}

/* NULL, or the place in TEXT where it stops making sense. */
static inline const char *twin_parse(const char *text, TwinProgram *program)
{
    const char *at = text;
    *program = (TwinProgram){0};
    while (*at) {
        TwinBlock *block = &program->thread[program->threads];
        if (twin_take(&at, "init:")) {
            if (!twin_take_initial(&at, program->initial))
                return at;
        } else if (twin_take(&at, "heap:")) {
            program->heap = twin_take(&at, "calloc") ? TWIN_CALLOC : TWIN_MALLOC;
            if (program->heap == TWIN_MALLOC && !twin_take(&at, "malloc"))
                return at;
        } else {
            if (twin_take(&at, "pre:"))
                block = &program->pre;
            else if (twin_take(&at, "mid:"))
                block = &program->mid;
            else if (twin_take(&at, "post:"))
                block = &program->post;
            else if (++program->threads > TWIN_THREADS)
                return at;
            do {
                if (twin_at_line_end(&at)) /* an empty thread, or a `;` at the end of the line */
                    break;
                if (block->length == TWIN_LENGTH ||
                    !twin_take_instruction(&at, &block->code[block->length]))
                    return at;
                block->length++;
            } while (twin_take(&at, ";"));
        }
        if (!twin_at_line_end(&at))
            return at;
        if (*at)
            at++;
    }
    return NULL;
}
#endif
