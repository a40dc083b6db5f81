/* program.h: the language of random programs, all of it: one data structure, its text, its reader.
 * Read by the generator, the oracle and the program that performs it under the engine, so it stands
 * alone: libc only, everything static, no allocation.
 *
 *   create 1; create 2; join 1; join 2; tell | ld.acq a r0; st.rlx b r0+1; tell | ...
 *
 * Threads are separated by `|`, the first one is main. Eight variables: a b c d hold numbers, p q
 * hold pointers to nodes or 0, x y hold numbers and are mostly accessed plainly. Six registers a
 * thread, all 0 at first: r0 to r3 hold numbers, r4 and r5 pointers. r4.v and r4.n are the fields
 * of the node that r4 points to, a number and a pointer; an access to a field of no node does
 * nothing and reads 0. ORDER: rlx acq rel ar sc, of loads and stores also vol and na (plain).
 *
 *   ld.ORDER place reg            st.ORDER place value         add.ORDER place value reg
 *   xchg.ORDER place value reg    fence.ORDER        reg: what was there before; -: whatever it was
 *   cas.ORDER.FAILURE place expected desired reg reg           the second reg: 1 if it succeeded
 *   weak.ORDER.FAILURE ...        the same, and may fail for no reason
 *   new reg     a node of the heap, zeroed                     free reg
 *   own reg     a static node of the thread (equal threads have one each), lent.stack reg and
 *   lent.tls reg: one on its stack and one of its thread-local memory, which end with the thread
 *   set reg number                assert reg=value             assert reg!value
 *   lock m { ... }                mutexes m and k
 *   try m reg { ... }             reg becomes 1, and the block is performed with the lock held
 *   timed m reg { ... }           the same by pthread_mutex_timedlock
 *   loop { ... } reg=value        at least once, until the condition holds
 *   for reg number { ... }        so often; reg counts
 *   if reg=value { ... }          break reg=value (out of the innermost loop)
 *   barrier                       for as many threads as have this word
 *   create n, join n              main: threads by their number, created in that order
 *   tell                          adds the thread's registers to the outcome; main: x and y
 *
 * Main ends by pthread_exit. A value is a number, a register, or a register and a number: r0+1. */
#ifndef HEDDLE_RANDOM_PROGRAM_H
#define HEDDLE_RANDOM_PROGRAM_H
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { THREADS = 5, STEPS = 40, REGISTERS = 6, VARIABLES = 8, FIELDS = 2, MUTEXES = 2 };
enum {
    FIRST_POINTER = 4 /* register */,
    NODES_OF_THREAD = 6,
    NODE_OWN = 0,
    NODE_STACK,
    NODE_TLS,
    NODE_HEAP
};
enum { PLACE_FIELD = VARIABLES /* + register * FIELDS + field */ };
typedef enum Order { RLX, ACQ = 2, REL, AR, SC, VOL, NA } Order; /* the numbers of __ATOMIC_... */
typedef enum Op {
    OP_LOAD,
    OP_STORE,
    OP_ADD,
    OP_XCHG,
    OP_CAS,
    OP_WEAK,
    OP_FENCE,
    OP_NEW,
    OP_FREE,
    OP_OWN,
    OP_STACK,
    OP_TLS,
    OP_SET,
    OP_ASSERT,
    OP_LOCK,
    OP_TRY,
    OP_TIMED,
    OP_UNLOCK,
    OP_LOOP,
    OP_UNTIL,
    OP_FOR,
    OP_NEXT,
    OP_IF,
    OP_BREAK,
    OP_END,
    OP_BARRIER,
    OP_CREATE,
    OP_JOIN,
    OP_TELL,
    OPS
} Op;
typedef struct Value {
    int8_t reg, number; /* reg: -1 for none */
} Value;
typedef struct Step {
    uint8_t op, order, failure, place; /* place: also mutex, thread */
    int8_t reg, flag;                  /* destinations */
    Value value, expected;             /* value: of conditions, too */
    bool equal;                        /* condition: reg equals value */
    uint8_t to;                        /* the other end of a block; of break, behind the loop */
} Step;
typedef struct Code {
    Step step[STEPS];
    int length;
} Code;
typedef struct Program {
    Code thread[THREADS]; /* 0 is main */
    int threads;
} Program;

