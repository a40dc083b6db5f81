/* twin.c: a random test for `heddle check` and its verdict by brute force.
 *     twin SEED FILE.c [more|one|both]
 *         writes the test file, prints the verdict that heddle must give under sc; with `one' or `both' also what
 *         --all must count
 *     twin compare SEED COUNT INTERP
 *         gives COUNT tests to INTERP (interp.c, built), which checks them without the tool and replays every
 *         violation: what it says must be the verdict, and every violation must show again. Half of these
 *         tests have operations that wait or choose, too; of these only the replay counts.
 * With `more' and `both', the operations belong to two objects with memory of their own (each is judged by itself), and
 * some calls are made before the threads start or after they have ended.
 *
 * Operations are short sequences of accesses to two atomic integers. Every interleaving of the accesses is
 * run; an operation is called just before its first access and returns just after its last, which makes
 * the real-time order of that interleaving as strong as it can be. The history is linearizable if one of all
 * orders of the calls that keep real time gives the same results when run serially. Nothing is shared with
 * the tool. */
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { LOAD, STORE, STORE_NEXT, STORE_ONE, ADD, SWAP, CAS, KINDS, AWAIT = KINDS, CHOOSE };
enum { OPERATIONS = 3, MOST_STEPS = 3, MOST_CALLS = 6, THREADS = 3, PLACES = 3, OBJECTS = 2 };
enum { FIRST = THREADS, LAST }; /* instead of a thread */
enum { ACCESSES = MOST_CALLS * MOST_STEPS };
typedef struct Step {
    int kind, place;
} Step;
typedef struct Operation {
    Step steps[MOST_STEPS];
    int count, object;
} Operation;
typedef struct Call {
    int thread, operation;
} Call;

static Operation operations[OPERATIONS];
static Call calls[MOST_CALLS]; /* those of a thread in its order */
static int call_count;
static uint64_t state;

static int below(int bound)
{
    state = state * 6364136223846793005u + 1442695040888963407u;
    return (int)((state >> 33) % (uint64_t)bound);
}

static bool more;

static void make(uint64_t seed)
{
    static const int shapes[][THREADS] = {{1, 1, 0}, {2, 1, 0}, {2, 2, 0}, {1, 1, 1}, {2, 1, 1}};
    state = seed * 2654435761u + 1;
    for (int i = 0; i < 8; i++)
        below(2);
    for (int o = 0; o < OPERATIONS; o++) {
        operations[o].count = 1 + below(MOST_STEPS);
        for (int s = 0; s < operations[o].count; s++)
            operations[o].steps[s] = (Step){below(3) ? LOAD + below(4) : below(KINDS), below(3) == 0};
    }
    const int *shape = shapes[below(5)];
    for (int t = 0; t < THREADS; t++)
        for (int i = 0; i < shape[t]; i++)
            calls[call_count++] = (Call){t, below(OPERATIONS)};
    for (int o = 0; o < OPERATIONS && more; o++) {
        operations[o].object = below(2);
        for (int s = 0; s < operations[o].count && operations[o].object; s++)
            operations[o].steps[s].place = 2;
    }
    for (int c = FIRST; c <= LAST && more; c++)
        if (below(2))
            calls[call_count++] = (Call){c, below(OPERATIONS)};
}

static void write_name(FILE *file, int o)
{
    fprintf(file, "%sop%d()", !more ? "" : operations[o].object ? "b." : "a.", o);
}

static void write_file(FILE *file)
{
    static const char *const text[KINDS] = {
        [LOAD] = "r = 2 * r + atomic_load(&%c);",
        [STORE] = "atomic_store(&%c, r);",
        [STORE_NEXT] = "atomic_store(&%c, r + 1);",
        [STORE_ONE] = "atomic_store(&%c, 1);",
        [ADD] = "r += atomic_fetch_add(&%c, 1);",
        [SWAP] = "r = atomic_exchange(&%c, r + 1);",
        [CAS] = "{ int e = 0; r += 2 * atomic_compare_exchange_strong(&%c, &e, 2); }",
    };
    fprintf(file, "#include <heddle.h>\n#include <stdatomic.h>\nstatic atomic_int x, y, z;\n");
    for (int o = 0; o < OPERATIONS; o++) {
        if (more)
            fprintf(file, "HD_OP_OF(%c, op%d)\n", "ab"[operations[o].object], o);
        else
            fprintf(file, "HD_OP(op%d)\n", o);
        fprintf(file, "{\n    int r = 0;\n");
        for (int s = 0; s < operations[o].count; s++) {
            fprintf(file, "    ");
            fprintf(file, text[operations[o].steps[s].kind], "xyz"[operations[o].steps[s].place]);
            fprintf(file, "\n");
        }
        fprintf(file, "    return HD_INT(r);\n}\n");
    }
    fprintf(file, "HD_SCENARIO(\"");
    for (int c = 0; c < call_count && calls[c].thread < THREADS; c++) {
        fprintf(file, "%s", !c ? "" : calls[c].thread != calls[c - 1].thread ? " | " : " ");
        write_name(file, calls[c].operation);
    }
    fprintf(file, "\")\n");
    for (int c = 0; c < call_count; c++)
        if (calls[c].thread >= THREADS) {
            fprintf(file, "HD_%s(\"", calls[c].thread == FIRST ? "FIRST" : "LAST");
            write_name(file, calls[c].operation);
            fprintf(file, "\")\n");
        }
}

