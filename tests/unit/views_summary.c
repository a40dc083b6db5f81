/* The summary of rc11 graphs (guest/states/views) against the axioms of RC11 (Lahav and others,
 * PLDI 2017), literally, by matrices. Random programs; all their consistent graphs are built event
 * by event, and at each graph the summary must allow just the events that the axioms do, and find
 * the same races, after it has forgotten what it may. Then the same programs are explored by states
 * alone: those with equal words are one, and the outcomes must be those of all graphs.
 *     views_summary [SEED COUNT]    HEDDLE_VIEWS_SIZE=N: up to N events more */
#include "guest/states/views/summary.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>
#include "base/hash.h"

enum { THREADS = 4, PLACES = 4, STEPS = 8, EVENTS = 32, WRITES = 26, NODES = 64 };
typedef enum Op { LOAD, STORE, ADD, SWAP, CAS, FENCE, CREATE, JOIN } Op;
typedef enum Order { PLAIN, RELAXED, ACQUIRE, RELEASE, ACQ_REL, SEQ_CST } Order;
typedef struct Step {
    uint8_t op, order, failure, place, other, value, expected;
    bool forgets; /* nothing depends on what it reads */
    bool varies;  /* its place is `other' if the first value that its thread has read is not 0 */
} Step;
typedef struct Program {
    Step step[THREADS][STEPS];
    int steps[THREADS], threads, places;
    bool c11;              /* release sequences */
    bool begins[THREADS];  /* without being created */
    bool is_plain[PLACES]; /* only plain accesses: no place of the summary */
} Program;

typedef struct Event {
    int8_t thread, index, rf, place;
    uint8_t kind, read_order, write_order, value, other;
} Event;
enum { MARK_CREATE = 8, MARK_JOIN, MARK_END, MARK_BEGIN };
typedef struct Graph {
    int events;
    Event event[EVENTS];
    int writes[PLACES];
    uint8_t mo[PLACES][WRITES];
    int pc[THREADS], count[THREADS];
    bool begun[THREADS], ended[THREADS];
    uint8_t seen[THREADS][STEPS];
} Graph;

static Program program;
static Random draw;
static uint32_t below(uint32_t n)
{
    return (uint32_t)random_below(&draw, n);
}
static bool acquires(int order)
{
    return order == ACQUIRE || order == ACQ_REL || order == SEQ_CST;
}
static bool releases(int order)
{
    return order == RELEASE || order == ACQ_REL || order == SEQ_CST;
}

/* ---- the axioms ---- */

typedef struct Relation {
    uint64_t row[NODES];
} Relation;
static int nodes, read_node[EVENTS], write_node[EVENTS];
static struct {
    int thread, index, place, order, is; /* 1 read, 2 write, 4 fence, 8 none of these */
} node[NODES];
static Relation hb;