static const char *const op_names[OPS] = {
    "ld",         "st",       "add", "xchg",   "cas",  "weak",    "fence",  "new",  "free", "own",
    "lent.stack", "lent.tls", "set", "assert", "lock", "try",     "timed",  "}",    "loop", "} ",
    "for",        "}  ",      "if",  "break",  "}   ", "barrier", "create", "join", "tell"};
static const char *const order_names[] = {"rlx", "?", "acq", "rel", "ar", "sc", "vol", "na"};
static const char variable_names[] = "abcdpqxy";

static inline bool holds_pointers(int place)
{
    return place < VARIABLES ? place == 4 || place == 5 : (place & 1);
}
static inline bool is_access(int op)
{
    return op <= OP_WEAK;
}
static inline bool opens_block(int op)
{
    return op == OP_LOCK || op == OP_TRY || op == OP_TIMED || op == OP_LOOP || op == OP_FOR ||
           op == OP_IF;
}
static inline bool closes_block(int op)
{
    return op == OP_UNLOCK || op == OP_UNTIL || op == OP_NEXT || op == OP_END;
}
static inline int closing_of(int op)
{
    return op == OP_LOOP ? OP_UNTIL : op == OP_FOR ? OP_NEXT : op == OP_IF ? OP_END : OP_UNLOCK;
}

/* ---- joins blocks: false if they do not nest, or a loop would be left with a lock held ---- */

static inline bool program_link(Code *code)
{
    uint8_t open[STEPS];
    int depth = 0;
    for (int i = 0; i < code->length; i++) {
        Step *s = &code->step[i];
        if (opens_block(s->op)) {
            open[depth++] = (uint8_t)i;
        } else if (closes_block(s->op)) {
            if (!depth || closing_of(code->step[open[depth - 1]].op) != s->op)
                return false;
            s->to = open[--depth];
            code->step[s->to].to = (uint8_t)i;
            if (s->op == OP_UNLOCK)
                s->place = code->step[s->to].place;
            if (s->op == OP_NEXT)
                s->reg = code->step[s->to].reg, s->value = code->step[s->to].value;
        } else if (s->op == OP_BREAK) {
            int d = depth - 1;
            while (d >= 0 && code->step[open[d]].op == OP_IF)
                d--;
            if (d < 0 || (code->step[open[d]].op != OP_LOOP && code->step[open[d]].op != OP_FOR))
                return false;
            s->to = open[d]; /* becomes the end of the loop below */
        }
    }
    for (int i = 0; i < code->length; i++)
        if (code->step[i].op == OP_BREAK)
            code->step[i].to = code->step[code->step[i].to].to;
    return depth == 0;
}

/* ---- text ---- */