static int step(const Step *s, int memory[PLACES], int r)
{
    int *m = &memory[s->place], old = *m;
    switch (s->kind) {
    case LOAD:
        return 2 * r + old;
    case STORE:
        *m = r;
        return r;
    case STORE_NEXT:
        *m = r + 1;
        return r;
    case STORE_ONE:
        *m = 1;
        return r;
    case ADD:
        *m = old + 1;
        return r + old;
    case SWAP:
        *m = r + 1;
        return old;
    default:
        if (old)
            return r;
        *m = 2;
        return r + 2;
    }
}

typedef struct Run {
    int memory[PLACES];
    int done[MOST_CALLS], r[MOST_CALLS]; /* of each call */
    int first[MOST_CALLS], last[MOST_CALLS];
    int time;
    int access[ACCESSES]; /* in the order of time: call * MOST_STEPS + step */
    bool writes[ACCESSES];
} Run;

/* Can the calls on OBJECT that are not in PLACED follow, in some order? */
static bool explained(const Run *run, int object, unsigned placed, const int *now)
{
    bool all = true;
    for (int c = 0; c < call_count; c++) {
        if (placed >> c & 1 || operations[calls[c].operation].object != object)
            continue;
        all = false;
        bool ready = true;
        for (int d = 0; d < call_count && ready; d++)
            ready = d == c || placed >> d & 1 || run->last[d] > run->first[c] ||
                    operations[calls[d].operation].object != object;
        if (!ready)
            continue;
        int memory[PLACES] = {now[0], now[1], now[2]}, r = 0;
        const Operation *o = &operations[calls[c].operation];
        for (int s = 0; s < o->count; s++)
            r = step(&o->steps[s], memory, r);
        if (r == run->r[c] && explained(run, object, placed | 1u << c, memory))
            return true;
    }
    return all;
}

/* The next access of the first call of THREAD that has not ended; false if there is none. */
static bool advance(Run *run, int thread)
{
    for (int c = 0; c < call_count; c++) {
        const Operation *o = &operations[calls[c].operation];
        if (calls[c].thread != thread || run->done[c] == o->count)
            continue;
        if (!run->done[c])
            run->first[c] = run->time;
        const Step *next = &o->steps[run->done[c]];
        int id = c * MOST_STEPS + run->done[c]++;
        run->access[run->time] = id;
        run->writes[id] = next->kind != LOAD && (next->kind != CAS || !run->memory[next->place]);
        run->r[c] = step(next, run->memory, run->r[c]);
        run->last[c] = run->time++;
        return true;
    }
    return false;
}

/* ---- what --all counts ----
 * Two interleavings are one execution if all accesses that conflict come in the same order in both. */

typedef struct Execution {
    uint32_t after[ACCESSES]; /* by access: those that conflict with it and come later */
    int results[MOST_CALLS];
    bool rejected;
} Execution;
static Execution *executions;
static int execution_count;

static int place_of(int id)
{
    return operations[calls[id / MOST_STEPS].operation].steps[id % MOST_STEPS].place;
}

static void count_interleaving(const Run *run, bool rejected)
{
    Execution e;
    memset(&e, 0, sizeof e);
    for (int i = 0; i < run->time; i++)
        for (int j = i + 1; j < run->time; j++) {
            int a = run->access[i], b = run->access[j];
            if (place_of(a) == place_of(b) && (run->writes[a] || run->writes[b]))
                e.after[a] |= 1u << b;
        }
    memcpy(e.results, run->r, sizeof e.results);
    int i = 0;
    while (i < execution_count && memcmp(executions[i].after, e.after, sizeof e.after) != 0)
        i++;
    if (i == execution_count) {
        executions = realloc(executions, sizeof e * (size_t)++execution_count);
        executions[i] = e;
    }
    executions[i].rejected |= rejected;
}

