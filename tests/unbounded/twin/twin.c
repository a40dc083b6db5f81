/* twin.c: a random structure for `heddle check --unbounded` and its verdict by brute force.
 *     twin SEED FILE.c         writes the test file, prints holds, violated or too-large
 *     twin SEED FILE.c weak    the same with loads that acquire, stores that release, and some
 *                              exchanges made of the two, for tso; prints nothing
 *     twin SEED FILE.c stacks  as the first, of a structure whose threads look into each other's
 *                              stacks; with `stacks-weak' as the second
 *     twin SEED FILE.c early   as the first, of a structure whose first node is allocated before
 *                              main; with `early-weak' as the second
 *
 * Operations are short sequences of accesses to two atomic integers, one plain integer and a
 * pointer to heap nodes, with loops that wait. Two threads call them for ever. All states, every
 * access a step of its own, are explored together with all ways to explain the calls so far by
 * serial runs; then a call that can't return although nobody else begins one must be allowed to
 * wait. In a third of them operations may fail while their calls overlap another (HD_MAY_FAIL), if
 * possible with a result that makes a difference: a thread remembers whether another was inside a
 * call at the same time, and when it returns the failure, explanations in which its call was not
 * performed stay.
 *
 * Threads share stacks as those of a queue lock do: a call may lend a slot among its local
 * variables, if no other is lent. Who takes it reads and writes its value and says that it is done.
 * A call that has lent its slot takes it back before it returns, or waits until it is done; before
 * that it may look at the value, which races. Nothing is shared with the tool. */
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { LOAD, STORE, SWAP, CAS, PLAIN_LOAD, PLAIN_STORE, BOX_NEW, BOX_GET, BOX_CAS, WAIT, KINDS };
enum {
    LEND = KINDS,
    BORROW,
    PEEK,
    END,
    MARK,
    ALL_KINDS
}; /* of slots; END: before an operation returns; MARK: of a node, where the first one is early */
enum { TAKE = ALL_KINDS, READ, WRITE, GIVE, RECALL, AWAIT, LOOK }; /* accesses of BORROW and END */
enum {
    OPERATIONS = 3,
    MOST_STEPS = 4,
    MOST_ACCESSES = 4 * MOST_STEPS + 3,
    THREADS = 2,
    NODES = 6,
    R = 27,
    MOST_STATES = 60000,
    MOST_SET = 1500
};
typedef struct Step {
    int kind, place;
} Step;
typedef struct Operation {
    Step text[MOST_STEPS + 1]; /* as it is written */
    int texts;
    Step steps[MOST_ACCESSES]; /* one for each access */
    int count;
} Operation;
static Operation operations[OPERATIONS];
static int operation_count;
static int results = R;  /* how many different ones operations have */
static int failure = -1; /* the result of operations that fail, or -1 */
static bool early;       /* there is a node before main */
static uint64_t seed_state;

static int below(int bound)
{
    seed_state = seed_state * 6364136223846793005u + 1442695040888963407u;
    return (int)((seed_state >> 33) % (uint64_t)bound);
}

static void add_step(Operation *operation, Step step)
{
    static const int borrow[] = {TAKE, READ, WRITE, GIVE}, end[] = {RECALL, AWAIT, LOOK};
    operation->text[operation->texts++] = step;
    if (step.kind == BORROW)
        for (int i = 0; i < 4; i++)
            operation->steps[operation->count++] = (Step){borrow[i], 0};
    else if (step.kind == END)
        for (int i = 0; i < 3; i++)
            operation->steps[operation->count++] = (Step){end[i], 0};
    else
        operation->steps[operation->count++] = step;
}

static void make(uint64_t seed, bool stacks)
{
    seed_state = seed * 2654435761u + 1;
    for (int i = 0; i < 8; i++)
        below(2);
    operation_count = 2 + below(2);
    if (stacks) {
        static const int most[] = {1, 2, R};
        results = most[below(3)]; /* with few of them more structures hold */
    }
    int kinds =
        below(2) ? PLAIN_LOAD : KINDS; /* half of them without plain memory, heap and loops */
    for (int o = 0; o < operation_count; o++) {
        bool lends = false;
        int left = 1 + below(MOST_STEPS);
        if (early && left > 1 && left-- && below(3))
            add_step(&operations[o], (Step){BOX_GET, 0});
        for (; left; left--) {
            int kind = stacks && below(2) ? LEND + below(3) : below(early ? KINDS : kinds);
            if (early && below(2))
                kind = below(3) ? BOX_NEW + below(3) : MARK;
            kind = kind == PEEK && !lends ? LEND : kind;
            lends |= kind == LEND;
            add_step(&operations[o], (Step){kind, below(2)});
        }
        if (lends)
            add_step(&operations[o], (Step){END, 0});
    }
}

