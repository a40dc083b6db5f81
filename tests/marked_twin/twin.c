/* twin.c: a random program that marks its calls, and what `heddle check` must say about it, by brute force.
 *     twin SEED FILE.c    writes the program, prints the answer that heddle must give under sc
 *
 * Threads make calls on two objects, and accesses of their own between them; which call is made may depend
 * on the result of the last one. Calls are short sequences of accesses to four integers, some wait. Every
 * interleaving of the accesses is run; a call begins just before its first access and ends just after its
 * last, which makes the real-time order as strong as it can be. The specification of an object is all that
 * its calls give in interleavings in which nothing comes between the accesses of each: a set of lists of
 * (thread, call, result), searched from its start every time; the calls on the other object may overlap with
 * them there, but not with each other. Nothing is shared with the tool.
 *
 * A call that waits inside its atomic run: the others go on, but for calls on that object; the run counts if
 * nobody ever writes the place that it waits for (whoever could have done so before the call began is in
 * another run). */
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { LOAD, STORE, STORE_NEXT, STORE_ZERO, ADD, CAS, WAIT, KINDS };
enum { PLACES = 4, OPERATIONS = 5, MOST_STEPS = 3, MOST_ITEMS = 3, THREADS = 3, MOST_CALLS = 9 };
enum { NO_CALL = -1, WAITS = -1000 };
typedef struct Step {
    int kind, place;
} Step;
typedef struct Operation {
    Step steps[MOST_STEPS];
    int count, object;
} Operation;
typedef struct Item { /* an access, or a call: `odd` if the last result was odd, else `even` */
    bool access;
    Step step;
    int odd, even; /* operations, or NO_CALL */
} Item;
typedef struct Thread {
    Item items[MOST_ITEMS];
    int count;
} Thread;

static Operation operations[OPERATIONS];
static Thread threads[THREADS];
static int thread_count;
static uint64_t state;
static const char *const places = "xyzf";

static int below(int bound)
{
    state = state * 6364136223846793005u + 1442695040888963407u;
    return (int)((state >> 33) % (uint64_t)bound);
}

static Step random_step(int object, bool waits)
{
    int kind = below(3) ? below(4) : below(waits ? KINDS : WAIT);
    int place = object ? 2 : below(3) == 0;
    return (Step){kind, below(12) ? place : below(PLACES)};
}

static void make(uint64_t seed)
{
    state = seed * 2654435761u + 1;
    for (int i = 0; i < 8; i++)
        below(2);
    bool waits = below(3) == 0;
    for (int o = 0; o < OPERATIONS; o++) {
        Operation *op = &operations[o];
        op->object = o >= 3;
        op->count = 1 + below(MOST_STEPS);
        for (int s = 0; s < op->count; s++)
            op->steps[s] = random_step(op->object, waits);
    }
    thread_count = 2 + (below(3) == 0);
    for (int t = 0; t < thread_count; t++) {
        threads[t].count = 1 + below(thread_count == 2 ? MOST_ITEMS : 2);
        for (int i = 0; i < threads[t].count; i++) {
            Item *item = &threads[t].items[i];
            item->access = below(6) == 0;
            item->step = (Step){below(10) ? below(4) : WAIT, below(4) ? 3 : below(PLACES)};
            item->odd = item->even = below(OPERATIONS);
            if (below(4) == 0)
                item->even = below(OPERATIONS + 1) - 1;
        }
    }
}

/* ---- the program as text ---- */

static void write_step(FILE *file, const Step *s)
{
    static const char *const text[KINDS] = {
        [LOAD] = "r = 2 * r + atomic_load(&%c);",
        [STORE] = "atomic_store(&%c, r);",
        [STORE_NEXT] = "atomic_store(&%c, r + 1);",
        [STORE_ZERO] = "atomic_store(&%c, 0);",
        [ADD] = "r += atomic_fetch_add(&%c, 1);",
        [CAS] = "{ int e = 0; r += 2 * atomic_compare_exchange_strong(&%c, &e, 2); }",
        [WAIT] = "while (!atomic_load(&%c)) ;",
    };
    fprintf(file, text[s->kind], places[s->place]);
    fprintf(file, "\n");
}