static Relation compose(Relation a, Relation b)
{
    Relation c = {{0}};
    for (int i = 0; i < nodes; i++)
        for (uint64_t bits = a.row[i]; bits; bits &= bits - 1)
            c.row[i] |= b.row[__builtin_ctzll(bits)];
    return c;
}
static Relation either(Relation a, Relation b)
{
    for (int i = 0; i < nodes; i++)
        a.row[i] |= b.row[i];
    return a;
}
static Relation maybe(Relation a)
{
    for (int i = 0; i < nodes; i++)
        a.row[i] |= UINT64_C(1) << i;
    return a;
}
static Relation closed(Relation a)
{
    for (int k = 0; k < nodes; k++)
        for (int i = 0; i < nodes; i++)
            if (a.row[i] >> k & 1)
                a.row[i] |= a.row[k];
    return a;
}
static Relation between(uint64_t from, Relation a, uint64_t to)
{
    for (int i = 0; i < nodes; i++)
        a.row[i] = from >> i & 1 ? a.row[i] & to : 0;
    return a;
}
static bool is_loop_free(Relation a)
{
    for (int i = 0; i < nodes; i++)
        if (a.row[i] >> i & 1)
            return false;
    return true;
}
static void add_node(const Event *e, int order, int is)
{
    node[nodes].thread = e->thread;
    node[nodes].index = 2 * e->index + (is == 2);
    node[nodes].place = is < 4 ? e->place : -1;
    node[nodes].order = order;
    node[nodes++].is = is;
}
static void make_nodes(const Graph *g)
{
    nodes = 0;
    for (int i = 0; i < g->events; i++) {
        const Event *e = &g->event[i];
        read_node[i] = write_node[i] = nodes;
        if (e->kind & 1 && e->kind < 4)
            add_node(e, e->read_order, 1);
        write_node[i] = e->kind == 3 ? nodes : read_node[i];
        if (e->kind & 2 && e->kind < 4)
            add_node(e, e->write_order, 2);
        if (e->kind >= 4)
            add_node(e, e->read_order, e->kind == 4 ? 4 : 8);
    }
}
static bool is_consistent(const Graph *g)
{
    make_nodes(g);
    Relation sb = {{0}}, rf = {{0}}, mo = {{0}}, back = {{0}}, rmw = {{0}}, apart = {{0}},
             same = {{0}}, later = {{0}};
    uint64_t R = 0, W = 0, F = 0, atomic = 0, rel = 0, acq = 0, sc = 0, all = UINT64_MAX;
    for (int i = 0; i < nodes; i++) {
        uint64_t bit = UINT64_C(1) << i;
        R |= node[i].is == 1 ? bit : 0;
        W |= node[i].is == 2 ? bit : 0;
        F |= node[i].is == 4 ? bit : 0;
        atomic |= node[i].is < 4 && node[i].order != PLAIN ? bit : 0;
        rel |= (node[i].is == 2 || node[i].is == 4) && releases(node[i].order) ? bit : 0;
        acq |= (node[i].is == 1 || node[i].is == 4) && acquires(node[i].order) ? bit : 0;
        sc |= node[i].is < 8 && node[i].order == SEQ_CST ? bit : 0;
        for (int j = 0; j < nodes; j++)
            if (node[i].thread < 0
                    ? node[j].thread >= 0
                    : node[i].thread == node[j].thread && node[i].index < node[j].index)
                sb.row[i] |= UINT64_C(1) << j;
    }
    for (int i = 0; i < g->events; i++) {
        const Event *e = &g->event[i];
        if (e->kind == 1 || e->kind == 3) {
            rf.row[write_node[e->rf]] |= UINT64_C(1) << read_node[i];
            back.row[read_node[i]] |= UINT64_C(1) << write_node[e->rf];
        }
        if (e->kind == 3)
            rmw.row[read_node[i]] |= UINT64_C(1) << write_node[i];
    }
    for (int x = 0; x < program.places; x++)
        for (int a = 0; a < g->writes[x]; a++)
            for (int b = a + 1; b < g->writes[x]; b++)
                mo.row[write_node[g->mo[x][a]]] |= UINT64_C(1) << write_node[g->mo[x][b]];
    for (int i = 0; i < nodes; i++)
        for (int j = 0; j < nodes; j++)
            if (sb.row[i] >> j & 1 && (W & atomic) >> i & 1 && (W & atomic) >> j & 1 &&
                node[i].thread >= 0 && node[i].place == node[j].place)
                later.row[i] |= UINT64_C(1) << j;
    Relation fr = compose(back, mo), gap = compose(fr, mo);
    for (int i = 0; i < nodes; i++)
        if (gap.row[i] & rmw.row[i])
            return false;
    Relation eco = closed(either(either(rf, mo), fr));
    Relation sequence = maybe(closed(compose(rf, rmw)));
    if (program.c11)
        sequence = compose(maybe(later), sequence);
    sequence = between(W & atomic, sequence, all);
    Relation sw = compose(compose(maybe(between(F, sb, all)), sequence),
                          compose(between(all, rf, R & atomic), maybe(between(all, sb, F))));
    hb = either(sb, between(rel, sw, acq));
    for (int i = 0; i < g->events; i++)
        for (int j = 0; j < g->events; j++) {
            const Event *a = &g->event[i], *b = &g->event[j];
            if ((a->kind == MARK_CREATE && b->thread == a->other && !b->index) ||
                (a->kind == MARK_END && b->kind == MARK_JOIN && b->other == a->thread))
                hb.row[read_node[i]] |= UINT64_C(1) << read_node[j];
        }
    hb = closed(hb);
    if (!is_loop_free(hb) || !is_loop_free(compose(hb, maybe(eco))))
        return false;
    for (int i = 0; i < nodes; i++)
        for (int j = 0; j < nodes; j++) {
            bool one = node[i].place >= 0 && node[i].place == node[j].place;
            if (sb.row[i] >> j & 1 && !one)
                apart.row[i] |= UINT64_C(1) << j;
            if (hb.row[i] >> j & 1 && one)
                same.row[i] |= UINT64_C(1) << j;
        }
    Relation scb = either(either(sb, same), either(mo, fr));
    scb = either(scb, compose(compose(apart, hb), apart));
    uint64_t fences = F & sc;
    Relation none = {{0}};
    Relation begin = either(between(sc, maybe(none), all), between(fences, maybe(hb), all));
    Relation end = either(between(all, maybe(none), sc), between(all, maybe(hb), fences));
    Relation psc = compose(compose(begin, scb), end);
    psc = either(psc, between(fences, either(hb, compose(compose(hb, eco), hb)), fences));
    return is_loop_free(closed(psc));
}
/* Does the last event of G race? */
static bool last_races(const Graph *g)
{
    int last = g->events - 1;
    const Event *e = &g->event[last];
    for (int i = 0; i < last && e->kind < 4; i++) {
        const Event *f = &g->event[i];
        bool plain = (f->kind & 1 ? f->read_order : f->write_order) == PLAIN ||
                     (e->kind & 1 ? e->read_order : e->write_order) == PLAIN;
        if (f->thread >= 0 && f->kind < 4 && f->thread != e->thread && f->place == e->place &&
            plain && (f->kind | e->kind) & 2 && !(hb.row[write_node[i]] >> read_node[last] & 1))
            return true;
    }
    return false;
}

/* ---- programs ---- */

static int flavour;
static uint8_t draw_order(bool reads, bool writes)
{
    for (;;) {
        uint32_t o;
        switch (flavour) {
        case 0:
            o = below(6);
            break;
        case 1:
            o = below(3) ? SEQ_CST : 1 + below(4);
            break;
        case 2:
            o = below(2) ? RELAXED : 2 + below(3);
            break;
        case 3:
            o = below(3) ? RELAXED : SEQ_CST;
            break;
        default:
            o = 1 + below(5);
        }
        if ((o == PLAIN && reads && writes) || (o == ACQUIRE && !reads) ||
            (o == RELEASE && !writes) || (o == ACQ_REL && !(reads && writes)))
            continue;
        return (uint8_t)o;
    }
}
static Step draw_step(bool fences)
{
    Step s = {.place = (uint8_t)below((uint32_t)program.places),
              .value = (uint8_t)(1 + below(2)),
              .forgets = below(2)};
    uint32_t k = below(12);
    if (fences && k < 3) {
        s.op = FENCE;
        s.order = (uint8_t)(below(2) ? SEQ_CST : ACQUIRE + below(3));
    } else if (k < 7) {
        s.op = LOAD;
        s.order = draw_order(true, false);
    } else if (k < 10) {
        s.op = STORE;
        s.order = draw_order(false, true);
    } else {
        s.op = (uint8_t)(ADD + below(3));
        s.order = draw_order(true, true);
        s.expected = (uint8_t)below(2);
        s.failure = s.order == ACQ_REL ? ACQUIRE : s.order == RELEASE ? RELAXED : s.order;
        if (!below(3))
            s.failure = RELAXED;
    }
    return s;
}

/* An access of a thread on a cycle, of its own STYLE. */
static Step draw_access(int style, bool writes, int place, uint8_t *last)
{
    static const uint8_t likely[4][6] = {{SEQ_CST, SEQ_CST, SEQ_CST, SEQ_CST, ACQ_REL, RELAXED},
                                         {RELAXED, RELAXED, RELAXED, SEQ_CST, ACQ_REL, ACQ_REL},
                                         {SEQ_CST, SEQ_CST, ACQ_REL, ACQ_REL, RELAXED, RELAXED},
                                         {ACQ_REL, ACQ_REL, ACQ_REL, SEQ_CST, SEQ_CST, RELAXED}};
    bool both = !below(9);
    Step s = {.op = (uint8_t)(both     ? ADD + below(2)
                              : writes ? STORE
                                       : LOAD),
              .order = likely[style][below(6)],
              .place = (uint8_t)place,
              .forgets = below(2)};
    if (s.order == ACQ_REL && !both)
        s.order = writes ? RELEASE : ACQUIRE;
    s.value = s.op == LOAD ? 0 : ++last[place];
    return s;
}
/* Programs around a cycle of threads, as diy makes them: thread i is entered at one place, and left
 * at another. */
