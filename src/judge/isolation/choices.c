#include "judge/isolation/choices.h"
#include <stdlib.h>
#include <string.h>

#define NONE UINT32_MAX

typedef Vec(uint32_t) Numbers;
typedef struct Clause {
    uint32_t first, count; /* in literals; the first two are watched */
} Clause;

struct Choices {
    uint32_t variables;
    Vec(Clause) clauses;
    Numbers literals;
    Numbers *watches;                  /* by literal: clauses that watch it */
    signed char *value;                /* 0: none; 1 true; -1 false */
    bool *last;                        /* the value it had last */
    bool *marked;                      /* while a conflict is looked at */
    uint32_t *level, *reason, *before; /* of a value; before, after: the queue of decisions */
    uint32_t *after, *stamp, front, search, stamps;
    Numbers trail, ends; /* values in their order; where each level begins */
    size_t propagated;
    Numbers learned;
    bool contradiction;
};

static void *room(size_t count, size_t bytes)
{
    void *memory = calloc(count + 1, bytes);
    if (!memory)
        die("out of memory");
    return memory;
}

Choices *choices_new(uint32_t variables)
{
    Choices *c = room(1, sizeof *c);
    c->variables = variables;
    c->watches = room(2 * (size_t)variables, sizeof *c->watches);
    c->value = room(variables, sizeof *c->value);
    c->last = room(variables, sizeof *c->last);
    c->marked = room(variables, sizeof *c->marked);
    c->level = room(variables, sizeof *c->level);
    c->reason = room(variables, sizeof *c->reason);
    c->before = room(variables, sizeof *c->before);
    c->after = room(variables, sizeof *c->after);
    c->stamp = room(variables, sizeof *c->stamp);
    for (uint32_t v = 0; v < variables; v++) {
        c->before[v] = v ? v - 1 : NONE;
        c->after[v] = v + 1 < variables ? v + 1 : NONE;
        c->stamp[v] = variables - v;
    }
    c->stamps = variables;
    c->front = c->search = variables ? 0 : NONE;
    return c;
}

void choices_free(Choices *c)
{
    if (!c)
        return;
    for (uint32_t l = 0; l < 2 * c->variables; l++)
        vec_free(&c->watches[l]);
    void *all[] = {c->watches, c->value,  c->last,  c->marked, c->level,
                   c->reason,  c->before, c->after, c->stamp};
    for (size_t i = 0; i < COUNT_OF(all); i++)
        free(all[i]);
    vec_free(&c->clauses);
    vec_free(&c->literals);
    vec_free(&c->trail);
    vec_free(&c->ends);
    vec_free(&c->learned);
    free(c);
}

static int value_of(const Choices *c, uint32_t literal)
{
    bool holds = c->value[literal / 2] > 0, fails = c->value[literal / 2] < 0;
    return literal % 2 ? fails - holds : holds - fails;
}

static void assign(Choices *c, uint32_t literal, uint32_t reason)
{
    uint32_t v = literal / 2;
    c->value[v] = literal % 2 ? -1 : 1;
    c->last[v] = literal % 2 == 0;
    c->level[v] = (uint32_t)c->ends.count;
    c->reason[v] = reason;
    vec_push(&c->trail, literal);
}

static void back_to(Choices *c, uint32_t level)
{
    if (level >= c->ends.count)
        return;
    while (c->trail.count > c->ends.at[level]) {
        uint32_t v = vec_pop(&c->trail) / 2;
        c->value[v] = 0;
        if (c->search == NONE || c->stamp[v] > c->stamp[c->search])
            c->search = v;
    }
    c->ends.count = level;
    c->propagated = c->trail.count;
}

/* The clause that everything so far contradicts, or NONE. */
static uint32_t propagate(Choices *c)
{
    while (c->propagated < c->trail.count) {
        uint32_t wrong = c->trail.at[c->propagated++] ^ 1;
        Numbers *watches = &c->watches[wrong];
        size_t kept = 0;
        for (size_t i = 0; i < watches->count; i++) {
            uint32_t index = watches->at[i];
            uint32_t *at = vec_from(&c->literals, c->clauses.at[index].first);
            uint32_t count = c->clauses.at[index].count, k = 2;
            if (at[0] == wrong) {
                at[0] = at[1];
                at[1] = wrong;
            }
            while (value_of(c, at[0]) <= 0 && k < count && value_of(c, at[k]) < 0)
                k++;
            if (value_of(c, at[0]) <= 0 && k < count) {
                at[1] = at[k];
                at[k] = wrong;
                vec_push(&c->watches[at[1]], index);
                continue;
            }
            watches->at[kept++] = index;
            if (value_of(c, at[0]) > 0)
                continue;
            if (value_of(c, at[0]) < 0) {
                for (i++; i < watches->count; i++)
                    watches->at[kept++] = watches->at[i];
                watches->count = kept;
                return index;
            }
            assign(c, at[0], index);
        }
        watches->count = kept;
    }
    return NONE;
}