static void write_file(FILE *file, bool main_works)
{
    fprintf(file, "#include <heddle.h>\n#include <pthread.h>\n#include <stdatomic.h>\n"
                  "static atomic_int x, y, z, f;\n");
    for (int o = 0; o < OPERATIONS; o++) {
        const Operation *op = &operations[o];
        fprintf(file, "static int op%d(void)\n{\n    int r = 0;\n    HD_BEGIN(%s, \"op%d\");\n", o,
                op->object ? "\"b\"" : "&x", o);
        for (int s = 0; s < op->count; s++)
            write_step(file, &op->steps[s]);
        fprintf(file, "    HD_END(HD_INT(r));\n    return r;\n}\n");
    }
    for (int t = 0; t < thread_count; t++) {
        fprintf(file, "static void *thread%d(void *unused)\n{\n    int last = 0, r = 0;\n", t);
        for (int i = 0; i < threads[t].count; i++) {
            const Item *item = &threads[t].items[i];
            if (item->access) {
                write_step(file, &item->step);
                fprintf(file, "    last = r;\n");
                continue;
            }
            fprintf(file, "    if (last %% 2) { last = op%d(); }", item->odd);
            if (item->even >= 0)
                fprintf(file, " else { last = op%d(); }", item->even);
            fprintf(file, "\n");
        }
        fprintf(file, "    (void)r; (void)last;\n    return unused;\n}\n");
    }
    fprintf(file, "int main(void)\n{\n    pthread_t t[3];\n");
    int first = main_works ? 1 : 0;
    for (int t = first; t < thread_count; t++)
        fprintf(file, "    pthread_create(&t[%d], 0, thread%d, 0);\n", t, t);
    if (main_works)
        fprintf(file, "    thread0(0);\n");
    for (int t = first; t < thread_count; t++)
        fprintf(file, "    pthread_join(t[%d], 0);\n", t);
    for (int o = 0; o < OPERATIONS; o++)
        fprintf(file, "    (void)op%d;\n", o);
    fprintf(file, "    return 0;\n}\n");
}

/* ---- running ---- */

typedef struct Called {
    int thread, operation, result; /* WAITS while it has not ended */
    int first, last;               /* times of its accesses; last -1: none yet */
} Called;
typedef struct Run {
    int memory[PLACES];
    int item[THREADS], at[THREADS]; /* place in the program; access within a call */
    int call[THREADS];              /* the open call, or NO_CALL */
    int r[THREADS], own[THREADS], last[THREADS];
    Called calls[MOST_CALLS];
    int count, time;
    int gate;           /* the object whose calls are atomic, or -1 */
    int inside[2];      /* with a gate: the thread inside a call on each object, or -1 */
    int holder;         /* the thread inside such a call, or -1 */
    bool holder_waits;  /* and it waits for memory[watched] */
    int watched;
    bool spoilt;        /* that place was written */
} Run;

static int perform(Run *run, const Step *s, int r)
{
    int *m = &run->memory[s->place], old = *m;
    bool writes = s->kind >= STORE && s->kind <= ADD;
    switch (s->kind) {
    case LOAD:
        r = 2 * r + old;
        break;
    case STORE:
        *m = r;
        break;
    case STORE_NEXT:
        *m = r + 1;
        break;
    case STORE_ZERO:
        *m = 0;
        break;
    case ADD:
        *m = old + 1;
        r += old;
        break;
    case CAS:
        if (!old) {
            *m = 2;
            r += 2;
            writes = true;
        }
        break;
    default:
        break;
    }
    if (writes && run->holder_waits && s->place == run->watched)
        run->spoilt = true;
    return r;
}

/* Skips items that make no call; false at the thread's end. */
static bool settle(Run *run, int t)
{
    for (; run->item[t] < threads[t].count; run->item[t]++) {
        const Item *item = &threads[t].items[run->item[t]];
        if (item->access || run->call[t] != NO_CALL ||
            (run->last[t] % 2 ? item->odd : item->even) != NO_CALL)
            return true;
    }
    return false;
}

/* One access of T, if it has one: a call begins with its first. False if it can't move. A call that must
 * wait before its first access has begun all the same. */
