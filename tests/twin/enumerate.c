/* Completeness. In each of the three models po | rf is acyclic, so the events of an execution can
 * be added one at a time such that every read comes after the write it reads from. The search below
 * does that in every possible order, letting each read choose among all writes to its location that
 * are there (and the initial one); orders that give the same partial graph are met once, through a
 * set of partial graphs seen. When all threads have ended, every coherence order is tried and the
 * judge decides. Nothing is judged before it is complete, so no property of the models beyond
 * acyclic po | rf is used, except by the two shortcuts that `pure` turns off. */
#include "enumerate.h"
#include "base/hash.h"
#include <stdio.h>

enum { MAIN = 0, MOST_EVENTS = 80 };

typedef struct State { /* a partial graph, and where each thread stands */
    AxiomEvent events[MOST_EVENTS];
    int count;
    int next[TWIN_THREADS + 1];   /* next instruction; main counts pre and post in one go */
    int length[TWIN_THREADS + 1]; /* events so far: program order */
    int registers[TWIN_THREADS + 1][TWIN_REGISTERS];
    bool created, joined;
    bool ended[TWIN_THREADS + 1];
} State;

typedef struct Search {
    const TwinProgram *program;
    TwinOptions options;
    TwinSet *set;
    HashMap seen; /* 128-bit keys of partial graphs: two maps of 64 */
    HashMap seen_other;
    Arena *scratch;
    uint64_t initial[TWIN_LOCATIONS];
    unsigned locations; /* up to the last one that the program names */
} Search;

/* --- Partial graphs -------------------------------------------------------------------------- */

static AxiomEvent *add_event(State *s, unsigned thread, AxiomKind kind)
{
    ASSERT(s->count < MOST_EVENTS);
    AxiomEvent *e = &s->events[s->count++];
    *e = (AxiomEvent){.thread = thread,
                      .index = (unsigned)s->length[thread]++,
                      .kind = kind,
                      .rf = AXIOM_NONE,
                      .rmw = AXIOM_NONE};
    return e;
}

/* What identifies a partial graph, whatever order its events came in: for each thread how far it is
 * and where its reads read from, the writes named by thread and index. */
static uint64_t state_key(const State *s, uint64_t seed)
{
    uint64_t key = seed;
    for (int i = 0; i < s->count; i++) {
        const AxiomEvent *e = &s->events[i];
        uint64_t from = 0;
        if (e->kind == AXIOM_READ && e->rf != AXIOM_NONE)
            from = 1 + s->events[e->rf].thread * 256u + s->events[e->rf].index;
        key += hash_combine(hash_combine(seed, e->thread * 256u + e->index), from); /* commutes */
    }
    return hash_mix(key);
}
static bool is_new(Search *x, const State *s)
{
    bool first, second;
    uint64_t other = state_key(s, 0x5DEECE66Du);
    *hashmap_put(&x->seen, state_key(s, 0x2545F491u), &first) = 1;
    *hashmap_put(&x->seen_other, other, &second) = 1;
    return first || second;
}

/* --- Complete graphs ------------------------------------------------------------------------- */

/* The end of the block is an event without meaning to the axioms: a relaxed fence with a mark. */
enum { FREE_MARK = 1 };
static bool is_free(const AxiomEvent *e)
{
    return e->kind == AXIOM_FENCE && e->location == FREE_MARK;
}
static bool counts_in_text(const AxiomEvent *e)
{
    return e->kind <= AXIOM_FENCE && !e->plain && !is_free(e);
}
static int index_in_text(const State *s, int event)
{
    int index = 0;
    for (int i = 0; i < s->count; i++)
        if (s->events[i].thread == s->events[event].thread && counts_in_text(&s->events[i]) &&
            s->events[i].index < s->events[event].index)
            index++;
    return index;
}
static int event_at(const State *s, unsigned thread, unsigned index)
{
    for (int i = 0; i < s->count; i++)
        if (s->events[i].thread == thread && s->events[i].index == index)
            return i;
    return AXIOM_NONE;
}