static uint32_t keep_clause(Choices *c, const uint32_t *literals, size_t count)
{
    Clause clause = {(uint32_t)c->literals.count, (uint32_t)count};
    for (size_t i = 0; i < count; i++)
        vec_push(&c->literals, literals[i]);
    vec_push(&c->clauses, clause);
    uint32_t index = (uint32_t)c->clauses.count - 1;
    if (count > 1) {
        vec_push(&c->watches[literals[0]], index);
        vec_push(&c->watches[literals[1]], index);
    }
    return index;
}

void choices_add(Choices *c, const uint32_t *literals, size_t count)
{
    back_to(c, 0);
    vec_clear(&c->learned);
    for (size_t i = 0; i < count; i++) {
        bool known = false;
        for (size_t j = 0; j < c->learned.count; j++) {
            known = known || c->learned.at[j] == literals[i];
            if (c->learned.at[j] == (literals[i] ^ 1))
                return;
        }
        if (value_of(c, literals[i]) > 0)
            return;
        if (!known && !value_of(c, literals[i]))
            vec_push(&c->learned, literals[i]);
    }
    if (!c->learned.count)
        c->contradiction = true;
    else if (c->learned.count == 1)
        assign(c, c->learned.at[0], NONE);
    else
        keep_clause(c, c->learned.at, c->learned.count);
}

/* Puts the variable at the front of the queue of decisions. */
static void prefer(Choices *c, uint32_t v)
{
    if (c->front == v)
        return;
    if (c->before[v] != NONE)
        c->after[c->before[v]] = c->after[v];
    if (c->after[v] != NONE)
        c->before[c->after[v]] = c->before[v];
    if (c->search == v && c->value[v])
        c->search = c->after[v] != NONE ? c->after[v] : c->front;
    c->before[v] = NONE;
    c->after[v] = c->front;
    c->before[c->front] = v;
    c->front = v;
    c->stamp[v] = ++c->stamps;
    if (!c->value[v])
        c->search = v;
}

/* The first unique implication point: learned[0] is what must hold instead. Returns the level to go
 * back to. */
static uint32_t analyze(Choices *c, uint32_t conflict)
{
    uint32_t level = (uint32_t)c->ends.count, open = 0, back = 0, literal = NONE;
    size_t at = c->trail.count;
    Numbers seen = {0};
    vec_clear(&c->learned);
    vec_push(&c->learned, 0);
    for (;;) {
        const Clause *clause = &c->clauses.at[conflict];
        for (uint32_t i = 0; i < clause->count; i++) {
            uint32_t l = c->literals.at[clause->first + i], v = l / 2;
            if (l == literal || c->marked[v] || !c->level[v])
                continue;
            c->marked[v] = true;
            vec_push(&seen, v);
            if (c->level[v] == level) {
                open++;
            } else {
                vec_push(&c->learned, l);
                back = MAX(back, c->level[v]);
            }
        }
        do
            literal = c->trail.at[--at];
        while (!c->marked[literal / 2]);
        if (!--open)
            break;
        conflict = c->reason[literal / 2];
    }
    c->learned.at[0] = literal ^ 1;
    for (size_t i = 0; i < seen.count; i++) {
        c->marked[seen.at[i]] = false;
        prefer(c, seen.at[i]);
    }
    for (size_t i = 2; i < c->learned.count; i++) /* one of the level to go back to is watched */
        if (c->level[c->learned.at[i] / 2] == back) {
            uint32_t swap = c->learned.at[1];
            c->learned.at[1] = c->learned.at[i];
            c->learned.at[i] = swap;
            break;
        }
    if (c->learned.count > 1 && c->level[c->learned.at[1] / 2] != back)
        DEBUG_ASSERT(false);
    vec_free(&seen);
    return back;
}

static bool decide(Choices *c)
{
    while (c->search != NONE && c->value[c->search])
        c->search = c->after[c->search];
    if (c->search == NONE)
        return false;
    vec_push(&c->ends, (uint32_t)c->trail.count);
    assign(c, 2 * c->search + !c->last[c->search], NONE);
    return true;
}

ChoicesAnswer choices_solve(Choices *c, bool (*stop)(const void *), const void *context)
{
    back_to(c, 0);
    c->search = c->front;
    for (uint64_t steps = 1; !c->contradiction; steps++) {
        uint32_t conflict = propagate(c);
        if (conflict != NONE && !c->ends.count)
            break;
        if (steps % 4096 == 0 && stop && stop(context))
            return CHOICES_STOPPED;
        if (conflict == NONE) {
            if (!decide(c))
                return CHOICES_FOUND;
            continue;
        }
        uint32_t level = analyze(c, conflict);
        back_to(c, level);
        uint32_t reason = NONE;
        if (c->learned.count > 1)
            reason = keep_clause(c, c->learned.at, c->learned.count);
        assign(c, c->learned.at[0], reason);
    }
    c->contradiction = true;
    return CHOICES_NONE;
}

bool choices_value(const Choices *c, uint32_t variable)
{
    return c->value[variable] > 0;
}
