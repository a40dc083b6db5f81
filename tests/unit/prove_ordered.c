/* The proofs by ranks and by meetings against exhaustive exploration: whatever is proved must have
 * no execution, serial or of two or three threads within bounds, that no serial order explains. The
 * systems are stacks and queues with time stamps or slots, and elimination, of which each part may
 * be replaced by one that is often wrong. HEDDLE_NIGHTLY=1 tries 3,000,
 * HEDDLE_SYSTEMS=N that many. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>
#include "base/hash.h"
#include "prove/prove.h"
#include "prove/read/text.h"
#include "prove_random.h"

/* The first of the words is the right one: it is taken with a probability of RIGHT in 12, else any.
 */
static const char *pick(Random *random, unsigned right, const char *const *words, size_t count)
{
    return random_below(random, 12) < right ? words[0] : words[random_below(random, count)];
}
#define PICK(random, right, ...)                                                                   \
    pick(random, right, (const char *const[]){__VA_ARGS__},                                        \
         sizeof((const char *const[]){__VA_ARGS__}) / sizeof(const char *))

/* Nodes with stamps: a removal takes the newest (stack) or the oldest (queue). */
static void random_stamps(Random *random, unsigned right, Buffer *out)
{
    bool stack = random_below(random, 2) == 0;
    buffer_printf(out, "collected;\nstruct node { int val; int ts; bool stamped; bool taken; }\n"
                       "global int clock;\ninit { clock = 1; }\nop Push { node X; int v, t;\n");
    const char *make = PICK(random, right, "new X; X.val = v;", "new X; X.val = t;");
    const char *draw = PICK(random, right, "t = clock; clock = clock + 1;", "t = clock;",
                            "t = clock; clock = clock + 2;", "t = clock; clock = 1;");
    const char *store = PICK(random, right, "X.ts = t; X.stamped = 1;", "X.ts = v; X.stamped = 1;",
                             "X.stamped = 1;", "X.ts = t;");
    const char *appears = "c";
    switch (random_below(random, 6)) {
    case 0:
        buffer_printf(out, " 1 a: %s %s\n 1 c: %s\n", make, draw, store);
        break;
    case 1:
        buffer_printf(out, " 1 a: %s\n 1 c: %s %s\n", make, draw, store);
        break;
    case 2:
        buffer_printf(out, " 1 c: %s %s %s\n", make, draw, store);
        break;
    case 3: /* the stamp is drawn before the node is there */
        buffer_printf(out, " 1 a: %s\n 1 c: %s %s\n", draw, make, store);
        break;
    default:
        buffer_printf(out, " 1 a: %s\n 1 b: %s\n 1 c: %s\n", make, draw, store);
        appears = PICK(random, right, "c", "a", "b");
    }
    buffer_printf(out, " inserts X as v %sat %s;\n}\nop Pop { node m; int v, c;\n",
                  PICK(random, right, "rank t ", "", "rank v "), appears);
    buffer_printf(out, "%s", PICK(random, 6, " 1 d:\n", " 1 d: c = clock;\n"));
    buffer_printf(out, " 1 e: <live m; %s node n: (%s => %s n.ts %s m.ts)>\n",
                  PICK(random, right, "each", "each"),
                  PICK(random, right, "live n && n.taken == 0",
                       "live n && n.taken == 0 && n.stamped == 1", "live n && n.taken == 1",
                       "live n && n.stamped == 1"),
                  PICK(random, right, "n.stamped == 1 &&", ""),
                  stack ? PICK(random, right, "<=", ">=", "==") : PICK(random, right, ">=", "<="));
    buffer_printf(out,
                  " 1 f: <m.stamped == 1; %s> m.taken = 1; v = m.val;\n removes m as v at %s;\n}\n",
                  PICK(random, right, "m.taken == 0", "m.stamped == 1"), "f");
    if (random_below(random, 3) == 0)
        buffer_printf(out,
                      "op Short { node m; int v, c;\n 1 g: c = clock;\n"
                      " 1 h: <live m; m.taken == 0; %s> m.taken = 1; v = m.val;\n"
                      " removes m as v at h;\n}\n",
                      PICK(random, right, "m.stamped == 1; m.ts >= c", "m.stamped == 0",
                           "m.stamped == 1; m.ts <= c", "m.stamped == 1"));
    buffer_printf(out, "spec %s;\n", stack ? "stack" : "queue");
}

/* Slots of an array, in the manner of Herlihy and Wing. */
static void random_slots(Random *random, unsigned right, Buffer *out)
{
    bool queue = random_below(random, 8) > 0;
    buffer_printf(out, "global int back, AR[];\nop Enq { int k, v;\n");
    const char *draw =
        PICK(random, right, "k = back; back = back + 1;", "k = back; back = back + 2;", "k = back;",
             "back = back + 1; k = back;");
    if (random_below(random, 4))
        buffer_printf(out, " 1 a: %s\n 1 b: <v > 0> AR[k] = v;\n", draw);
    else
        buffer_printf(out, " 1 b: %s AR[k] = v;\n", draw);
    buffer_printf(out, " inserts k as v %sat b;\n}\nop Deq { int l, i, x;\n",
                  PICK(random, right, "rank k ", "", "rank v "));
    const char *range = PICK(random, right, " 1 c: l = back;\n", " 1 c:\n");
    buffer_printf(out, "%s 1 d: <0 <= i; %s; each int j: (%s => AR[j] == 0)>\n", range,
                  PICK(random, right, "i < l", "i < back", "0 <= l"),
                  queue
                      ? PICK(random, right, "0 <= j && j < i", "i < j && j < l", "j == 0 && j < i")
                      : PICK(random, right, "i < j", "i < j && j < l", "0 <= j && j < i"));
    buffer_printf(out, " 1 e: <AR[i] == x; x > 0> %s\n removes i as x at %s;\n}\nspec %s;\n",
                  PICK(random, right, "AR[i] = 0;", "", "AR[i] = 1;"), "e",
                  queue ? "queue" : "stack");
}