static void print_threads(const State *s, Buffer *line)
{
    for (unsigned t = 0; t <= TWIN_THREADS; t++) {
        int printed = 0;
        for (unsigned index = 0; index < (unsigned)s->length[t]; index++) {
            int number = event_at(s, t, index);
            const AxiomEvent *e = &s->events[number];
            if (!counts_in_text(e))
                continue;
            if (!printed)
                buffer_printf(line, "%sT%u:", line->count ? "; " : "", t);
            buffer_printf(line, " %d%c", printed++, "RWF"[e->kind]);
            if (e->kind == AXIOM_READ && (e->rf == AXIOM_NONE || s->events[e->rf].plain))
                buffer_printf(line, "@init");
            else if (e->kind == AXIOM_READ)
                buffer_printf(line, "@%u.%d", s->events[e->rf].thread, index_in_text(s, e->rf));
        }
    }
}
/* In the order of addresses: those in the heap come last. */
static void print_coherence(const Search *x, const State *s, Buffer *line)
{
    int rank = 0, first = x->program->heap ? TWIN_BLOCK : 0;
    for (int n = 0; n < TWIN_LOCATIONS; n++) {
        int location = (first + n) % TWIN_LOCATIONS;
        bool accessed = false;
        int printed = 0;
        for (int i = 0; i < s->count; i++)
            accessed |= s->events[i].kind <= AXIOM_WRITE && !s->events[i].plain &&
                        s->events[i].location == location;
        for (unsigned position = 1, found = 1; found; position++) {
            found = 0;
            for (int i = 0; i < s->count; i++) {
                const AxiomEvent *e = &s->events[i];
                if (e->kind != AXIOM_WRITE || e->location != location || e->coherence != position)
                    continue;
                found = 1;
                if (e->plain)
                    continue;
                if (!printed++)
                    buffer_printf(line, "; %d:", rank);
                buffer_printf(line, " %u.%d", e->thread, index_in_text(s, i));
            }
        }
        rank += accessed;
    }
}

/* Is the block freed twice? Under rc11: what is done to it that does not happen before a free is
 * too late, or may be. Other models: machine.c. */
static void judge_frees(Search *x, const AxiomGraph *graph)
{
    bool any = false;
    for (size_t f = 0; f < graph->count; f++)
        any |= is_free(&graph->events[f]);
    if (!any)
        return;
    bool by_order = model_forbids_races(x->options.model);
    Relation before = axioms_happens_before(graph, x->options.axioms, x->scratch);
    for (size_t f = 0; f < graph->count; f++)
        for (size_t i = 0; i < graph->count && is_free(&graph->events[f]); i++) {
            const AxiomEvent *e = &graph->events[i];
            if (is_free(e) && i != f)
                x->set->double_free = true;
            if (by_order && e->kind <= AXIOM_WRITE && e->location < TWIN_BLOCK &&
                !relation_has(before, i, f))
                x->set->late_use = true;
        }
}

static void judge(Search *x, State *s)
{
    AxiomGraph graph = {s->events, (size_t)s->count, x->locations, x->initial};
    AxiomFinding finding;
    x->set->judged++;
    if (x->options.most_graphs && x->set->judged > x->options.most_graphs)
        x->set->gave_up = true;
    arena_reset(x->scratch);
    if (x->set->gave_up ||
        !axioms_consistent(&graph, x->options.model, x->options.axioms, x->scratch, &finding)) {
        ASSERT(x->set->gave_up || finding.rule != AXIOM_RULE_WELL_FORMED);
        return;
    }
    size_t first, second;
    if (model_forbids_races(x->options.model) &&
        axioms_race(&graph, x->options.axioms, x->scratch, &first, &second))
        x->set->racy = true;
    judge_frees(x, &graph);
    Buffer line = {0};
    print_threads(s, &line);
    print_coherence(x, s, &line);
    vec_push(&x->set->lines, arena_copy(x->set->arena, line.count ? line.at : "", line.count + 1));
    vec_free(&line);
}