static void draw_cycle(int more)
{
    uint8_t last[PLACES] = {0};
    int n = 2 + (int)below(3), style = (int)below(4), edge[THREADS];
    program.threads = program.places = n;
    for (int i = 0; i < n; i++)
        edge[i] = (int)below(5); /* 0 reads-from, 1 modification order, else from-reads */
    bool joined = n > 2 && !below(4), again = below(2);
    for (int t = 0; t < n; t++) {
        Step *s = program.step[t];
        int in = (t + n - 1) % n, k = 0;
        int from = joined && in == n - 1 ? 0 : in, to = joined && t == n - 1 ? 0 : t;
        s[k++] = draw_access(style, edge[in] != 0, from, last);
        if (again && !below(3)) /* once more where it was entered */
            s[k++] = draw_access(style, below(2), from, last);
        if (below(style == 1 ? 4 : 2) == 0 || (style == 1 && below(2)))
            s[k++] =
                (Step){.op = FENCE, .order = (uint8_t)(below(2) ? SEQ_CST : ACQUIRE + below(3))};
        if (again && !below(3)) /* before it is left there */
            s[k++] = draw_access(style, below(2), to, last);
        s[k++] = draw_access(style, edge[t] < 2, to, last);
        if (below(7) < (uint32_t)more)
            s[k++] = draw_access(style, below(2), (int)below((uint32_t)n), last);
        program.begins[t] = true;
        program.steps[t] = k;
    }
}
static void draw_program(int more)
{
    memset(&program, 0, sizeof program);
    flavour = (int)below(6);
    program.c11 = !below(3);
    if (below(2)) {
        draw_cycle(more + 1);
        return;
    }
    program.places = 1 + (int)below(3);
    program.threads = 2 + (int)below(3);
    int left = 7 + more - (program.threads == 4);
    bool fences = below(2), creates = !below(4);
    for (int x = 0; x < program.places; x++)
        program.is_plain[x] = flavour == 0;
    for (int t = 0; t < program.threads; t++) {
        int n = MIN(left - (program.threads - 1 - t), 1 + (int)below(4));
        left -= MAX(n, 1);
        program.begins[t] = true;
        for (int i = 0; i < MAX(n, 1); i++)
            program.step[t][program.steps[t]++] = draw_step(fences);
    }
    int last = program.threads - 1;
    for (int t = 0; t < program.threads; t++)
        for (int i = 0; i < program.steps[t]; i++) {
            const Step *s = &program.step[t][i];
            if (s->op < FENCE && s->order != PLAIN)
                program.is_plain[s->place] = false;
        }
    if (!creates)
        return;
    program.begins[last] = false;
    int at = (int)below((uint32_t)program.steps[0] + 1);
    memmove(&program.step[0][at + 1], &program.step[0][at],
            sizeof(Step) * (size_t)(program.steps[0] - at));
    program.step[0][at] = (Step){.op = CREATE, .other = (uint8_t)last};
    program.steps[0]++;
    if (program.steps[0] < STEPS && below(2)) {
        at += 1 + (int)below((uint32_t)(program.steps[0] - at));
        memmove(&program.step[0][at + 1], &program.step[0][at],
                sizeof(Step) * (size_t)(program.steps[0] - at));
        program.step[0][at] = (Step){.op = JOIN, .other = (uint8_t)last};
        program.steps[0]++;
    }
}
static const char *const order_words[] = {"na", "rlx", "acq", "rel", "ar", "sc"};
static const char *const op_words[] = {"ld", "st", "add", "xchg", "cas", "fence", "create", "join"};
static void print_program(void)
{
    printf("%s", program.c11 ? "c11 " : "");
    for (int t = 0; t < program.threads; t++, printf("%s", t < program.threads ? " | " : "\n"))
        for (int i = 0; i < program.steps[t]; i++) {
            const Step *s = &program.step[t][i];
            printf("%s.%s", op_words[s->op], order_words[s->order]);
            if (s->op == CAS)
                printf(".%s", order_words[s->failure]);
            if (s->op != FENCE)
                printf(" %u %u", s->op < CREATE ? s->place : s->other, s->value);
            printf("%s%s",
                   s->forgets && (s->op == LOAD || s->op > STORE) && s->op < FENCE ? " -" : "",
                   i + 1 < program.steps[t] ? "; " : "");
        }
}

static void note_plain_places(void)
{
    for (int x = 0; x < program.places; x++)
        program.is_plain[x] = true;
    for (int t = 0; t < program.threads; t++)
        for (int i = 0; i < program.steps[t]; i++)
            if (program.step[t][i].op < FENCE && program.step[t][i].order != PLAIN)
                program.is_plain[program.step[t][i].place] = false;
}

/* Reads a program as print_program writes it, but for places, which are numbers: threads end in
 * `|'; `-' behind a read: nothing depends on it; "c11" first. */
static void read_program(const char *text)
{
    char line[512], *rest = line, *word;
    memset(&program, 0, sizeof program);
    snprintf(line, sizeof line, "%s", text);
    program.threads = 1;
    program.begins[0] = true;
    Step *s = NULL;
    int numbers = 0;
    while ((word = strtok_r(rest, " ;", &rest))) {
        char *dot = strchr(word, '.');
        if (!strcmp(word, "c11")) {
            program.c11 = true;
        } else if (!strcmp(word, "|")) {
            program.begins[program.threads++] = true;
        } else if (dot) {
            int t = program.threads - 1;
            s = &program.step[t][program.steps[t]++];
            *dot = 0;
            while (strcmp(op_words[s->op], word))
                s->op++;
            while (strcmp(order_words[s->order], dot + 1))
                s->order++;
            numbers = 0;
        } else if (!strcmp(word, "-")) {
            s->forgets = true;
        } else if (numbers++) {
            s->value = (uint8_t)atoi(word);
        } else {
            char *other = strchr(word, ':');
            s->varies = other != NULL;
            s->place = (uint8_t)atoi(word);
            s->other = other ? (uint8_t)atoi(other + 1) : 0;
            program.places = MAX(program.places, MAX(s->place, s->other) + 1);
        }
    }
    note_plain_places();
}

