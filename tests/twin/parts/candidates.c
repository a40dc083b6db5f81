/* candidates.c: every way to put the writes of a program in order and to read them, judged by
 * src/judge/graph/axioms.c. A read-modify-write reads what lies below it in that order; a load, or
 * a compare-exchange that fails, may read after any write that gives it a byte. */
#include "outcomes.h"
#include "judge/graph/axioms.h"

enum { MOST = PARTS_THREADS * PARTS_STEPS };

typedef struct Access {
    int thread, index;
    const Step *step;
    bool other, writes, reads;
    Wide found, after; /* what it finds; all of the location once it has written */
    int place;         /* writes: in the order of their location, from 1; else: read after it */
} Access;

static const Program *program;
static Outcomes *outcomes;
static Access access[MOST];
static int count, order[2][MOST + 1], written[2]; /* writes of each location, from 1 */
static Arena *arena;

static unsigned bytes_of(const Access *a)
{
    return a->other ? 15u : ((1u << a->step->size) - 1) << a->step->offset;
}
static Wide cut(const Access *a, Wide whole)
{
    Wide value = 0;
    memcpy(&value, (const unsigned char *)&whole + (a->other ? 0 : a->step->offset), a->step->size);
    return value;
}
static Wide value_at(int location, int place)
{
    return place ? access[order[location][place]].after : 0;
}

/* Gives every write its values, in their order; false if a compare-exchange can't succeed. */
static bool simulate(int location)
{
    for (int p = 1; p <= written[location]; p++) {
        Access *a = &access[order[location][p]];
        Wide whole = value_at(location, p - 1), fresh = a->step->value;
        a->place = p;
        a->found = a->reads ? cut(a, whole) : 0;
        if (a->step->kind == 'c' && a->found != a->step->wanted)
            return false;
        if (a->step->kind == 'a')
            fresh += a->found;
        memcpy((unsigned char *)&whole + (a->other ? 0 : a->step->offset), &fresh, a->step->size);
        a->after = whole;
    }
    return true;
}

static AxiomEvent event_of(const Access *a, AxiomKind kind, unsigned index)
{
    int order_of = a->step->order;
    if (kind == AXIOM_READ && !a->writes && a->step->kind == 'c')
        order_of = parts_failure(order_of);
    if (a->step->kind == 'l' || a->step->kind == 'L')
        order_of = order_of == __ATOMIC_RELEASE || order_of == __ATOMIC_ACQ_REL ? 0 : order_of;
    if (a->step->kind == 's' || a->step->kind == 'S')
        order_of = order_of == __ATOMIC_ACQUIRE || order_of == __ATOMIC_ACQ_REL ? 0 : order_of;
    return (AxiomEvent){.thread = (unsigned)a->thread,
                        .index = index,
                        .kind = kind,
                        .order = (AxiomOrder)order_of,
                        .location = a->other,
                        .bytes = a->other || a->step->size == 16 ? 0 : bytes_of(a),
                        .rf = AXIOM_NONE,
                        .rmw = AXIOM_NONE};
}

static void judge(void)
{
    AxiomEvent events[2 * MOST];
    int number[MOST + 1][2] = {{0}}, made = 0;
    for (int i = 0; i < count; i++) {
        const Access *a = &access[i];
        unsigned index = 2 * (unsigned)a->index;
        int before = a->writes ? a->place - 1 : a->place;
        if (a->step->kind == 'f') {
            events[made++] = (AxiomEvent){.thread = (unsigned)a->thread,
                                          .index = index,
                                          .kind = AXIOM_FENCE,
                                          .order = AXIOM_SEQ_CST,
                                          .rf = AXIOM_NONE,
                                          .rmw = AXIOM_NONE};
            continue;
        }
        if (a->reads) {
            number[i][0] = made;
            events[made] = event_of(a, AXIOM_READ, index);
            events[made].rf = before; /* its place; the number comes below */
            events[made++].value = (uint64_t)value_at(a->other, before);
        }
        if (a->writes) {
            number[i][1] = made;
            events[made] = event_of(a, AXIOM_WRITE, index + 1);
            events[made].value = (uint64_t)a->after;
            events[made].coherence = (unsigned)a->place;
            events[made].rmw = a->reads ? made - 1 : AXIOM_NONE;
            made++;
        }
    }
    for (int i = 0; i < made; i++)
        if (events[i].kind == AXIOM_READ)
            events[i].rf =
                events[i].rf ? number[order[events[i].location][events[i].rf]][1] : AXIOM_NONE;
    AxiomGraph graph = {.events = events, .count = (size_t)made, .locations = 2};
    AxiomOptions options = {0};
    if (axioms_consistent(&graph, MODEL_RC11, options, arena, NULL)) {
        Outcome o = outcome_none();
        for (int i = 0; i < count; i++)
            outcome_put(&o, access[i].thread * PARTS_STEPS + access[i].index,
                        access[i].reads ? access[i].found : 0);
        outcome_put(&o, PARTS_RESULTS - 2, value_at(0, written[0]));
        outcome_put(&o, PARTS_RESULTS - 1, value_at(1, written[1]));
        vec_push(outcomes, o);
    }
    arena_reset(arena);
}

/* Chooses where the loads from I on read. */
static void choose_reads(int i)
{
    while (i < count && (access[i].writes || !access[i].reads))
        i++;
    if (i == count) {
        judge();
        return;
    }
    Access *a = &access[i];
    for (int p = 0; p <= written[a->other]; p++) {
        if (p && !(bytes_of(&access[order[a->other][p]]) & bytes_of(a)))
            continue;
        a->place = p;
        a->found = cut(a, value_at(a->other, p));
        if (a->step->kind == 'c' && a->found == a->step->wanted)
            continue;
        choose_reads(i + 1);
    }
}

/* Puts the writes of LOCATION that are not in its order yet there, in every way. */
static void choose_order(int location)
{
    if (location == 2) {
        if (simulate(0) && simulate(1))
            choose_reads(0);
        return;
    }
    bool all = true;
    for (int i = 0; i < count; i++) {
        bool there = !access[i].writes || access[i].other != location;
        for (int p = 1; p <= written[location]; p++)
            there |= order[location][p] == i;
        if (there)
            continue;
        all = false;
        order[location][++written[location]] = i;
        choose_order(location);
        written[location]--;
    }
    if (all)
        choose_order(location + 1);
}

/* Chooses which compare-exchanges from I on succeed. */
static void choose_successes(int i)
{
    while (i < count && access[i].step->kind != 'c')
        i++;
    if (i == count) {
        choose_order(0);
        return;
    }
    access[i].writes = true;
    choose_successes(i + 1);
    access[i].writes = false;
    choose_successes(i + 1);
}

void candidates_run(const Program *of, Outcomes *to)
{
    program = of;
    outcomes = to;
    arena = arena_new();
    count = written[0] = written[1] = 0;
    for (int t = 0; t < program->threads; t++)
        for (int i = 0; i < program->length[t]; i++) {
            const Step *s = &program->step[t][i];
            access[count++] = (Access){.thread = t,
                                       .index = i,
                                       .step = s,
                                       .other = s->kind == 'L' || s->kind == 'S',
                                       .writes = strchr("sxaS", s->kind) != NULL,
                                       .reads = strchr("lxacL", s->kind) != NULL};
        }
    choose_successes(0);
    arena_free(arena);
    outcomes_sort(to);
}