static void random_elimination(Random *random, unsigned right, Buffer *out)
{
    buffer_printf(out, "collected;\nstruct ti { int v; }\nglobal ti loc; global int n, s[];\n"
                       "op Push { int v; 1 a: s[n] = v; n = n + 1; }\n"
                       "op Pop { int v; 1 b: <n > 0> n = n - 1; v = s[n]; }\n"
                       "op Waits { ti p; int v;\n 1 c: <loc == NULL> new p; p.v = v; loc = p;\n");
    buffer_printf(out, " 1 d: <%s>\n}\n",
                  PICK(random, right, "loc != p", "loc == p", "loc == NULL"));
    if (random_below(random, 2))
        buffer_printf(
            out,
            "internal op Leaves { ti p; int v;\n 1 c: <loc == NULL> new p; p.v = v; loc = p;\n"
            " 1 e: <%s> loc = NULL;\n}\n",
            PICK(random, right, "loc == p", "loc != p", "loc != NULL"));
    buffer_printf(out,
                  "op Takes { ti q; int v;\n 1 f: <loc == q; q != NULL>\n 1 g: %s %s v = %s;\n",
                  PICK(random, right, "<loc == q>", ""), PICK(random, right, "loc = NULL;", ""),
                  PICK(random, right, "q.v", "0"));
    buffer_printf(out, " meets Waits(p = q, v = v) at %s;\n}\n", PICK(random, right, "g", "f"));
    buffer_printf(out, "spec {\n global int s[], n;\n op Push { int v; 1 s[n] = v; n = n + 1; }\n"
                       " op Pop { int v; 1 <n > 0; v == s[n - 1]> n = n - 1; s[n] = 0; }\n"
                       " op Waits { int v; 1 s[n] = v; n = n + 1; }\n"
                       " op Takes { int v; 1 <n > 0; v == s[n - 1]> n = n - 1; s[n] = 0; }\n}\n");
}

typedef struct Tally {
    unsigned systems, violated, tried, proved, unsound;
} Tally;

static bool twin_violates(Arena *arena, const IrProgram *program)
{
    static const ExploreLimits plan[] = {
        {.threads = 2, .operations = 3, .values = 2},
        {.threads = 3, .operations = 4, .values = 1},
        {.threads = 2, .operations = 5, .values = 1, .in_turn = true},
        {.threads = 3, .operations = 5, .values = 2}};
    for (size_t i = 0; i < COUNT_OF(plan); i++) {
        ExploreLimits limits = plan[i];
        ExploreResult result;
        Error error;
        limits.keys = 1;
        limits.steps = 60000;
        if (limits.in_turn && program->discipline == DISCIPLINE_NONE)
            continue;
        assert_true(explore_run(arena, program, limits, &result, &error));
        if (result.violated)
            return true;
    }
    return false;
}

static void compare(const char *text, bool likely, Tally *tally)
{
    Arena *arena = arena_new();
    IrProgram *program;
    Error error = {0};
    if (!text_read(arena, "random", str_of(text), &program, &error))
        fail_msg("%s (line %d) in\n%s", error.message, error.line, text);
    bool violated = twin_violates(arena, program);
    tally->systems++;
    tally->violated += violated;
    /* Where there is no violation a proof would be no surprise: only some are tried, to see that
     * there are proofs at all. */
    if (violated || likely) {
        Prove prove;
        ProveOptions options = prove_defaults();
        options.search = false;
        options.serial_steps = 1000;
        if (!prove_run(arena, program, &options, &prove, &error))
            fail_msg("%s in\n%s", error.message, text);
        bool proved = prove.reduced && prove.reasons.count == 0;
        tally->tried += !violated;
        tally->proved += proved;
        if (proved && violated) {
            tally->unsound++;
            print_message("unsound:\n%s", text);
        }
        prove_free(&prove);
    }
    arena_free(arena);
}

static void test_random_systems(void **state)
{
    (void)state;
    static void (*const makers[])(Random *, unsigned, Buffer *) = {random_stamps, random_slots,
                                                                   random_elimination};
    unsigned systems = (unsigned)random_systems(45, 3000);
    Random random = random_from(7);
    Tally tally[3] = {{0}};
    for (unsigned i = 0; i < systems; i++) {
        Buffer text = {0};
        makers[i % 3](&random, 8 + i / 3 % 5, &text);
        compare(text.at, i / 3 % 5 >= 3, &tally[i % 3]);
        vec_free(&text);
    }
    for (int i = 0; i < 3; i++) {
        print_message(
            "%u systems: %u violated, of which %u are proved; of %u others %u are proved\n",
            tally[i].systems, tally[i].violated, tally[i].unsound, tally[i].tried, tally[i].proved);
        assert_int_equal(tally[i].unsound, 0);
        /* The test must be able to fail: of each kind there are violated systems (a fifth of those
         * of elimination, half of the others) and, of those without a violation, proofs (half, or
         * more). Only where a few systems were asked for may a seed have bad luck. */
        if (getenv("HEDDLE_SYSTEMS") && systems < 150)
            continue;
        assert_true(tally[i].violated > tally[i].systems / 8);
        assert_true(tally[i].proved > tally[i].tried / 4);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_random_systems)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