/* Accesses, then the call and the return of each call, as nodes of one order. */
enum { NODES = ACCESSES + 2 * MOST_CALLS };
static int call_of(int c) { return ACCESSES + 2 * c; }
static int return_of(int c) { return ACCESSES + 2 * c + 1; }

static bool is_earlier(int c, int d) /* by the program alone */
{
    int s = calls[c].thread, t = calls[d].thread;
    return (s == t && c < d) || (s != t && (s == FIRST || t == LAST));
}

static void order_of(const Execution *e, uint64_t after[NODES])
{
    memset(after, 0, sizeof(uint64_t) * NODES);
    for (int a = 0; a < ACCESSES; a++)
        after[a] = e->after[a];
    for (int c = 0; c < call_count; c++) {
        int count = operations[calls[c].operation].count;
        for (int s = 0; s < count; s++) {
            after[call_of(c)] |= 1ull << (c * MOST_STEPS + s);
            after[c * MOST_STEPS + s] |= 1ull << return_of(c);
            for (int t = s + 1; t < count; t++)
                after[c * MOST_STEPS + s] |= 1ull << (c * MOST_STEPS + t);
        }
        after[call_of(c)] |= 1ull << return_of(c);
        for (int d = 0; d < call_count; d++)
            if (is_earlier(c, d))
                after[return_of(c)] |= 1ull << call_of(d);
    }
    for (int k = 0; k < NODES; k++)
        for (int i = 0; i < NODES; i++)
            if (after[i] >> k & 1)
                after[i] |= after[k];
}

static uint64_t count_orders(const uint64_t after[NODES], unsigned placed)
{
    uint64_t count = 0;
    if (placed + 1 == 1u << call_count)
        return 1;
    for (int c = 0; c < call_count; c++) {
        bool ready = !(placed >> c & 1);
        for (int d = 0; d < call_count && ready; d++)
            ready = placed >> d & 1 || !(after[return_of(d)] >> call_of(c) & 1);
        if (ready)
            count += count_orders(after, placed | 1u << c);
    }
    return count;
}

static bool is_serializable(const Execution *e)
{
    uint64_t next[MOST_CALLS] = {0};
    for (int a = 0; a < ACCESSES; a++)
        for (int b = 0; b < ACCESSES; b++)
            if (e->after[a] >> b & 1 && a / MOST_STEPS != b / MOST_STEPS)
                next[a / MOST_STEPS] |= 1ull << (b / MOST_STEPS);
    for (int c = 0; c < call_count; c++)
        for (int d = 0; d < call_count; d++)
            if (is_earlier(c, d))
                next[c] |= 1ull << d;
    for (int k = 0; k < call_count; k++)
        for (int i = 0; i < call_count; i++)
            if (next[i] >> k & 1)
                next[i] |= next[k];
    for (int c = 0; c < call_count; c++)
        if (next[c] >> c & 1)
            return false;
    return true;
}

typedef struct History { /* what calls and returns show of an execution */
    uint64_t after[2 * MOST_CALLS];
    int results[MOST_CALLS];
    bool rejected;
} History;

static void print_counts(void)
{
    History *all = calloc((size_t)execution_count + 1, sizeof *all);
    int rejected = 0, conflicts = 0, allowed = 0, distinct = 0, distinct_rejected = 0;
    uint64_t sequences = 0;
    for (int i = 0; i < execution_count; i++) {
        const Execution *e = &executions[i];
        uint64_t after[NODES];
        History h;
        memset(&h, 0, sizeof h);
        order_of(e, after);
        for (int m = 0; m < 2 * MOST_CALLS; m++)
            h.after[m] = after[ACCESSES + m] >> ACCESSES;
        memcpy(h.results, e->results, sizeof h.results);
        int k = 0;
        while (k < distinct && (memcmp(all[k].after, h.after, sizeof h.after) != 0 ||
                                memcmp(all[k].results, h.results, sizeof h.results) != 0))
            k++;
        if (k == distinct) {
            all[distinct++] = h;
            sequences += count_orders(after, 0);
        }
        all[k].rejected |= e->rejected;
        rejected += e->rejected;
        if (!is_serializable(e)) {
            conflicts++;
            allowed += !e->rejected;
        }
    }
    for (int k = 0; k < distinct; k++)
        distinct_rejected += all[k].rejected;
    free(all);
    printf(" %d %d %d %d %llu %d %d", execution_count, rejected, distinct, distinct_rejected,
           (unsigned long long)sequences, conflicts, allowed);
}

static bool counts;