static void write_file(FILE *file, bool weak, bool stacks, uint64_t seed)
{
    static const char *const text[ALL_KINDS] = {
        [LOAD] = "r = (r * 3 + atomic_load(&%s)) %% 27;",
        [STORE] = "atomic_store(&%s, r %% 3);",
        [SWAP] = "r = (r * 3 + atomic_exchange(&%s, r %% 3)) %% 27;",
        [CAS] = "{ int e = r %% 3; r = (r * 2 + atomic_compare_exchange_strong(&%s, &e, (e + 1) %% "
                "3)) %% 27; }",
        [PLAIN_LOAD] = "r = (r * 3 + p) %% 27;",
        [PLAIN_STORE] = "p = r %% 3;",
        [BOX_NEW] = "{ Node *m = malloc(sizeof *m); m->value = r %% 3; atomic_store(&box, m); }",
        [BOX_GET] = "n = atomic_load(&box); r = (r * 4 + (n ? n->value + 1 : 0)) %% 27;",
        [BOX_CAS] = "{ Node *m = malloc(sizeof *m), *e = n; m->value = (r + 1) %% 3; "
                    "r = (r * 2 + atomic_compare_exchange_strong(&box, &e, m)) %% 27; }",
        [WAIT] = "while (atomic_load(&%s) == 2) ;",
        [LEND] = "if (!lends) { Slot *e = NULL; mine.value = r %% 3; "
                 "lends = atomic_compare_exchange_strong(&lent, &e, &mine); r = (r * 2 + lends) %% "
                 "27; }",
        [BORROW] = "{ Slot *s = atomic_exchange_explicit(&lent, NULL, memory_order_seq_cst); "
                   "if (s == &mine) lends = 0; else if (s) { r = (r * 3 + s->value) %% 27; "
                   "s->value = r %% 3; atomic_store(&s->done, 1); } }",
        [PEEK] = "if (lends) r = (r * 3 + mine.value) %% 27;",
        [END] =
            "if (lends) { Slot *e = &mine; if (!atomic_compare_exchange_strong(&lent, &e, NULL)) "
            "while (!atomic_load(&mine.done)) ; r = (r * 3 + mine.value) %% 27; }",
        [MARK] = "if (n) r = (r * 3 + atomic_exchange(&n->mark, r %% 3)) %% 27;",
    };
    fprintf(file,
            "#include <heddle.h>\n#include <stdatomic.h>\n#include <stdlib.h>\n"
            "typedef struct Node { int value;%s } Node;\n"
            "#ifdef __OPTIMIZE__ /* or two accesses may become one */\nvolatile\n#endif\n"
            "static int p;\nstatic atomic_int x, y;\nstatic _Atomic(Node *) box;\n",
            early ? " atomic_int mark;" : "");
    if (early)
        fprintf(file, "#define malloc(bytes) calloc(1, bytes)\n__attribute__((constructor)) "
                      "static void before_main(void)\n{\n    atomic_store(&box, "
                      "malloc(sizeof(Node)));\n}\n");
    if (stacks)
        fprintf(file,
                "typedef struct Slot {\n#ifdef __OPTIMIZE__\n    volatile\n#endif\n    int value;\n"
                "    atomic_int done;\n} Slot;\nstatic _Atomic(Slot *) lent;\n");
    if (weak)
        fprintf(file,
                "#undef atomic_store\n#undef atomic_load\n"
                "#define atomic_store(p, v) atomic_store_explicit(p, v, memory_order_release)\n"
                "#define atomic_load(p) atomic_load_explicit(p, memory_order_acquire)\n");
    if (weak && seed % 3 == 0)
        fprintf(file, "#undef atomic_exchange\n#define atomic_exchange(p, v) "
                      "({ int was = atomic_load(p); atomic_store(p, v); was; })\n");
    for (int o = 0; o < operation_count && failure >= 0; o++)
        fprintf(file, "HD_MAY_FAIL(op%d, HD_INT(%d))\n", o, failure);
    for (int o = 0; o < operation_count; o++) {
        fprintf(file, "HD_OP(op%d)\n{\n    int r = 0;\n    Node *n = NULL;\n    (void)n;\n", o);
        if (stacks)
            fprintf(file,
                    "    int lends = 0;\n    Slot mine = {0};\n    (void)lends, (void)mine;\n");
        for (int s = 0; s < operations[o].texts; s++) {
            fprintf(file, "    ");
            fprintf(file, text[operations[o].text[s].kind],
                    operations[o].text[s].place ? "y" : "x");
            fprintf(file, "\n");
        }
        if (results == R)
            fprintf(file, "    return HD_INT(r);\n}\n");
        else
            fprintf(file, "    return HD_INT(r %% %d);\n}\n", results);
    }
}