static inline int print_value(char *to, Value v)
{
    return v.reg < 0  ? sprintf(to, "%d", v.number)
           : v.number ? sprintf(to, "r%d+%d", v.reg, v.number)
                      : sprintf(to, "r%d", v.reg);
}
static inline int print_place(char *to, int place)
{
    return place < VARIABLES
               ? sprintf(to, "%c", variable_names[place])
               : sprintf(to, "r%d.%c", (place - PLACE_FIELD) / FIELDS, "vn"[place & 1]);
}
static inline char *print_step(char *at, const Step *s)
{
    const char *name = op_names[s->op];
    at += sprintf(at, "%.*s", closes_block(s->op) ? 1 : 20, name);
    if (is_access(s->op) || s->op == OP_FENCE)
        at += sprintf(at, ".%s", order_names[s->order]);
    if (s->op == OP_CAS || s->op == OP_WEAK)
        at += sprintf(at, ".%s", order_names[s->failure]);
    if (is_access(s->op)) {
        *at++ = ' ';
        at += print_place(at, s->place);
        if (s->op == OP_CAS || s->op == OP_WEAK)
            *at++ = ' ', at += print_value(at, s->expected);
        if (s->op != OP_LOAD)
            *at++ = ' ', at += print_value(at, s->value);
        if (s->op != OP_STORE)
            at += s->reg < 0 ? sprintf(at, " -") : sprintf(at, " r%d", s->reg);
        if (s->op == OP_CAS || s->op == OP_WEAK)
            at += sprintf(at, " r%d", s->flag);
        return at;
    }
    switch (s->op) {
    case OP_NEW:
    case OP_FREE:
    case OP_OWN:
    case OP_STACK:
    case OP_TLS:
        return at + sprintf(at, " r%d", s->reg);
    case OP_SET:
        return at + sprintf(at, " r%d %d", s->reg, s->value.number);
    case OP_ASSERT:
    case OP_UNTIL:
    case OP_BREAK:
    case OP_IF:
        at += sprintf(at, " r%d%c", s->reg, s->equal ? '=' : '!');
        at += print_value(at, s->value);
        return s->op == OP_IF ? at + sprintf(at, " {") : at;
    case OP_LOCK:
        return at + sprintf(at, " %c {", "mk"[s->place]);
    case OP_TRY:
    case OP_TIMED:
        return at + sprintf(at, " %c r%d {", "mk"[s->place], s -> reg);
    case OP_LOOP:
        return at + sprintf(at, " {");
    case OP_FOR:
        return at + sprintf(at, " r%d %d {", s->reg, s->value.number);
    case OP_CREATE:
    case OP_JOIN:
        return at + sprintf(at, " %d", s->place);
    default:
        return at;
    }
}
static inline char *program_print(char *at, const Program *p)
{
    *at = 0;
    for (int t = 0; t < p->threads; t++) {
        if (t)
            at += sprintf(at, " | ");
        for (int i = 0; i < p->thread[t].length; i++) {
            const Step *s = &p->thread[t].step[i];
            at = print_step(at, s);
            if (i + 1 < p->thread[t].length)
                at += sprintf(at, opens_block(s->op) || closes_block(p->thread[t].step[i + 1].op)
                                      ? " "
                                      : "; ");
        }
    }
    return at;
}