static bool move(Run *run, int t)
{
    if (!settle(run, t))
        return false;
    const Item *item = &threads[t].items[run->item[t]];
    if (run->holder >= 0 && run->holder != t && !run->holder_waits)
        return false;
    if (item->access) {
        if (item->step.kind == WAIT && !run->memory[item->step.place])
            return false;
        run->last[t] = run->own[t] = perform(run, &item->step, run->own[t]);
        run->item[t]++;
        run->time++;
        return true;
    }
    int o = run->call[t] == NO_CALL ? (run->last[t] % 2 ? item->odd : item->even)
                                    : run->calls[run->call[t]].operation;
    const Operation *op = &operations[o];
    bool begins = run->call[t] == NO_CALL;
    if (begins && run->gate >= 0 && run->inside[op->object] >= 0)
        return false; /* calls on one object exclude each other */
    const Step *s = &op->steps[run->at[t]];
    bool waits = s->kind == WAIT && !run->memory[s->place];
    if (begins) {
        run->call[t] = run->count;
        run->calls[run->count++] = (Called){t, o, WAITS, run->time, -1};
        run->r[t] = 0;
        run->inside[op->object] = t;
        if (op->object == run->gate) {
            run->holder = t;
            run->holder_waits = false;
        }
        if (waits)
            return true; /* it has begun, that is all */
    }
    if (waits) {
        if (run->holder == t && !run->holder_waits) {
            run->holder_waits = true;
            run->watched = s->place;
            return true;
        }
        return false;
    }
    if (run->holder == t && run->holder_waits) {
        run->spoilt = true; /* freed by others: not atomic */
        run->holder_waits = false;
    }
    Called *called = &run->calls[run->call[t]];
    if (called->last < 0)
        called->first = run->time;
    run->r[t] = perform(run, s, run->r[t]);
    called->last = run->time++;
    if (++run->at[t] < op->count)
        return true;
    called->result = run->last[t] = run->r[t];
    run->at[t] = 0;
    run->call[t] = NO_CALL;
    run->item[t]++;
    run->inside[op->object] = -1;
    if (run->holder == t)
        run->holder = -1;
    return true;
}

static Run start(int gate)
{
    Run run = {.gate = gate, .inside = {-1, -1}, .holder = -1};
    for (int t = 0; t < THREADS; t++)
        run.call[t] = NO_CALL;
    return run;
}

/* ---- atomic runs ---- */

typedef struct Entry {
    int thread, operation, result; /* WAITS: for ever */
} Entry;
typedef struct List {
    Entry at[MOST_CALLS];
    int count;
} List;
static List *lists[2];
static int list_count[2], list_room[2];
static bool nondeterministic, deadlock;

static bool same_call(const Entry *a, const Entry *b)
{
    return a->thread == b->thread && a->operation == b->operation;
}

static void add_list(int object, const List *list)
{
    for (int i = 0; i < list_count[object]; i++) {
        const List *other = &lists[object][i];
        int k = 0;
        while (k < list->count && k < other->count && same_call(&list->at[k], &other->at[k]) &&
               list->at[k].result == other->at[k].result)
            k++;
        if (k == list->count && k == other->count)
            return; /* known */
        if (k < list->count && k < other->count && same_call(&list->at[k], &other->at[k]))
            nondeterministic = true;
    }
    if (list_count[object] == list_room[object]) {
        list_room[object] = 2 * list_room[object] + 64;
        lists[object] = realloc(lists[object], sizeof(List) * (size_t)list_room[object]);
    }
    lists[object][list_count[object]++] = *list;
}

static bool any_open(const Run *run)
{
    for (int c = 0; c < run->count; c++)
        if (run->calls[c].result == WAITS)
            return true;
    return false;
}

static bool all_ended(Run *run)
{
    for (int t = 0; t < thread_count; t++)
        if (settle(run, t))
            return false;
    return true;
}

static void atomic_runs(Run run)
{
    bool moved = false;
    if (run.spoilt)
        return;
    for (int t = 0; t < thread_count; t++) {
        Run next = run;
        if (!move(&next, t))
            continue;
        moved = true;
        atomic_runs(next);
    }
    if (moved)
        return;
    if (!all_ended(&run) && !any_open(&run)) {
        deadlock = true;
        return;
    }
    List list = {.count = 0};
    for (int c = 0; c < run.count; c++) /* they began one after the other */
        if (operations[run.calls[c].operation].object == run.gate)
            list.at[list.count++] =
                (Entry){run.calls[c].thread, run.calls[c].operation, run.calls[c].result};
    add_list(run.gate, &list);
}