/* May write W come next in the coherence order of its location, after LAST (or AXIOM_NONE)?
 * Shortcuts that follow from coherence (hb ; co) and from atomicity. */
static bool may_follow(const State *s, int w, int last)
{
    const AxiomEvent *e = &s->events[w];
    for (int i = 0; i < s->count; i++) {
        const AxiomEvent *f = &s->events[i];
        if (f->kind == AXIOM_WRITE && f->location == e->location && f->thread == e->thread &&
            f->index < e->index && !f->coherence)
            return false;
    }
    return e->rmw == AXIOM_NONE || s->events[e->rmw].rf == last;
}
/* All coherence orders of locations LOCATION and up; positions below POSITION are taken. */
static void order_writes(Search *x, State *s, int location, unsigned position, int last)
{
    bool found = false;
    if (location == TWIN_LOCATIONS) {
        judge(x, s);
        return;
    }
    for (int w = 0; w < s->count && !x->set->gave_up; w++) {
        AxiomEvent *e = &s->events[w];
        if (e->kind != AXIOM_WRITE || e->location != location || e->coherence)
            continue;
        found = true;
        if (!x->options.pure && !may_follow(s, w, last))
            continue;
        e->coherence = position;
        order_writes(x, s, location, position + 1, w);
        e->coherence = 0;
    }
    if (!found)
        order_writes(x, s, location + 1, 1, AXIOM_NONE);
}

/* --- The search ------------------------------------------------------------------------------ */

static void search(Search *x, const State *s);

static const TwinInstruction *instruction_at(const Search *x, int thread, int n)
{
    const TwinProgram *p = x->program;
    if (thread != MAIN)
        return n < p->thread[thread - 1].length ? &p->thread[thread - 1].code[n] : NULL;
    if (n < p->pre.length)
        return &p->pre.code[n];
    n -= p->pre.length;
    if (n < p->mid.length)
        return &p->mid.code[n];
    n -= p->mid.length;
    return n < p->post.length ? &p->post.code[n] : NULL;
}

static AxiomEvent *add_access(State *s, int thread, AxiomKind kind, const TwinInstruction *i,
                              int order)
{
    AxiomEvent *e = add_event(s, (unsigned)thread, kind);
    e->plain = order == TWIN_NA;
    e->order = e->plain ? AXIOM_RELAXED : (AxiomOrder)order;
    e->location = i->location;
    e->locked = i->op == TWIN_EXCHANGE || i->op == TWIN_ADD || i->op == TWIN_CAS;
    return e;
}
/* The instruction with its read from write FROM; the write part of a read-modify-write comes with
 * it. */
static void read_from(Search *x, const State *before, int thread, const TwinInstruction *i,
                      int from)
{
    State s = *before;
    int *registers = s.registers[thread];
    int found = from == AXIOM_NONE ? x->program->initial[i->location] : (int)s.events[from].value;
    int value = twin_value(i->value, registers) + (i->op == TWIN_ADD ? found : 0);
    bool writes = i->op == TWIN_EXCHANGE || i->op == TWIN_ADD ||
                  (i->op == TWIN_CAS && found == twin_value(i->expected, registers));
    if (writes && !x->options.pure) /* atomicity: one read-modify-write a write */
        for (int w = 0; w < s.count; w++)
            if (s.events[w].kind == AXIOM_WRITE && s.events[w].rmw != AXIOM_NONE &&
                s.events[w].location == i->location && s.events[s.events[w].rmw].rf == from)
                return;
    AxiomEvent *r =
        add_access(&s, thread, AXIOM_READ, i, i->op == TWIN_CAS && !writes ? i->failure : i->order);
    r->rf = from;
    r->value = (uint64_t)found;
    if (writes) {
        int number = s.count - 1;
        AxiomEvent *w = add_access(&s, thread, AXIOM_WRITE, i, i->order);
        w->value = (uint64_t)value;
        w->rmw = number;
    }
    if (i->destination >= 0)
        registers[i->destination] = found;
    if (i->pair)
        registers[i->destination + 1] =
            from == AXIOM_NONE ? x->program->initial[i->location + 1] : found;
    s.next[thread]++;
    search(x, &s);
}