/* ---- the machine ---- */

typedef struct Thread {
    int8_t operation, pc; /* -1: idle */
    uint8_t r, node;      /* 0: NULL */
    bool overlaps;        /* another was inside a call during this one */
    bool lends, done;     /* its slot ... */
    uint8_t value;        /* ... and the value in it */
    uint8_t taken;        /* the slot that it has taken: 1 + the thread */
} Thread;
typedef struct Machine {
    uint8_t place[2], plain, box;
    uint8_t lent;                      /* 0, or 1 + the thread whose slot it is */
    uint8_t value[NODES], mark[NODES]; /* by node; node 0 is NULL */
    Thread thread[THREADS];
} Machine;

static int fresh_node(const Machine *m)
{
    for (int i = 1; i < NODES; i++) {
        bool used = m->box == i;
        for (int t = 0; t < THREADS; t++)
            used |= m->thread[t].operation >= 0 && m->thread[t].node == i;
        if (!used)
            return i;
    }
    abort();
}

/* What nothing points to has no value. */
static void tidy(Machine *m)
{
    for (int i = 1; i < NODES; i++) {
        bool used = m->box == i;
        for (int t = 0; t < THREADS; t++)
            used |= m->thread[t].operation >= 0 && m->thread[t].node == i;
        if (!used)
            m->value[i] = m->mark[i] = 0;
    }
}

/* T performs an access to a slot. */
static void perform_on_slot(Machine *m, int t, int kind)
{
    Thread *u = &m->thread[t], *owner = u->taken ? &m->thread[u->taken - 1] : NULL;
    switch (kind) {
    case LEND: {
        bool fits = !m->lent;
        if (u->lends)
            break;
        u->value = u->r % 3;
        u->lends = fits;
        m->lent = fits ? (uint8_t)(t + 1) : m->lent;
        u->r = (uint8_t)((u->r * 2 + fits) % R);
        break;
    }
    case TAKE:
        u->lends &= m->lent != t + 1;
        u->taken = m->lent == t + 1 ? 0 : m->lent;
        m->lent = 0;
        break;
    case READ:
        u->r = owner ? (uint8_t)((u->r * 3 + owner->value) % R) : u->r;
        break;
    case WRITE:
        if (owner)
            owner->value = u->r % 3;
        break;
    case GIVE:
        if (owner)
            owner->done = true;
        u->taken = 0;
        break;
    case RECALL:
        if (m->lent == t + 1) {
            m->lent = 0;
            u->done = true; /* nobody is waited for */
        }
        break;
    case AWAIT:
        u->pc = (int8_t)(u->pc - (u->lends && !u->done));
        break;
    case PEEK:
    case LOOK:
        u->r = u->lends ? (uint8_t)((u->r * 3 + u->value) % R) : u->r;
        break;
    }
}

/* T performs its next access. */
static void perform(Machine *m, int t)
{
    Thread *u = &m->thread[t];
    const Step *s = &operations[(int)u->operation].steps[(int)u->pc];
    uint8_t *v = &m->place[s->place], old = *v;
    u->pc++;
    switch (s->kind) {
    case LOAD:
        u->r = (uint8_t)((u->r * 3 + old) % R);
        break;
    case STORE:
        *v = u->r % 3;
        break;
    case SWAP:
        *v = u->r % 3;
        u->r = (uint8_t)((u->r * 3 + old) % R);
        break;
    case CAS: {
        bool fits = old == u->r % 3;
        if (fits)
            *v = (uint8_t)((old + 1) % 3);
        u->r = (uint8_t)((u->r * 2 + fits) % R);
        break;
    }
    case PLAIN_LOAD:
        u->r = (uint8_t)((u->r * 3 + m->plain) % R);
        break;
    case PLAIN_STORE:
        m->plain = u->r % 3;
        break;
    case BOX_NEW: {
        int n = fresh_node(m);
        m->value[n] = u->r % 3;
        m->box = (uint8_t)n;
        break;
    }
    case BOX_GET:
        u->node = m->box;
        u->r = (uint8_t)((u->r * 4 + (m->box ? m->value[m->box] + 1 : 0)) % R);
        break;
    case BOX_CAS: {
        bool fits = m->box == u->node;
        if (fits) {
            int n = fresh_node(m);
            m->value[n] = (uint8_t)((u->r + 1) % 3);
            m->box = (uint8_t)n;
        }
        u->r = (uint8_t)((u->r * 2 + fits) % R);
        break;
    }
    case WAIT:
        if (old == 2)
            u->pc--;
        break;
    case MARK:
        if (u->node) {
            old = m->mark[u->node];
            m->mark[u->node] = u->r % 3;
            u->r = (uint8_t)((u->r * 3 + old) % R);
        }
        break;
    default:
        perform_on_slot(m, t, s->kind);
    }
    tidy(m);
}

