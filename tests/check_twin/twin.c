/* twin.c: a random test for `heddle check` and its verdict by brute force.
 *     twin SEED FILE.c    writes the test file, prints the verdict that heddle must give under sc
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

enum { LOAD, STORE, STORE_NEXT, STORE_ONE, ADD, SWAP, CAS, KINDS };
enum { OPERATIONS = 3, MOST_STEPS = 3, MOST_CALLS = 4, THREADS = 3 };
typedef struct Step {
    int kind, place;
} Step;
typedef struct Operation {
    Step steps[MOST_STEPS];
    int count;
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
    fprintf(file, "#include <heddle.h>\n#include <stdatomic.h>\nstatic atomic_int x, y;\n");
    for (int o = 0; o < OPERATIONS; o++) {
        fprintf(file, "HD_OP(op%d)\n{\n    int r = 0;\n", o);
        for (int s = 0; s < operations[o].count; s++) {
            fprintf(file, "    ");
            fprintf(file, text[operations[o].steps[s].kind], "xy"[operations[o].steps[s].place]);
            fprintf(file, "\n");
        }
        fprintf(file, "    return HD_INT(r);\n}\n");
    }
    fprintf(file, "HD_SCENARIO(\"");
    for (int c = 0; c < call_count; c++)
        fprintf(file, "%sop%d()", !c ? "" : calls[c].thread != calls[c - 1].thread ? " | " : " ",
                calls[c].operation);
    fprintf(file, "\")\n");
}

static int step(const Step *s, int memory[2], int r)
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
    int memory[2];
    int done[MOST_CALLS], r[MOST_CALLS]; /* of each call */
    int first[MOST_CALLS], last[MOST_CALLS];
    int time;
} Run;

/* Can the calls not in PLACED follow, in some order? */
static bool explained(const Run *run, unsigned placed, int x, int y)
{
    if (placed == (1u << call_count) - 1)
        return true;
    for (int c = 0; c < call_count; c++) {
        bool ready = !(placed >> c & 1);
        for (int d = 0; d < call_count && ready; d++)
            ready = d == c || placed >> d & 1 || run->last[d] > run->first[c];
        if (!ready)
            continue;
        int memory[2] = {x, y}, r = 0;
        const Operation *o = &operations[calls[c].operation];
        for (int s = 0; s < o->count; s++)
            r = step(&o->steps[s], memory, r);
        if (r == run->r[c] && explained(run, placed | 1u << c, memory[0], memory[1]))
            return true;
    }
    return false;
}

static bool all_explained(Run run)
{
    bool ended = true;
    for (int t = 0; t < THREADS; t++)
        for (int c = 0; c < call_count; c++) {
            const Operation *o = &operations[calls[c].operation];
            if (calls[c].thread != t || run.done[c] == o->count)
                continue;
            ended = false;
            Run next = run;
            if (!next.done[c])
                next.first[c] = next.time;
            next.r[c] = step(&o->steps[next.done[c]++], next.memory, next.r[c]);
            next.last[c] = next.time++;
            if (!all_explained(next))
                return false;
            break; /* the later calls of the thread wait */
        }
    return !ended || explained(&run, 0, 0, 0);
}

int main(int argc, char **argv)
{
    FILE *file = argc == 3 ? fopen(argv[2], "w") : NULL;
    if (!file) {
        fprintf(stderr, "twin SEED FILE.c\n");
        return 2;
    }
    make(strtoull(argv[1], NULL, 10));
    write_file(file);
    fclose(file);
    puts(all_explained((Run){0}) ? "holds" : "violated");
    return 0;
}