static void step(Search *x, const State *before, int thread, const TwinInstruction *i)
{
    if (i->op == TWIN_STORE || i->op >= TWIN_FENCE) {
        State s = *before;
        if (i->op == TWIN_FREE)
            add_event(&s, (unsigned)thread, AXIOM_FENCE)->location = FREE_MARK;
        else if (i->op == TWIN_STORE)
            add_access(&s, thread, AXIOM_WRITE, i, i->order)->value =
                (uint64_t)twin_value(i->value, s.registers[thread]);
        else
            add_event(&s, (unsigned)thread, AXIOM_FENCE)->order = (AxiomOrder)i->order;
        s.next[thread]++;
        search(x, &s);
        return;
    }
    read_from(x, before, thread, i, AXIOM_NONE);
    for (int w = 0; w < before->count; w++)
        if (before->events[w].kind == AXIOM_WRITE && before->events[w].location == i->location)
            read_from(x, before, thread, i, w);
}

static void create_threads(const Search *x, State *s)
{
    for (int child = 1; child <= x->program->threads; child++) {
        add_event(s, MAIN, AXIOM_CREATE)->peer = (unsigned)child;
        add_event(s, (unsigned)child, AXIOM_BEGIN);
    }
    s->created = true;
}

/* Threads that need no event now are moved on: guards that fail, the creation of all threads by
 * main, the end of a thread, the joins. These have no choice, so they are done at once. */
static void settle(const Search *x, State *s)
{
    for (int t = 0; t <= x->program->threads; t++) {
        const TwinInstruction *i;
        if (t != MAIN && !s->created)
            return;
        bool waits = false;
        for (;;) {
            if (t == MAIN && s->next[t] == x->program->pre.length && !s->created)
                create_threads(x, s);
            waits = t == MAIN && !s->joined &&
                    s->next[t] == x->program->pre.length + x->program->mid.length;
            i = waits ? NULL : instruction_at(x, t, s->next[t]);
            if (!i || twin_enabled(i, s->registers[t]))
                break;
            s->next[t]++;
        }
        if (!waits && t != MAIN && !instruction_at(x, t, s->next[t]) && !s->ended[t]) {
            add_event(s, (unsigned)t, AXIOM_END);
            s->ended[t] = true;
        }
    }
    if (s->joined || s->next[MAIN] < x->program->pre.length + x->program->mid.length)
        return;
    for (int t = 1; t <= x->program->threads; t++)
        if (!s->ended[t])
            return;
    for (int t = 1; t <= x->program->threads; t++)
        add_event(s, MAIN, AXIOM_JOIN)->peer = (unsigned)t;
    s->joined = true;
    settle(x, s); /* guards of what main does now */
}

static void search(Search *x, const State *before)
{
    State s = *before;
    bool complete = true;
    settle(x, &s);
    if (x->set->gave_up || !is_new(x, &s))
        return;
    for (int t = 0; t <= x->program->threads; t++) {
        const TwinInstruction *i = instruction_at(x, t, s.next[t]);
        int before_join = x->program->pre.length + x->program->mid.length;
        bool waits = t == MAIN ? s.next[t] >= before_join && !s.joined : !s.created;
        if (!i)
            continue;
        complete = false;
        if (!waits)
            step(x, &s, t, i);
    }
    if (complete)
        order_writes(x, &s, 0, 1, AXIOM_NONE);
}

/* --- Plain accesses to several locations ------------------------------------------------------ */

/* The blocks of main are numbers -3 to -1. */
static const TwinBlock *block_of(const TwinProgram *p, int number)
{
    return number == -3   ? &p->pre
           : number == -2 ? &p->mid
           : number == -1 ? &p->post
                          : &p->thread[number];
}