/* ---- mutants: a part of the summary that is always empty, or left out of the key ---- */

typedef enum Part {
    FENCE_MASK,
    BEFORE_FENCE_MASK,
    OTHER_MASK,
    SAME_MASK,
    SKIPPING,
    REACHED,
    TO_WRITE,
    TO_WRITE_FENCED,
    TO_READ_FENCED,
    ECO_ENTRIES,
    SCB_ENTRIES,
    ACQ_VIEW,
    REL_VIEW,
    MESSAGE_VIEW,
    ATTACHED,
    CLOCKS,
    POSITIONS,
    HEADS,
    LAST,
    PARTS
} Part;
static const char *const part_words[] = {
    "fence",           "before_fence",   "other", "same", "skipping", "reached", "to_write",
    "to_write_fenced", "to_read_fenced", "eco",   "scb",  "acq",      "rel",     "message_view",
    "attached",        "clock",          "at",    "head", "last"};
static int spoilt_state = PARTS;

static void spoil_masks(SummaryMask *masks, size_t count, int part)
{
    for (size_t i = 0; i < count; i++) {
        masks[i].eco = part == ECO_ENTRIES ? 0 : masks[i].eco;
        masks[i].scb = part == SCB_ENTRIES ? 0 : masks[i].scb;
    }
}
static void spoil_view(SummaryView *v, int part)
{
    static const SummaryMask none;
    SummaryMask *masks = &v->fence; /* all that follow */
    size_t count = (sizeof *v - offsetof(SummaryView, fence)) / sizeof *masks;
    if (part == FENCE_MASK)
        v->fence = none;
    if (part == BEFORE_FENCE_MASK)
        v->before_fence = none;
    if (part == OTHER_MASK)
        v->other = none;
    if (part == SAME_MASK)
        memset(v->same, 0, sizeof v->same);
    spoil_masks(masks, count, part);
    if (part == CLOCKS)
        memset(v->clock, 0xff, sizeof v->clock);
    if (part == POSITIONS)
        memset(v->at, 0, sizeof v->at);
}
static void spoil(Summary *s, int part)
{
    static const SummaryMask none;
    static const SummaryView nothing;
    for (uint32_t t = 0; t < SUMMARY_THREADS && part != PARTS; t++) {
        SummaryThread *thread = &s->thread[t];
        spoil_view(&thread->cur, part);
        spoil_view(&thread->acq, part);
        spoil_view(&thread->rel, part);
        spoil_masks(&thread->skipping, 1, part);
        spoil_masks(&thread->reached, 1, part);
        if (part == SKIPPING)
            thread->skipping = none;
        if (part == REACHED)
            thread->reached = none;
        if (part == ACQ_VIEW)
            thread->acq = nothing;
        if (part == REL_VIEW)
            thread->rel = nothing;
        if (part == LAST)
            thread->last = 0;
        for (uint32_t i = 0; i < s->places && part == HEADS; i++)
            thread->head[i] = nothing;
    }
    for (uint32_t i = 0; i < s->places && part != PARTS; i++)
        for (uint32_t k = 0; k < s->place[i].count; k++) {
            SummaryMessage *m = &s->place[i].message[k];
            uint8_t own = m->view.at[i];
            spoil_view(&m->view, part);
            spoil_masks(&m->to_write, 3, part);
            if (part == TO_WRITE)
                m->to_write = none;
            if (part == TO_WRITE_FENCED)
                m->to_write_fenced = none;
            if (part == TO_READ_FENCED)
                m->to_read_fenced = none;
            if (part == MESSAGE_VIEW)
                m->view = nothing;
            if (part == ATTACHED)
                m->attached = false;
            m->view.at[i] = own;
        }
}

/* ---- steps ---- */

/* The event of T's next step if it reads, or goes behind, write number Q of its place. False: there
 * is none. */