static bool is_over(const Thread *u)
{
    return u->operation >= 0 && u->pc == operations[(int)u->operation].count;
}

/* ---- serial runs: a state of the specification is x, y, p, and what the box holds ---- */

typedef struct Configuration {
    uint8_t x, y, p, box;
    uint8_t call[THREADS]; /* 0: none; 1 + operation; 100 + result */
} Configuration;

/* The call of T, which waits to be performed; false: it waits for ever. */
static bool perform_call(Configuration *c, int t)
{
    Machine m = {.place = {c->x, c->y}, .plain = c->p, .box = c->box ? 1 : 0};
    m.thread[1 - t].operation = -1;
    m.value[1] = c->box ? (uint8_t)((c->box - 1) % 3) : 0;
    m.mark[1] = c->box ? (uint8_t)((c->box - 1) / 3) : 0;
    m.thread[t] = (Thread){.operation = (int8_t)(c->call[t] - 1)};
    for (int steps = 0; !is_over(&m.thread[t]); steps++) {
        if (steps > 100)
            return false;
        perform(&m, t);
    }
    c->x = m.place[0];
    c->y = m.place[1];
    c->p = m.plain;
    c->box = m.box ? (uint8_t)(1 + m.value[m.box] + 3 * m.mark[m.box]) : 0;
    c->call[t] = (uint8_t)(100 + m.thread[t].r % results);
    return true;
}

typedef struct Set {
    int count;
    Configuration at[MOST_SET];
} Set;

static bool add(Set *set, const Configuration *c)
{
    for (int i = 0; i < set->count; i++)
        if (!memcmp(&set->at[i], c, sizeof *c))
            return true;
    if (set->count == MOST_SET)
        return false;
    set->at[set->count++] = *c;
    return true;
}

static int compare(const void *a, const void *b)
{
    return memcmp(a, b, sizeof(Configuration));
}

static bool close_set(Set *set)
{
    for (int i = 0; i < set->count; i++)
        for (int t = 0; t < THREADS; t++) {
            Configuration c = set->at[i];
            if (c.call[t] >= 1 && c.call[t] < 100 && perform_call(&c, t) && !add(set, &c))
                return false;
        }
    qsort(set->at, (size_t)set->count, sizeof *set->at, compare);
    return true;
}

/* ---- the search ---- */

typedef struct Node {
    Machine machine;
    Configuration *set;
    int count;
} Node;
static Node *nodes;
static int node_count;
static int table[1 << 18];
typedef struct Edge {
    int from, to;
    bool begins;
    int returns; /* thread + 1 */
} Edge;
static Edge *edges;
static int edge_count;

static void give_up(void)
{
    puts("too-large");
    exit(0);
}

static int enter(const Machine *machine, const Set *set)
{
    uint64_t hash = 1469598103934665603u;
    const unsigned char *bytes = (const unsigned char *)machine;
    for (size_t i = 0; i < sizeof *machine; i++)
        hash = (hash ^ bytes[i]) * 1099511628211u;
    bytes = (const unsigned char *)set->at;
    for (size_t i = 0; i < sizeof *set->at * (size_t)set->count; i++)
        hash = (hash ^ bytes[i]) * 1099511628211u;
    uint32_t slot = (uint32_t)(hash >> 20) & ((1 << 18) - 1);
    for (; table[slot]; slot = (slot + 1) & ((1 << 18) - 1)) {
        const Node *n = &nodes[table[slot] - 1];
        if (n->count == set->count && !memcmp(&n->machine, machine, sizeof *machine) &&
            !memcmp(n->set, set->at, sizeof *set->at * (size_t)set->count))
            return table[slot] - 1;
    }
    if (node_count == MOST_STATES)
        give_up();
    Node *n = &nodes[node_count];
    n->machine = *machine;
    n->count = set->count;
    n->set = malloc(sizeof *set->at * (size_t)set->count + 1);
    memcpy(n->set, set->at, sizeof *set->at * (size_t)set->count);
    table[slot] = ++node_count;
    return node_count - 1;
}

