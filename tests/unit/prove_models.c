/* Proofs and violations of models against `refine', which explores the model itself: what the
 * prover calls proved must have no violation there, what it calls violated must have one. The
 * models are counters from 0 to 2 whose operations are written in many ways, right and wrong: with
 * loops (whose rounds write, or keep something in locals), locks and assertions, reads at the end,
 * and with threads that alone call an operation. HEDDLE_NIGHTLY=1 tries 2,000, HEDDLE_SYSTEMS=N
 * that many. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <cmocka.h>
#include "base/hash.h"
#include "prove/read/model_reader.h"
#include "prove/prove.h"
#include "prove_random.h"
#include "refine/refine.h"

/* The first of the words is the right one; it is taken more often. */
static const char *pick(Random *random, const char *const *words, size_t count)
{
    return random_below(random, 3) > 0 ? words[0] : words[random_below(random, count)];
}
#define PICK(random, ...)                                                                          \
    pick(random, (const char *const[]){__VA_ARGS__},                                               \
         sizeof((const char *const[]){__VA_ARGS__}) / sizeof(const char *))

/* One way to change n by one unless it is at END. */
static void random_change(Random *random, Buffer *out, const char *name, int end, int by)
{
    const char *last = PICK(random, "", "int w = n; if (w == 9) hint = 1;", "hint = 1;",
                            "int w = n; if (w != o) hint = w;", "await(n >= 0);");
    const char *early = PICK(random, "", "hint = o;", "assert(o >= 0);", "int p = n;");
    buffer_printf(out, "operation bool %s()\n{\n", name);
    switch (random_below(random, 10)) {
    case 0: /* under the lock; sometimes it is not taken, given back twice, or too early */
    case 1:
        buffer_printf(
            out,
            " %s int o = n; if (o == %d) { %s return false; } %s n = o + %d; %s %s return "
            "true;\n}\n",
            PICK(random, "lock(m);", "lock(m);", "lock(m);", ""), end,
            PICK(random, "unlock(m);", "unlock(m);", "m = none;"), early, by, last,
            PICK(random, "unlock(m);", "unlock(m);", "m = none;", ""));
        return;
    case 2:
        buffer_printf(out,
                      " int o; atomic { o = n; if (o == %d) return false; n = o + %d; } %s return "
                      "true;\n}\n",
                      end, by, last);
        return;
    case 3: /* gives up after some tries */
        buffer_printf(out,
                      " int t = 0; while (t < %d) { int o = n; if (o == %d) return false; %s if "
                      "(cas(n, o, o + %d)) { %s return true; } t = t + 1; } return %s;\n}\n",
                      (int)random_below(random, 3), end, early, by, last,
                      PICK(random, "false", "false", "n != 1", "t == 1"));
        return;
    case 4: /* reads and writes */
        buffer_printf(out,
                      " int o = n; if (o == %d) return false; %s n = o + %d; %s return true;\n}\n",
                      end, early, by, last);
        return;
    default:
        buffer_printf(out,
                      " while (true) { int o = n; if (o == %d) return %s; %s if (cas(n, %s, o + "
                      "%d)) { %s return %s; } }\n}\n",
                      end, PICK(random, "false", "false", "false", "n != o"), early,
                      PICK(random, "o", "o", "o", "n"), by, last,
                      PICK(random, "true", "true", "true", "n == o"));
    }
}

static void random_get(Random *random, Buffer *out)
{
    buffer_printf(out, "operation int get()\n{\n %s\n}\n",
                  PICK(random, "return n;", "return n;", "int a = n; hint = 2; return a;",
                       "while (true) { int a = n; int b = n; if (a == b) return a; }",
                       "int a = n; while (a != n) a = n; return a;",
                       "int a = 0; int i = 0; while (i < 2) { a = n; i = i + 1; } return a;",
                       "lock(m); int a = n; unlock(m); return a;",
                       "int a = n; if (a == 1) return n; return a;",
                       "int a = n; int s = 0; while (s < a) s = s + 1; return s;"));
}

static void random_model(Random *random, Buffer *out)
{
    buffer_printf(out, "#include <common.hm>\n%s\nint n, hint;\nMutex m;\n",
                  PICK(random, "threads 3;", "threads 3;", "threads 1: inc; threads 2: dec, get;",
                       "threads 1: inc, dec; threads 1: get;",
                       "threads 1: inc; threads 1: dec; threads 1: get;"));
    random_change(random, out, "inc", 2, 1);
    random_change(random, out, "dec", 0, -1);
    random_get(random, out);
    buffer_printf(out,
                  "specification counter { int n;\n"
                  " operation bool inc() { if (n == 2) return false; n = n + 1; return true; }\n"
                  " operation bool dec() { if (n == 0) return false; n = n - 1; return true; }\n"
                  " operation int get() { return n; }\n}\n");
}

typedef struct Tally {
    unsigned proved, violated, wrong, refined, refuted;
} Tally;

static void compare(const char *text, Tally *tally)
{
    Arena *arena = arena_new();
    const Model *model;
    IrProgram *program;
    Error error = {0};
    ModelOptions none = {0};
    if (!model_read_text(arena, "random.hm", str_of(text), &none, &model, &error))
        fail_msg("%s (line %d) in\n%s", error.message, error.line, text);
    const Module *specification = model_find_specification(model, NULL);
    RefineOptions refine = {
        .model = model, .specification = specification, .jobs = 1, .state_limit = 200000};
    RefineResult result;
    if (!refine_run(arena, &refine, &result, &error))
        fail_msg("%s in\n%s", error.message, text);
    if (!model_reader_run(arena, model, specification, &program, &error))
        fail_msg("%s in\n%s", error.message, text);
    Prove prove;
    ProveOptions options = prove_defaults();
    options.serial_steps = 2000;
    options.search_steps = 10000;
    if (!prove_run(arena, program, &options, &prove, &error))
        fail_msg("%s in\n%s", error.message, text);
    bool known = !result.is_model_error && result.verdict != VERDICT_INCONCLUSIVE;
    bool refuted = known && result.verdict == VERDICT_VIOLATED;
    tally->refuted += refuted;
    tally->refined += known && !refuted;
    tally->proved += known && !refuted && prove.verdict == VERDICT_HOLDS;
    tally->violated += refuted && prove.verdict == VERDICT_VIOLATED;
    /* That a thread waits for ever is no matter of the prover. */
    bool stuck = refuted && result.violation == VIOLATION_DEADLOCK;
    bool wrong = known && !stuck && prove.verdict == (refuted ? VERDICT_HOLDS : VERDICT_VIOLATED);
    tally->wrong += wrong;
    if (wrong)
        print_message("wrong: %s\n%s", verdict_word(prove.verdict), text);
    prove_free(&prove);
    arena_free(arena);
}

static void test_random_models(void **state)
{
    (void)state;
    unsigned systems = (unsigned)random_systems(60, 2000);
    Random random = random_from(3);
    Tally tally = {0};
    for (unsigned i = 0; i < systems; i++) {
        Buffer text = {0};
        random_model(&random, &text);
        compare(text.at, &tally);
        vec_free(&text);
    }
    print_message("%u models: %u refine, of which %u are proved; %u do not, of which %u are called "
                  "violated; %u wrong\n",
                  systems, tally.refined, tally.proved, tally.refuted, tally.violated, tally.wrong);
    assert_int_equal(tally.wrong, 0);
    if (systems >= 60) {
        assert_true(tally.proved > systems / 20);
        assert_true(tally.violated > systems / 20);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_random_models)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