static bool next_event(const Graph *g, int t, int q, Event *e)
{
    const Step *s = &program.step[t][g->pc[t]];
    uint8_t place = s->varies && g->seen[t][0] > 1 ? s->other : s->place;
    *e = (Event){.thread = (int8_t)t, .index = (int8_t)g->count[t], .rf = -1, .other = s->other};
    e->place = s->op < FENCE ? (int8_t)place : -1;
    e->read_order = e->write_order = s->order;
    if (s->op >= FENCE) {
        e->kind = s->op == FENCE ? 4 : s->op == CREATE ? MARK_CREATE : MARK_JOIN;
        return q == 0 && (s->op != JOIN || g->ended[s->other]);
    }
    if (q >= g->writes[place])
        return false;
    const Event *w = &g->event[g->mo[place][q]];
    e->rf = s->op == STORE ? -1 : (int8_t)g->mo[place][q];
    e->kind = s->op == LOAD ? 1 : s->op == STORE ? 2 : 3;
    e->value = s->op == ADD ? (uint8_t)(w->value + 1) : s->value;
    if (s->op == CAS && w->value != s->expected) {
        e->kind = 1;
        e->read_order = s->failure;
    }
    return true;
}
static void add_event(Graph *g, int t, int q, const Event *e)
{
    int number = g->events++;
    g->event[number] = *e;
    if (e->kind & 2 && e->kind < 4) {
        for (int i = g->writes[e->place]++; i > q + 1; i--)
            g->mo[e->place][i] = g->mo[e->place][i - 1];
        g->mo[e->place][q + 1] = (uint8_t)number;
    }
    if (e->rf >= 0 && !program.step[t][g->pc[t]].forgets)
        g->seen[t][g->pc[t]] = (uint8_t)(1 + g->event[e->rf].value);
    if (program.step[t][g->pc[t]].varies)
        g->seen[t][0] = 0; /* nothing else depends on it */
    g->pc[t]++;
    g->count[t]++;
    if (e->kind != MARK_CREATE)
        return;
    g->begun[e->other] = true; /* that it begins is an event, without a place */
    g->event[g->events++] =
        (Event){.thread = (int8_t)e->other, .rf = -1, .place = -1, .kind = MARK_BEGIN};
    g->count[e->other]++;
}
static bool is_joined(int t)
{
    bool any = false;
    for (int u = 0; u < program.threads; u++)
        for (int i = 0; i < program.steps[u]; i++)
            any |= program.step[u][i].op == JOIN && program.step[u][i].other == t;
    return any;
}
static void end_threads(Graph *g, Summary *s)
{
    for (int t = 0; t < program.threads; t++)
        if (g->begun[t] && !g->ended[t] && g->pc[t] == program.steps[t]) {
            g->event[g->events++] = (Event){.thread = (int8_t)t,
                                            .index = (int8_t)g->count[t]++,
                                            .rf = -1,
                                            .place = -1,
                                            .kind = MARK_END};
            g->ended[t] = true;
            summary_end(s, (uint32_t)t);
            s->thread[t].ended = is_joined(t);
        }
}
static bool is_ever_plain(int place)
{
    bool any = false;
    for (int t = 0; t < program.threads; t++)
        for (int i = 0; i < program.steps[t]; i++)
            any |= program.step[t][i].op < FENCE && program.step[t][i].place == place &&
                   (program.step[t][i].order == PLAIN);
    return any;
}
static SummaryEvent event_of(const Event *e, uint32_t place, uint32_t from)
{
    int order = e->kind & 1 || e->kind >= 4 ? e->read_order : e->write_order;
    return (SummaryEvent){.thread = (uint8_t)e->thread,
                          .kind = e->kind,
                          .atomic = order != PLAIN,
                          .acquires = acquires(order),
                          .releases = releases(order) && e->kind != 1,
                          .seq_cst = order == SEQ_CST,
                          .place = place,
                          .from = from,
                          .value = e->value,
                          .at = (uint64_t)e->place + 1,
                          .bytes = 1,
                          .recorded = e->kind < 4 && is_ever_plain(e->place)};
}
/* Adds E to S, if it is possible there. */
static bool summary_takes(Summary *s, const Graph *g, const Event *e, int q, bool *races)
{
    *races = false;
    if (e->kind == MARK_CREATE) {
        summary_create(s, (uint32_t)e->thread, e->other);
        return true;
    }
    if (e->kind == MARK_JOIN) {
        summary_join(s, (uint32_t)e->thread, e->other);
        return true;
    }
    uint32_t place = SUMMARY_NOWHERE, from = 0;
    if (e->kind < 4 && !program.is_plain[e->place]) {
        uint32_t last = (uint32_t)g->writes[e->place] - 1;
        place = summary_find_place(s, (uint64_t)e->place + 1);
        if (place == SUMMARY_NOWHERE)
            place = summary_add_place(s, (uint64_t)e->place + 1, 1,
                                      g->event[g->mo[e->place][last]].value, false);
        int dropped = g->writes[e->place] - (int)s->place[place].count;
        if (q < dropped || q - dropped < s->thread[e->thread].cur.at[place])
            return false;
        from = (uint32_t)(q - dropped);
    }
    SummaryEvent event = event_of(e, place, from);
    if (!summary_allows(s, &event))
        return false;
    *races = summary_add(s, &event) != NULL;
    assert_true(!s->full || spoilt_state != PARTS);
    return true;
}

/* ---- the two searches ---- */

enum { MOST_GRAPHS = 6000 };
typedef struct Seen {
    uint64_t at[1 << 17];
    int count;
} Seen;
static Seen graphs, states, outcomes, other_outcomes;
static bool too_large, races, other_races, differs;
static uint64_t complete;

static bool is_new(Seen *seen, uint64_t hash)
{
    hash |= 1;
    for (uint64_t i = hash >> 20;; i++) {
        uint64_t *at = &seen->at[i % COUNT_OF(seen->at)];
        if (*at == hash)
            return false;
        if (*at)
            continue;
        *at = hash;
        seen->count++;
        return true;
    }
}
static void forget_seen(Seen *seen)
{
    if (seen->count)
        memset(seen, 0, sizeof *seen);
}
/* The name of an event does not depend on the order in which events were added. */
static uint64_t name_of(const Graph *g, int event)
{
    return (uint64_t)(g->event[event].thread + 1) << 8 | (uint8_t)g->event[event].index |
           (uint64_t)(uint8_t)g->event[event].place << 16;
}
static uint64_t graph_hash(const Graph *g)
{
    uint64_t sum = 0, hash = 7;
    for (int i = 0; i < g->events; i++)
        sum += hash_mix(name_of(g, i) << 32 |
                        (g->event[i].rf < 0 ? 0 : 1 + name_of(g, g->event[i].rf)));
    for (int x = 0; x < program.places; x++)
        for (int i = 0; i < g->writes[x]; i++)
            hash = hash_combine(hash, name_of(g, g->mo[x][i]) + (uint64_t)x);
    return hash_combine(hash, sum);
}
static uint64_t outcome_hash(const Graph *g)
{
    uint64_t hash = hash_bytes(g->seen, sizeof g->seen, 5);
    for (int x = 0; x < program.places; x++)
        hash = hash_combine(hash, g->event[g->mo[x][g->writes[x] - 1]].value);
    return hash;
}
static void note_outcome(const Graph *g, Seen *to)
{
    is_new(to, outcome_hash(g));
}
static bool is_over(const Graph *g)
{
    for (int t = 0; t < program.threads; t++)
        if (!g->ended[t])
            return false;
    return true;
}

static Summary work; /* restored from copies */

/* The key of a state: the summary, values, records, and where threads stand. */
static uint64_t key_of(const Graph *g)
{
    static uint64_t words[1 << 16];
    uint8_t order[SUMMARY_PLACES];
    uint32_t count = 0;
    uint64_t hash = hash_bytes(g->seen, sizeof g->seen, 11);
    for (uint64_t name = 1; name <= PLACES; name++) {
        uint32_t place = summary_find_place(&work, name);
        if (place == SUMMARY_NOWHERE)
            continue;
        order[count++] = (uint8_t)place;
        hash = hash_combine(hash, name);
        for (uint32_t k = 0; k < work.place[place].count; k++)
            hash = hash_combine(hash, work.place[place].message[k].value);
    }
    for (int x = 0; x < program.places; x++)
        hash = hash_combine(hash, g->event[g->mo[x][g->writes[x] - 1]].value);
    for (int t = 0; t < program.threads; t++) {
        hash = hash_combine(hash, (uint64_t)g->pc[t] << 1 | g->begun[t]);
        hash = hash_combine(hash, work.thread[t].live ? work.thread[t].last : 0);
    }
    uint64_t sum = 0;
    for (uint32_t i = 0; i < work.records; i++) {
        const SummaryRecord *r = &work.record[i];
        sum += hash_mix(r->at << 40 | (uint64_t)r->clock << 16 | (uint64_t)r->thread << 8 |
                        (uint64_t)r->writes << 1 | r->plain);
    }
    uint64_t *end = summary_put(&work, order, words);
    return hash_combine(hash_combine(hash, sum),
                        hash_bytes(words, (size_t)((char *)end - (char *)words), 1));
}
/* ---- what a graph can become ---- */