static inline void skip_blanks(const char **at)
{
    while (**at == ' ' || **at == ';' || **at == '\t')
        ++*at;
}
static inline bool take(const char **at, const char *word)
{
    while (**at == ' ')
        ++*at;
    size_t n = strlen(word);
    if (strncmp(*at, word, n))
        return false;
    *at += n;
    return true;
}
static inline bool take_number(const char **at, int8_t *n)
{
    char *end;
    *n = (int8_t)strtol(*at, &end, 10);
    bool found = end != *at;
    *at = end;
    return found;
}
static inline bool take_register(const char **at, int8_t *reg)
{
    return take(at, "r") && take_number(at, reg) && *reg >= 0 && *reg < REGISTERS;
}
static inline bool take_value(const char **at, Value *v)
{
    *v = (Value){-1, 0};
    while (**at == ' ')
        ++*at;
    if (**at != 'r')
        return take_number(at, &v->number);
    return take_register(at, &v->reg) && (!take(at, "+") || take_number(at, &v->number));
}
static inline bool take_order(const char **at, uint8_t *order)
{
    if (take(at, "."))
        for (int o = RLX; o <= NA; o++)
            if (take(at, order_names[o])) {
                *order = (uint8_t)o;
                return true;
            }
    return false;
}
static inline bool take_condition(const char **at, Step *s)
{
    if (!take_register(at, &s->reg))
        return false;
    s->equal = take(at, "=");
    return (s->equal || take(at, "!")) && take_value(at, &s->value);
}
static inline bool take_place(const char **at, uint8_t *place)
{
    int8_t reg;
    while (**at == ' ')
        ++*at;
    const char *found = **at ? strchr(variable_names, **at) : NULL;
    if (found) {
        *place = (uint8_t)(found - variable_names);
        ++*at;
        return true;
    }
    if (!take_register(at, &reg) || reg < FIRST_POINTER || !take(at, "."))
        return false;
    int field = take(at, "v") ? 0 : take(at, "n") ? 1 : -1;
    *place = (uint8_t)(PLACE_FIELD + reg * FIELDS + field);
    return field >= 0;
}
static inline bool take_mutex(const char **at, uint8_t *place)
{
    *place = take(at, "k");
    return *place || take(at, "m");
}
static inline bool take_access(const char **at, Step *s)
{
    bool cas = s->op == OP_CAS || s->op == OP_WEAK;
    return take_order(at, &s->order) && (!cas || take_order(at, &s->failure)) &&
           take_place(at, &s->place) && (!cas || take_value(at, &s->expected)) &&
           (s->op == OP_LOAD || take_value(at, &s->value)) &&
           (s->op == OP_STORE || take(at, "-") || take_register(at, &s->reg)) &&
           (!cas || take_register(at, &s->flag));
}
static inline bool parse_step(const char **at, Step *s, const uint8_t *open, int depth)
{
    *s = (Step){.reg = -1, .flag = -1, .value = {-1, 0}, .expected = {-1, 0}};
    if (take(at, "}")) {
        s->op = depth ? (uint8_t)closing_of(open[depth - 1]) : OP_END;
        return depth && (s->op != OP_UNTIL || take_condition(at, s));
    }
    int op = 0;
    while (op < OPS && (closes_block(op) || !take(at, op_names[op])))
        op++;
    s->op = (uint8_t)op;
    if (is_access(op))
        return take_access(at, s);
    switch (op) {
    case OP_FENCE:
        return take_order(at, &s->order);
    case OP_NEW:
    case OP_FREE:
    case OP_OWN:
    case OP_STACK:
    case OP_TLS:
        return take_register(at, &s->reg);
    case OP_SET:
        return take_register(at, &s->reg) && take_number(at, &s->value.number);
    case OP_ASSERT:
    case OP_BREAK:
        return take_condition(at, s);
    case OP_IF:
        return take_condition(at, s) && take(at, "{");
    case OP_LOCK:
        return take_mutex(at, &s->place) && take(at, "{");
    case OP_TRY:
    case OP_TIMED:
        return take_mutex(at, &s->place) && take_register(at, &s->reg) && take(at, "{");
    case OP_LOOP:
        return take(at, "{");
    case OP_FOR:
        return take_register(at, &s->reg) && take_number(at, &s->value.number) && take(at, "{");
    case OP_CREATE:
    case OP_JOIN: {
        int8_t n;
        bool found = take_number(at, &n);
        s->place = (uint8_t)n;
        return found && n > 0 && n < THREADS;
    }
    default:
        return op < OPS;
    }
}
/* NULL, or the place in TEXT where it stops making sense. */
static inline const char *program_parse(const char *at, Program *p)
{
    uint8_t open[STEPS];
    int depth = 0;
    *p = (Program){.threads = 1};
    for (skip_blanks(&at); *at && *at != '\n'; skip_blanks(&at)) {
        Code *code = &p->thread[p->threads - 1];
        if (*at == '|') {
            if (depth || p->threads == THREADS)
                return at;
            p->threads++, at++;
            continue;
        }
        const char *begin = at;
        if (code->length == STEPS || !parse_step(&at, &code->step[code->length], open, depth))
            return begin;
        int op = code->step[code->length++].op;
        if (opens_block(op))
            open[depth++] = (uint8_t)op;
        depth -= closes_block(op);
    }
    for (int t = 0; t < p->threads; t++)
        if (!program_link(&p->thread[t]))
            return at;
    return depth ? at : NULL;
}

/* ---- what the performers share: the meaning of numbers ---- */

static inline bool is_same_code(const Code *a, const Code *b)
{
    return a->length == b->length &&
           !memcmp(a->step, b->step, (size_t)a->length * sizeof a->step[0]);
}
/* The first thread with the same code: equal threads add to one result. */
static inline int class_of(const Program *p, int t)
{
    for (int u = 1; u < t; u++)
        if (is_same_code(&p->thread[u], &p->thread[t]))
            return u;
    return t;
}
static inline int barrier_size(const Program *p)
{
    int n = 0;
    for (int t = 0; t < p->threads; t++) {
        bool has = false;
        for (int i = 0; i < p->thread[t].length; i++)
            has |= p->thread[t].step[i].op == OP_BARRIER;
        n += has;
    }
    return n;
}
static inline int64_t told_of(const int64_t *registers) /* pointers: 0 or 1 */
{
    int64_t sum = 1;
    for (int r = 0; r < REGISTERS; r++)
        sum = sum * 11 + (r < FIRST_POINTER ? registers[r] : registers[r] != 0);
    return sum * 1000003;
}
#endif
