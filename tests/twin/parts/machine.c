/* machine.c: all runs of a program on a machine of bytes, with a memory of the states seen. */
#include "outcomes.h"
#include "base/hash.h"
#include <stdio.h>

typedef struct Buffered {
    uint8_t other, offset, size;
    uint8_t barrier; /* pso: older stores of the thread come first */
    uint8_t seq_cst;
    uint8_t spare[11];
    Wide value;
} Buffered;

typedef struct State {
    uint8_t pc[PARTS_THREADS], waiting[PARTS_THREADS]; /* stores in the buffer */
    uint8_t spare[6];
    uint32_t other;
    unsigned char memory[16];
    Wide found[PARTS_THREADS][PARTS_STEPS];
    Buffered buffer[PARTS_THREADS][PARTS_STEPS];
} State;

static const Program *program;
static MachineKind kind;
static Outcomes *found;
static HashMap seen;

static unsigned char *place(State *s, bool other, unsigned offset)
{
    return other ? (unsigned char *)&s->other : s->memory + offset;
}
static Wide look(State *s, bool other, unsigned offset, unsigned size)
{
    Wide value = 0;
    memcpy(&value, place(s, other, offset), size);
    return value;
}
static bool overlap(const Buffered *b, bool other, unsigned offset, unsigned size)
{
    return b->other == other && offset < b->offset + b->size && b->offset < offset + size;
}

/* Loads through the buffer of T; false: it has to wait. */
static bool load(State *s, int t, bool other, unsigned offset, unsigned size, Wide *value)
{
    for (int i = s->waiting[t]; i-- > 0;) {
        const Buffered *b = &s->buffer[t][i];
        if (!overlap(b, other, offset, size))
            continue;
        if (b->offset > offset || b->offset + b->size < offset + size)
            return false;
        *value = 0;
        memcpy(value, (const unsigned char *)&b->value + (offset - b->offset), size);
        return true;
    }
    *value = look(s, other, offset, size);
    return true;
}

static bool has_seq_cst(const State *s, int t)
{
    for (int i = 0; i < s->waiting[t]; i++)
        if (s->buffer[t][i].seq_cst)
            return true;
    return false;
}

static bool store(State *s, int t, const Step *step, bool other, unsigned offset)
{
    bool release = step->order == __ATOMIC_RELEASE || step->order == __ATOMIC_SEQ_CST;
    bool sc = step->order == __ATOMIC_SEQ_CST;
    if (kind == MACHINE_SC || (kind == MACHINE_TSO && sc)) {
        if (s->waiting[t])
            return false;
        memcpy(place(s, other, offset), &step->value, step->size);
        return true;
    }
    Buffered *b = &s->buffer[t][s->waiting[t]++];
    *b = (Buffered){.other = other,
                    .offset = (uint8_t)offset,
                    .size = (uint8_t)step->size,
                    .barrier = release,
                    .seq_cst = sc,
                    .value = step->value};
    return true;
}

/* Performs the next step of T in place; false if it has to wait. */
static bool perform(State *s, int t)
{
    const Step *step = &program->step[t][s->pc[t]];
    Wide *result = &s->found[t][s->pc[t]], value;
    bool other = step->kind == 'L' || step->kind == 'S';
    unsigned offset = other ? 0 : step->offset;
    switch (step->kind) {
    case 'l':
    case 'L':
        if (kind == MACHINE_PSO && step->order == __ATOMIC_SEQ_CST && has_seq_cst(s, t))
            return false;
        if (!load(s, t, other, offset, step->size, result))
            return false;
        break;
    case 's':
    case 'S':
        if (!store(s, t, step, other, offset))
            return false;
        break;
    case 'c': /* pso: one that fails is a load */
        if (!load(s, t, false, offset, step->size, &value))
            return false;
        if (value != step->wanted && kind == MACHINE_PSO) {
            if (parts_failure(step->order) == __ATOMIC_SEQ_CST && has_seq_cst(s, t))
                return false;
            *result = value;
            break;
        }
        /* fallthrough */
    default:
        if (s->waiting[t])
            return false;
        if (step->kind == 'f')
            break;
        *result = value = look(s, false, offset, step->size);
        if (step->kind == 'c' && value != step->wanted)
            break;
        value = step->kind == 'a' ? value + step->value : step->value;
        memcpy(s->memory + offset, &value, step->size);
    }
    s->pc[t]++;
    return true;
}

/* May store I of T's buffer go to memory? */
static bool may_leave(const State *s, int t, int i)
{
    const Buffered *b = &s->buffer[t][i];
    if (i == 0)
        return true;
    if (kind == MACHINE_TSO || b->barrier)
        return false;
    for (int k = 0; k < i; k++)
        if (overlap(&s->buffer[t][k], b->other, b->offset, b->size))
            return false;
    return true;
}

static void leave(State *s, int t, int i)
{
    Buffered *b = s->buffer[t];
    memcpy(place(s, b[i].other, b[i].offset), &b[i].value, b[i].size);
    memmove(b + i, b + i + 1, sizeof *b * (size_t)(PARTS_STEPS - 1 - i));
    memset(&b[PARTS_STEPS - 1], 0, sizeof *b);
    s->waiting[t]--;
}

static void finish(State *s)
{
    Outcome o = outcome_none();
    for (int t = 0; t < program->threads; t++)
        for (int i = 0; i < program->length[t]; i++)
            outcome_put(&o, t * PARTS_STEPS + i, s->found[t][i]);
    outcome_put(&o, PARTS_RESULTS - 2, look(s, false, 0, 16));
    outcome_put(&o, PARTS_RESULTS - 1, s->other);
    vec_push(found, o);
}

static void visit(const State *from)
{
    bool fresh, over = true;
    hashmap_put(&seen, hash_bytes(from, sizeof *from, 1), &fresh);
    if (!fresh)
        return;
    for (int t = 0; t < program->threads; t++) {
        State next = *from;
        over &= from->pc[t] == program->length[t] && !from->waiting[t];
        if (from->pc[t] < program->length[t] && perform(&next, t))
            visit(&next);
        for (int i = 0; i < from->waiting[t]; i++)
            if (may_leave(from, t, i)) {
                next = *from;
                leave(&next, t, i);
                visit(&next);
            }
    }
    if (over) {
        State end = *from;
        finish(&end);
    }
}

void machine_run(const Program *of, MachineKind model, Outcomes *to)
{
    static State start;
    program = of;
    kind = model;
    found = to;
    hashmap_clear(&seen);
    visit(&start);
    outcomes_sort(to);
}