enum { MOST_OUTCOMES = 512 };
typedef struct Future { /* outcomes and races of all larger graphs */
    uint64_t outcomes[MOST_OUTCOMES / 64];
    bool races;
} Future;
static Future futures[MOST_GRAPHS + 8];
static HashMap future_of[PARTS + 2]; /* by keys without a part, by whole keys, by graphs */
enum { WHOLE = PARTS, GRAPHS = PARTS + 1 };
static HashMap outcome_number;
static bool is_tried[PARTS + 1]; /* keys without that part; whole ones are always */
static bool merges[PARTS + 1];   /* two graphs with equal ones have different futures */
static bool has_futures;

static void begin_futures(void)
{
    for (int i = 0; i < PARTS + 2; i++)
        hashmap_clear(&future_of[i]);
    hashmap_clear(&outcome_number);
    memset(merges, 0, sizeof merges);
    has_futures = true;
}

static void add_future(Future *to, const Future *from)
{
    for (size_t i = 0; i < COUNT_OF(to->outcomes); i++)
        to->outcomes[i] |= from->outcomes[i];
    to->races |= from->races;
}

/* Notes that G, whose summary COPY is, has FUTURE: graphs with equal keys must have the same. */
static void note_future(const Graph *g, const char *copy, const Future *future)
{
    bool absent;
    size_t number = future_of[GRAPHS].count;
    *hashmap_put(&future_of[GRAPHS], graph_hash(g), &absent) = number;
    futures[number] = *future;
    for (int part = 0; part <= WHOLE; part++) {
        if (part != WHOLE && !is_tried[part])
            continue;
        summary_restore(&work, copy);
        spoil(&work, part);
        uint64_t *known = hashmap_put(&future_of[part], key_of(g), &absent);
        if (absent)
            *known = number;
        merges[part] |= memcmp(&futures[*known], future, sizeof *future) != 0;
    }
}

static void note_own_outcome(const Graph *g, Future *future)
{
    bool absent;
    uint64_t *number = hashmap_put(&outcome_number, outcome_hash(g), &absent);
    if (absent)
        *number = outcome_number.count - 1;
    if (*number >= MOST_OUTCOMES)
        has_futures = false;
    else
        future->outcomes[*number / 64] |= UINT64_C(1) << *number % 64;
}

static void build(const Graph *g, const char *copy, Future *future)
{
    if (too_large || differs)
        return;
    if (graphs.count > MOST_GRAPHS || g->events + 4 > EVENTS) {
        too_large = true;
        return;
    }
    if (is_over(g)) {
        complete++;
        note_outcome(g, &outcomes);
        note_own_outcome(g, future);
    }
    for (int t = 0; t < program.threads; t++) {
        Event e;
        if (!g->begun[t] || g->ended[t])
            continue;
        for (int q = 0; q < WRITES; q++) {
            if (!next_event(g, t, q, &e))
                continue;
            static Graph larger;
            Graph next = *g;
            add_event(&next, t, q, &e);
            larger = next;
            bool wanted = is_consistent(&larger), race = wanted && last_races(&larger), got_race;
            summary_restore(&work, copy);
            bool got = summary_takes(&work, g, &e, q, &got_race);
            bool behind = e.kind < 4 && program.is_plain[e.place] && q + 1 < g->writes[e.place];
            if (behind && wanted && race) /* the last value is read, or overwritten: a race, too */
                continue;
            if (behind && !wanted)
                continue;
            if (got != wanted || race != got_race) {
                if (spoilt_state == PARTS)
                    printf("thread %d, write %d: the axioms say %s%s, the summary %s%s\n", t, q,
                           wanted ? "yes" : "no", race ? ", a race" : "", got ? "yes" : "no",
                           got_race ? ", a race" : "");
                differs = true;
                return;
            }
            races |= race;
            future->races |= race;
            if (!got || race)
                continue;
            end_threads(&next, &work);
            if (!is_new(&graphs, graph_hash(&next))) {
                add_future(future, &futures[*hashmap_find(&future_of[GRAPHS], graph_hash(&next))]);
                continue;
            }
            summary_forget(&work, NULL);
            spoil(&work, spoilt_state);
            char *kept = malloc(summary_bytes(&work));
            summary_save(&work, kept);
            Future of_next = {.races = false};
            build(&next, kept, &of_next);
            free(kept);
            if (too_large || differs)
                return;
            add_future(future, &of_next);
        }
    }
    note_future(g, copy, future);
}

static void explore(const Graph *g, const char *copy)
{
    if (is_over(g))
        note_outcome(g, &other_outcomes);
    for (int t = 0; t < program.threads; t++) {
        Event e;
        if (!g->begun[t] || g->ended[t])
            continue;
        for (int q = 0; q < WRITES; q++) {
            bool race;
            if (!next_event(g, t, q, &e))
                continue;
            Graph next = *g;
            add_event(&next, t, q, &e);
            summary_restore(&work, copy);
            if (!summary_takes(&work, g, &e, q, &race))
                continue;
            other_races |= race;
            if (race || (e.kind < 4 && program.is_plain[e.place] && q + 1 < g->writes[e.place]))
                continue;
            end_threads(&next, &work);
            summary_forget(&work, NULL);
            char *kept = malloc(summary_bytes(&work));
            summary_save(&work, kept);
            if (is_new(&states, key_of(&next)))
                explore(&next, kept);
            free(kept);
        }
    }
}

static bool is_same(const Seen *a, const Seen *b)
{
    for (size_t i = 0; i < COUNT_OF(a->at) && a->count == b->count; i++)
        if (a->at[i] && is_new((Seen *)(uintptr_t)b, a->at[i]))
            return false;
    return a->count == b->count;
}