/* T takes a step: with OPERATION >= 0 it begins that. False: nothing explains what it returns. */
static bool take(int from, int t, int operation)
{
    static Set set;
    Machine m = nodes[from].machine;
    set.count = nodes[from].count;
    memcpy(set.at, nodes[from].set, sizeof *set.at * (size_t)set.count);
    Thread *u = &m.thread[t];
    int returns = 0;
    if (operation >= 0) {
        *u = (Thread){.operation = (int8_t)operation};
        bool beside = m.thread[1 - t].operation >= 0;
        for (int i = 0; i < THREADS; i++)
            m.thread[i].overlaps |= beside && failure >= 0;
        for (int i = 0; i < set.count; i++)
            set.at[i].call[t] = (uint8_t)(operation + 1);
    } else if (is_over(u)) {
        int kept = 0;
        for (int i = 0; i < set.count; i++)
            if (set.at[i].call[t] == 100 + u->r % results ||
                (u->overlaps && u->r % results == failure && set.at[i].call[t] < 100)) {
                set.at[kept] = set.at[i];
                set.at[kept++].call[t] = 0;
            }
        if (!kept)
            return false;
        Set *copy = malloc(sizeof *copy);
        copy->count = 0;
        for (int i = 0; i < kept; i++)
            add(copy, &set.at[i]);
        set = *copy;
        free(copy);
        *u = (Thread){.operation = -1};
        tidy(&m);
        returns = t + 1;
    } else {
        perform(&m, t);
    }
    if (!close_set(&set))
        give_up();
    int to = enter(&m, &set);
    edges[edge_count++] = (Edge){from, to, operation >= 0, returns};
    return true;
}

static bool may_wait(const Node *n, int t)
{
    for (int i = 0; i < n->count; i++) {
        Configuration c = n->set[i];
        if (c.call[t] >= 1 && c.call[t] < 100 && !perform_call(&c, t))
            return true;
    }
    return false;
}

/* A call that returns on no path without another call must be allowed to wait. */
static bool none_is_stuck(void)
{
    bool *good = malloc((size_t)node_count);
    for (int t = 0; t < THREADS; t++) {
        memset(good, 0, (size_t)node_count);
        for (bool changed = true; changed;) {
            changed = false;
            for (int e = edge_count; e-- > 0;)
                if (!edges[e].begins && !good[edges[e].from] &&
                    (edges[e].returns == t + 1 || good[edges[e].to]))
                    good[edges[e].from] = changed = true;
        }
        for (int n = 0; n < node_count; n++)
            if (nodes[n].machine.thread[t].operation >= 0 && !good[n] && !may_wait(&nodes[n], t))
                return false;
    }
    return true;
}

static bool holds(void)
{
    static Set set;
    Machine start;
    memset(&start, 0, sizeof start);
    memset(table, 0, sizeof table);
    while (node_count)
        free(nodes[--node_count].set);
    edge_count = 0;
    for (int t = 0; t < THREADS; t++)
        start.thread[t].operation = -1;
    set.count = 1;
    memset(set.at, 0, sizeof *set.at);
    start.box = set.at[0].box = early;
    enter(&start, &set);
    for (int n = 0; n < node_count; n++)
        for (int t = 0; t < THREADS; t++) {
            bool idle = nodes[n].machine.thread[t].operation < 0;
            for (int o = idle ? 0 : -1; o < (idle ? operation_count : 0); o++)
                if (!take(n, t, o))
                    return false;
        }
    return none_is_stuck();
}

int main(int argc, char **argv)
{
    const char *how = argc == 4 ? argv[3] : "";
    bool stacks = !strncmp(how, "stacks", 6), weak = strstr(how, "weak");
    early = !strncmp(how, "early", 5);
    FILE *file = argc == 3 || stacks || weak || early ? fopen(argv[2], "w") : NULL;
    if (!file) {
        fprintf(stderr, "twin SEED FILE.c [weak|stacks|stacks-weak|early|early-weak]\n");
        return 2;
    }
    uint64_t seed = strtoull(argv[1], NULL, 10);
    make(seed, stacks);
    if (weak) {
        write_file(file, true, stacks, seed);
        return fclose(file) != 0;
    }
    nodes = malloc(sizeof *nodes * MOST_STATES);
    edges = malloc(sizeof *edges * MOST_STATES * 8);
    bool right = holds();
    for (int i = 0; i < R && !right && seed % 3 == 0; i++) {
        failure = i;
        right = holds();
    }
    write_file(file, false, stacks, seed);
    fclose(file);
    puts(right ? "holds" : "violated");
    return 0;
}