static bool all_explained(Run run)
{
    bool ended = true, holds = true;
    for (int t = 0; t < THREADS; t++) {
        Run next = run;
        if (!advance(&next, t))
            continue;
        ended = false;
        if (!all_explained(next))
            holds = false;
        if (!holds && !counts)
            return false;
    }
    while (ended && advance(&run, LAST))
        ;
    const int zero[PLACES] = {0};
    for (int object = 0; object < OBJECTS && ended; object++)
        holds &= explained(&run, object, 0, zero);
    if (ended && counts)
        count_interleaving(&run, !holds);
    return holds;
}

static Run start(void)
{
    Run run = {.time = 0};
    while (advance(&run, FIRST))
        ;
    return run;
}

/* ---- many tests in one program ---- */

/* Lets one operation of the test wait until a place is not 0, or choose. */
static void spoil(void)
{
    Operation *o = &operations[below(OPERATIONS)];
    o->steps[below(o->count)].kind = below(3) ? AWAIT : CHOOSE;
}

static void set_test(const char *debug)
{
    char text[64] = "", scenario[512];
    int at = 0;
    for (int o = 0; o < OPERATIONS; o++, text[at++] = '|')
        for (int s = 0; s < operations[o].count; s++)
            at += snprintf(text + at, sizeof text - (size_t)at - 1, "%d%d", operations[o].steps[s].kind,
                           operations[o].steps[s].place);
    text[at] = 0;
    at = snprintf(scenario, sizeof scenario, "%s,scenario=", debug);
    for (int c = 0; c < call_count; c++)
        at += snprintf(scenario + at, sizeof scenario - (size_t)at, "%sop%d()",
                       !c ? "" : calls[c].thread != calls[c - 1].thread ? " | " : " ", calls[c].operation);
    setenv("HEDDLE_TWIN_PROGRAM", text, 1);
    setenv("HEDDLE_DEBUG", scenario, 1);
}

/* Starts COMMAND with the present test; what it says, or "" if it fails. */
static const char *ask(const char *command)
{
    static char output[1 << 16];
    char line[4096];
    snprintf(line, sizeof line, "exec timeout 60 '%s' 2>/dev/null", command);
    FILE *pipe = popen(line, "r");
    size_t length = pipe ? fread(output, 1, sizeof output - 1, pipe) : 0;
    output[length] = 0;
    return pipe && pclose(pipe) == -1 ? "" : output;
}

static int compare(uint64_t seed, uint64_t tests, const char *command)
{
    unsigned long long differ = 0, said[6] = {0};
    static const char *const words[] = {"holds",          "violated linearizability", "violated stuck",
                                        "violated nondet", "inconclusive",             "violated"};
    for (uint64_t i = seed; i < seed + tests; i++) {
        call_count = 0;
        make(i);
        bool spoilt = below(2);
        if (spoilt)
            spoil();
        set_test("model=sc,confirm");
        const char *wrong = NULL, *answer = ask(command);
        int word = 0;
        while (word < 6 && strncmp(answer, words[word], strlen(words[word])))
            word++;
        if (word == 6)
            wrong = "there is no verdict";
        else if (!strncmp(answer, "violated", 8) && !strstr(answer, "\nconfirmed"))
            wrong = "the violation does not show again";
        else if (!spoilt && word != !all_explained(start()))
            wrong = "another verdict";
        if (word < 6)
            said[word]++;
        differ += wrong != NULL;
        if (wrong)
            printf("DIFFERS seed %llu: %s: HEDDLE_TWIN_PROGRAM='%s' HEDDLE_DEBUG='%s'\n", (unsigned long long)i,
                   wrong, getenv("HEDDLE_TWIN_PROGRAM"), getenv("HEDDLE_DEBUG"));
    }
    printf("calls: %llu tests", (unsigned long long)tests);
    for (int w = 0; w < 6; w++)
        printf(", %llu %s", said[w], words[w]);
    printf(", %llu differ\n", differ);
    return differ != 0;
}

int main(int argc, char **argv)
{
    if (argc == 5 && !strcmp(argv[1], "compare"))
        return compare(strtoull(argv[2], NULL, 10), strtoull(argv[3], NULL, 10), argv[4]);
    FILE *file = argc >= 3 ? fopen(argv[2], "w") : NULL;
    if (!file) {
        fprintf(stderr, "twin SEED FILE.c [more|one|both]\n");
        return 2;
    }
    more = argc == 4 && strcmp(argv[3], "one") != 0;
    counts = argc == 4 && strcmp(argv[3], "more") != 0;
    make(strtoull(argv[1], NULL, 10));
    write_file(file);
    fclose(file);
    printf("%s", all_explained(start()) ? "holds" : "violated");
    if (counts)
        print_counts();
    puts("");
    return 0;
}