/* ---- histories ---- */

/* What the lists say about CALL after PREFIX: a result, WAITS, or nothing (false). */
static bool look_up(int object, const List *prefix, const Entry *call, int *result)
{
    for (int i = 0; i < list_count[object]; i++) {
        const List *list = &lists[object][i];
        if (list->count <= prefix->count || !same_call(&list->at[prefix->count], call))
            continue;
        int k = 0;
        while (k < prefix->count && same_call(&list->at[k], &prefix->at[k]) &&
               list->at[k].result == prefix->at[k].result)
            k++;
        if (k < prefix->count)
            continue;
        *result = list->at[prefix->count].result;
        return true;
    }
    return false;
}

/* Can the ended calls on the object that are not in PLACED follow PREFIX, and then, unless it is -1, call
 * STUCK wait for ever? LENIENT: what no list has may be anything. */
static bool explained(const Run *run, int object, unsigned placed, List *prefix, int stuck, bool lenient)
{
    bool all = true;
    for (int c = 0; c < run->count; c++) {
        const Called *call = &run->calls[c];
        if (operations[call->operation].object != object || call->result == WAITS || placed >> c & 1)
            continue;
        all = false;
        bool ready = true;
        for (int d = 0; d < run->count && ready; d++) {
            const Called *other = &run->calls[d];
            ready = d == c || placed >> d & 1 || other->result == WAITS ||
                    operations[other->operation].object != object || other->last > call->first;
        }
        if (!ready)
            continue;
        Entry entry = {call->thread, call->operation, call->result};
        int result;
        if (!look_up(object, prefix, &entry, &result)) {
            if (lenient)
                return true;
            continue;
        }
        if (result != call->result)
            continue;
        prefix->at[prefix->count++] = entry;
        bool fine = explained(run, object, placed | 1u << c, prefix, stuck, lenient);
        prefix->count--;
        if (fine)
            return true;
    }
    if (!all)
        return false;
    if (stuck < 0)
        return true;
    Entry entry = {run->calls[stuck].thread, run->calls[stuck].operation, WAITS};
    int result;
    if (!look_up(object, prefix, &entry, &result))
        return lenient;
    return result == WAITS;
}

static bool violated, unknown, any_call;

static void judge(const Run *run, int object, int stuck)
{
    List prefix = {.count = 0};
    if (explained(run, object, 0, &prefix, stuck, false))
        return;
    if (explained(run, object, 0, &prefix, stuck, true))
        unknown = true;
    else
        violated = true;
}

static void all_runs(Run run)
{
    bool moved = false;
    for (int t = 0; t < thread_count; t++) {
        Run next = run;
        if (!move(&next, t))
            continue;
        moved = true;
        all_runs(next);
    }
    if (moved)
        return;
    if (!all_ended(&run) && !any_open(&run)) {
        deadlock = true;
        return;
    }
    any_call |= run.count > 0;
    for (int object = 0; object < 2; object++) {
        bool open = false;
        for (int c = 0; c < run.count; c++)
            if (operations[run.calls[c].operation].object == object && run.calls[c].result == WAITS) {
                open = true;
                judge(&run, object, c);
            }
        if (!open)
            judge(&run, object, -1);
    }
}

int main(int argc, char **argv)
{
    FILE *file = argc == 3 ? fopen(argv[2], "w") : NULL;
    if (!file) {
        fprintf(stderr, "twin SEED FILE.c\n");
        return 2;
    }
    make(strtoull(argv[1], NULL, 10));
    write_file(file, below(2));
    fclose(file);
    for (int object = 0; object < 2; object++)
        atomic_runs(start(object));
    bool phase1 = nondeterministic || deadlock;
    if (!phase1)
        all_runs(start(-1));
    printf("%s%s%s\n", nondeterministic ? "nondeterminism " : "", deadlock ? "deadlock " : "",
           nondeterministic ? ""
           : violated       ? "violated"
           : deadlock       ? ""
           : !any_call      ? "unmarked"
           : unknown        ? "inconclusive"
                            : "holds");
    return 0;
}