static void random_seed(uint64_t number)
{
    draw = (Random){hash_mix(number)};
}

static bool is_seq_cst(const Step *s)
{
    return s->order == SEQ_CST || (s->op == CAS && s->failure == SEQ_CST);
}
static bool is_acquire_fence(const Step *s)
{
    return s->op == FENCE && acquires(s->order);
}
static bool any_step(bool (*is_it)(const Step *))
{
    bool any = false;
    for (int t = 0; t < program.threads; t++)
        for (int i = 0; i < program.steps[t]; i++)
            any |= is_it(&program.step[t][i]);
    return any;
}

static uint64_t all_graphs, all_states, all_complete, skipped;
static bool compare_program(void)
{
    static Graph g;
    Seen *all[] = {&graphs, &states, &outcomes, &other_outcomes};
    for (size_t i = 0; i < COUNT_OF(all); i++)
        forget_seen(all[i]);
    too_large = races = other_races = differs = false;
    complete = 0;
    memset(&g, 0, sizeof g);
    summary_begin(&work);
    work.orders = any_step(is_seq_cst);
    work.fences = any_step(is_acquire_fence);
    work.c11 = program.c11;
    for (int x = 0; x < program.places; x++) {
        g.event[g.events] = (Event){.thread = -1, .rf = -1, .place = (int8_t)x, .kind = 2};
        g.writes[x] = 1;
        g.mo[x][0] = (uint8_t)g.events++;
    }
    for (int t = 0; t < program.threads; t++)
        g.begun[t] = work.thread[t].live = program.begins[t];
    end_threads(&g, &work);
    char *copy = malloc(summary_bytes(&work));
    summary_save(&work, copy);
    Future all_of = {.races = false};
    begin_futures();
    build(&g, copy, &all_of);
    if (!too_large && !differs)
        explore(&g, copy);
    free(copy);
    if (too_large) {
        skipped++;
        return true;
    }
    all_graphs += (uint64_t)graphs.count;
    all_states += (uint64_t)states.count;
    all_complete += complete;
    if (merges[WHOLE] && has_futures && spoilt_state == PARTS)
        return false;
    return !differs && races == other_races && (races || is_same(&outcomes, &other_outcomes));
}

static uint64_t seed = 1, programs = 60;

/* The summary without PART, in program OF_SEED, differs from the axioms. */
static bool is_needed(int part, uint64_t of_seed)
{
    random_seed(of_seed);
    draw_program(0);
    spoilt_state = part;
    bool same = compare_program();
    spoilt_state = PARTS;
    return !same;
}

/* Two graphs of the program TEXT have keys that differ in PART alone, and different futures. */
static bool is_needed_in_key(int part, const char *text)
{
    read_program(text);
    is_tried[part] = true;
    bool same = compare_program();
    is_tried[part] = false;
    return same && merges[part] && has_futures && !too_large;
}

/* views_summary hunt SEED COUNT: for each part a random program that shows that the summary needs
 * it. */
static void hunt(void)
{
    bool found[PARTS] = {false};
    for (uint64_t i = seed; i < seed + programs; i++)
        for (int part = 0; part < PARTS; part++)
            if (!found[part] && is_needed(part, i)) {
                found[part] = true;
                printf("{%d, %llu}, /* %s */\n", part, (unsigned long long)i, part_words[part]);
            }
}

/* views_summary try: which parts the keys of programs need, one a line on standard input. */
static void try_programs(void)
{
    char line[512];
    while (fgets(line, sizeof line, stdin)) {
        line[strcspn(line, "\n")] = 0;
        read_program(line);
        memset(is_tried, true, PARTS);
        bool same = compare_program();
        printf("%s:%s%s %d graphs; needs", line, same ? "" : " differs,",
               too_large ? " too large," : "", graphs.count);
        for (int part = 0; part < PARTS; part++)
            if (merges[part])
                printf(" %s", part_words[part]);
        printf("\n");
    }
}

/* Programs that show what a part is for: the summary is not enough without it. */
static const struct {
    int part;
    uint64_t seed;
} killers[] = {
    {ATTACHED, 1},
    {POSITIONS, 3},
    {CLOCKS, 4},
    {MESSAGE_VIEW, 9},
    {BEFORE_FENCE_MASK, 14},
    {REACHED, 14},
    {TO_WRITE, 14},
    {SCB_ENTRIES, 14},
    {REL_VIEW, 16},
    {FENCE_MASK, 40},
    {ACQ_VIEW, 66},
    {OTHER_MASK, 72},
    {HEADS, 186},
    {SAME_MASK, 386},
    {ECO_ENTRIES, 783},
    {TO_WRITE_FENCED, 1132},
    {TO_READ_FENCED, 1132},
    {LAST, 2837},
    {SKIPPING, 3638},
};

/* And that keys must have it: what threads have read at first (-) can't be told from their states
 * otherwise. In those for masks the last thread reads what the one below it overwrites (0 at some
 * place), if a path of psc leads from there to what it has written before. */