/* Are locations L and L + 1 one to every access? Two that share 8 aligned bytes are then not torn.
 */
static bool are_one(const TwinProgram *p, int l)
{
    if (l % 2 != 0)
        return false;
    for (int t = -3; t < p->threads; t++) {
        const TwinBlock *b = block_of(p, t);
        for (int n = 0; n < b->length; n++) {
            const TwinInstruction *i = &b->code[n];
            if (i->op < TWIN_FENCE && (i->location == l + 1 || i->location + i->width == l + 1))
                return false;
        }
    }
    return true;
}
/* realloc reads the block, then frees it. What is read goes nowhere. */
static void split_move(const TwinInstruction *move, TwinBlock *to)
{
    ASSERT(to->length + TWIN_BLOCK < TWIN_LENGTH);
    for (int k = 0; k <= TWIN_BLOCK; k++) {
        TwinInstruction i = *move;
        i.op = k < TWIN_BLOCK ? TWIN_LOAD : TWIN_FREE;
        i.order = TWIN_NA;
        i.location = k;
        i.width = 1;
        to->code[to->length++] = i;
    }
}
/* Each access to several locations becomes one to each, in the order of their addresses. */
static void split_block(const TwinProgram *p, const TwinBlock *from, TwinBlock *to)
{
    to->length = 0;
    for (int n = 0; n < from->length; n++) {
        if (from->code[n].op == TWIN_MOVE) {
            split_move(&from->code[n], to);
            continue;
        }
        for (int k = 0; k < from->code[n].width; k++) {
            TwinInstruction i = from->code[n];
            i.location += k;
            i.width = 1;
            if (i.destination >= 0)
                i.destination += k;
            if (k &&
                are_one(p, i.location - 1)) { /* its event is there; a store gives both one value */
                ASSERT(to->length > 0);
                to->code[to->length - 1].pair = true;
                continue;
            }
            ASSERT(to->length < TWIN_LENGTH);
            to->code[to->length++] = i;
        }
    }
}
static void split(const TwinProgram *from, TwinProgram *to)
{
    *to = *from;
    split_block(from, &from->pre, &to->pre);
    split_block(from, &from->mid, &to->mid);
    split_block(from, &from->post, &to->post);
    for (int t = 0; t < from->threads; t++)
        split_block(from, &from->thread[t], &to->thread[t]);
}

void twin_enumerate(const TwinProgram *text, TwinOptions options, TwinSet *set)
{
    TwinProgram pieces;
    const TwinProgram *program = &pieces;
    split(text, &pieces);
    Search x = {.program = program, .options = options, .set = set, .scratch = arena_new()};
    State start = {0};
    bool has_free = false;
    *set = (TwinSet){.arena = arena_new()};
    for (int i = 0; i < TWIN_LOCATIONS; i++)
        x.initial[i] = (uint64_t)program->initial[i];
    for (int t = -3; t < program->threads; t++) {
        const TwinBlock *b = block_of(program, t);
        for (int i = 0; i < b->length; i++)
            x.locations = MAX(x.locations, (unsigned)b->code[i].location + 1),
            has_free |= b->code[i].op == TWIN_FREE;
    }
    search(&x, &start);
    if (has_free && !model_forbids_races(options.model))
        set->late_use = twin_machine_uses_late(program, options, &set->gave_up);
    hashmap_free(&x.seen);
    hashmap_free(&x.seen_other);
    arena_free(x.scratch);
    twin_set_sort(set);
}

static int compare_lines(const void *a, const void *b)
{
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}
void twin_set_sort(TwinSet *set)
{
    if (set->lines.count)
        qsort(set->lines.at, set->lines.count, sizeof *set->lines.at, compare_lines);
}
void twin_set_free(TwinSet *set)
{
    vec_free(&set->lines);
    arena_free(set->arena);
}