static const struct {
    int part;
    const char *program;
} key_killers[] = {
    {POSITIONS, "c11 st.rlx 0 1; st.rel 1 1; st.rel 2 1 | ld.acq 1 -; st.rel 1 1; ld.acq 2 -; "
                "ld.rlx 1 -; st.rlx 1 2 | "
                "st.rlx 1 1; ld.acq 1; ld.rlx 0"},
    {ATTACHED, "xchg.rlx 0 1 -; ld.rlx 0 - | st.rlx 0 1; ld.rlx 0 - | st.rlx 0 2 | ld.rlx 0; "
               "ld.rlx 0; ld.rlx 0"},
    {CLOCKS, "st.na 0 1; st.rel 1 1 | ld.acq 1 -; st.rlx 1 1; ld.na 0 | ld.rlx 1 -; ld.rlx 1"},
    {ACQ_VIEW,
     "st.rlx 0 1; st.rel 1 1 | ld.rlx 1 -; st.rlx 1 1; fence.acq; ld.rlx 0 | ld.rlx 1 -; ld.rlx 0"},
    {REL_VIEW, "st.rlx 0 1; st.rel 1 1; st.rel 2 1 | ld.acq 1 -; st.rlx 1 1; fence.rel; ld.acq 2 "
               "-; st.rlx 3 2 | "
               "ld.rlx 1 -; ld.acq 3; ld.rlx 0"},
    {MESSAGE_VIEW, "st.rlx 0 1; st.rel 1 1; st.rel 2 1 | ld.acq 1 -; st.rlx 1 1; fence.rel; ld.acq "
                   "2 -; st.rlx 3 2 | "
                   "ld.rlx 1 -; ld.acq 3; ld.rlx 0"},
    {HEADS, "c11 st.rlx 0 1; st.rel 1 1; st.rel 2 1 | ld.acq 1 -; st.rel 1 1; ld.acq 2 -; ld.rlx 1 "
            "-; st.rlx 1 2 | "
            "st.rlx 1 1; ld.acq 1; ld.rlx 0"},
    {REACHED, "st.sc 1 1; ld.acq 3 -; ld.sc 3 | st.sc 0 1; ld.sc 1 -; st.rel 3 1 | ld.rlx 1 -; "
              "st.sc 3 2; ld.sc 0"},
    {OTHER_MASK, "ld.acq 0 -; ld.acq 1 -; st.rlx 1 1; ld.sc 2 | st.sc 0 1; st.rel 1 1 | ld.rlx 1 "
                 "-; st.sc 2 2; ld.sc 0"},
    {SKIPPING, "ld.acq 0 -; st.rlx 0 1; ld.acq 1 -; ld.sc 1 | st.sc 2 1; st.rel 0 1; st.rel 1 1 | "
               "ld.rlx 0 -; st.sc 1 2; ld.sc 2"},
    {LAST, "ld.rlx 2; ld.rlx 2 -; ld.rlx 1 -; ld.acq 0 -; ld.acq 1:2 -; ld.sc 1 | st.sc 0 1; "
           "st.rel 1 1; st.rel 2 1 | "
           "st.sc 1 2; ld.sc 0"},
    {SAME_MASK, "st.rlx 0 1; ld.acq 1 -; st.rlx 1 1; ld.sc 1 -; ld.sc 3 | st.sc 2 1; ld.sc 1 -; "
                "ld.sc 0 - | st.sc 1 1 | "
                "ld.rlx 1 -; st.sc 3 2; ld.sc 2"},
    {FENCE_MASK,
     "ld.acq 0 -; ld.sc 1 -; st.rlx 1 1; ld.rlx 2 | st.sc 3 1; st.rel 0 1; fence.sc; st.rel 1 1 | "
     "ld.rlx 1 -; st.rlx 2 2; fence.sc; ld.sc 3"},
    {BEFORE_FENCE_MASK, "st.sc 1 1; ld.acq 3 - | st.rel 0 1; fence.sc; ld.sc 1 -; st.rel 3 1 | "
                        "ld.rlx 1 -; st.sc 3 2; ld.sc 0 -"},
    {TO_WRITE, "st.sc 0 2; ld.sc 1 | st.sc 2 1; ld.sc 0 -; ld.sc 3 -; ld.rlx 0 - | st.rlx 0 1; "
               "st.rlx 3 1 | st.sc 1 2; ld.sc 2"},
    {TO_WRITE_FENCED,
     "st.rlx 0 2 | st.sc 1 1; ld.sc 2 -; fence.sc; st.rel 3 1 | st.sc 2 1; ld.acq 3 -; ld.sc 0 - | "
     "ld.rlx 0; fence.sc; ld.sc 1"},
    {TO_READ_FENCED, "ld.rlx 0; fence.sc; ld.sc 1 | st.sc 2 1; fence.sc; st.rel 3 1 | "
                     "ld.acq 3 -; st.rlx 0 1; ld.acq 3 -; ld.rlx 0 - | st.sc 1 2; ld.sc 2"},
    {ECO_ENTRIES, "ld.rlx 0 -; fence.sc; ld.rlx 0 -; fence.rel; ld.sc 1 | st.rlx 0 1 | st.sc 1 2; "
                  "fence.sc; ld.rlx 0"},
    {SCB_ENTRIES, "ld.acq 0 -; ld.acq 1 -; st.rlx 1 1; ld.sc 2 | st.sc 0 1; st.rel 1 1 | ld.rlx 1 "
                  "-; st.sc 2 2; ld.sc 0"},
};

static void test_killers(void **state)
{
    bool is_shown[2][PARTS] = {{false}};
    (void)state;
    for (size_t i = 0; i < COUNT_OF(killers); i++)
        is_shown[0][killers[i].part] |= is_needed(killers[i].part, killers[i].seed);
    for (size_t i = 0; i < COUNT_OF(key_killers); i++)
        is_shown[1][key_killers[i].part] |=
            is_needed_in_key(key_killers[i].part, key_killers[i].program);
    for (int part = 0; part < PARTS; part++)
        for (int key = 0; key < 2; key++)
            if (!is_shown[key][part])
                fail_msg("nothing shows that %s is needed%s", part_words[part],
                         key ? " in keys" : "");
}

static void test_axioms(void **state)
{
    (void)state;
    int more = getenv("HEDDLE_VIEWS_SIZE") ? atoi(getenv("HEDDLE_VIEWS_SIZE")) : 0;
    uint64_t bad = 0;
    for (uint64_t i = 0; i < programs && bad < 3; i++) {
        random_seed(seed + i);
        draw_program(more);
        if (compare_program())
            continue;
        bad++;
        printf("program %llu differs: races %d/%d, outcomes %d/%d\n",
               (unsigned long long)(seed + i), races, other_races, outcomes.count,
               other_outcomes.count);
        print_program();
    }
    printf("%llu programs from %llu, %llu too large, %llu graphs, %llu complete, %llu states, "
           "%llu differ\n",
           (unsigned long long)programs, (unsigned long long)seed, (unsigned long long)skipped,
           (unsigned long long)all_graphs, (unsigned long long)all_complete,
           (unsigned long long)all_states, (unsigned long long)bad);
    assert_int_equal(bad, 0);
}

int main(int count, char **words)
{
    if (count == 2) {
        try_programs();
        return 0;
    }
    if (count > 2) {
        seed = strtoull(words[count - 2], NULL, 10);
        programs = strtoull(words[count - 1], NULL, 10);
    }
    if (count > 3) {
        hunt();
        return 0;
    }
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_axioms),
                                       cmocka_unit_test(test_killers)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
