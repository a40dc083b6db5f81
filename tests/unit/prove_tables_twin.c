/* The decision procedure (symbolic.h, solver.h, tables.h) against brute force: for random pairs of
 * sub-operations on small heaps, without any fact, so that every state counts. If the prover says
 * that b can't follow a, no state of the heap lets them; if it says that they can be exchanged, in
 * every state where a and then b run, b and then a run with the same locals and end in the same
 * state. The other way round the heap may be too small; how often it is not is counted.
 * HEDDLE_NIGHTLY=1 tries 20,000 programs. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>
#include "prove/concrete.h"
#include "prove/tables.h"
#include "prove_random.h"

enum { NODES = 2, CELLS = 3 };

/* A step on a heap of nodes, or on a ring. */
static void random_step(Random *random, bool ring, bool *made, Buffer *out)
{
    static const char *const heap_guards[] = {"h == p",    "p.n == r", "p != NULL", "live p",
                                              "p.v == x",  "g == x",   "h != p",    "p.n == NULL",
                                              "!(h == r)", "x <= g",   "h.v == x"};
    static const char *const heap_sets[] = {"h = p;",   "p.n = r;",   "p.v = x;", "x = g;",
                                            "g = x;",   "h = h.n;",   "r = p.n;", "p.v = p.v + 1;",
                                            "free p;",  "h.v = g;",   "g = 1;",   "h = NULL;",
                                            "p.n = p;", "p.n.n = r;", "x = h.v;"};
    static const char *const ring_guards[] = {"a == x", "c[x % N] == y", "x < y",
                                              "y != 0", "c[a % N] == x", "c[y] == x",
                                              "g == x", "c[x % N] == g"};
    static const char *const ring_sets[] = {"c[x % N] = y;", "a = a + 1;", "c[y] = g;",    "g = x;",
                                            "y = c[x % N];", "a = x;",     "c[g % N] = 1;"};
    int guards = (int)random_below(random, 3), sets = (int)random_below(random, 3);
    buffer_printf(out, " 1 <");
    for (int i = 0; i < guards; i++)
        buffer_printf(out, "%s; ",
                      ring ? random_word(random, ring_guards, COUNT_OF(ring_guards))
                           : random_word(random, heap_guards, COUNT_OF(heap_guards)));
    buffer_printf(out, ">");
    if (!ring && !*made && random_below(random, 3) == 0) {
        buffer_printf(out, " new q; q.n = r; h = q;");
        *made = true;
    }
    char local = 0; /* that was set: each has one value */
    for (int i = 0; i < sets; i++) {
        const char *set = ring ? random_word(random, ring_sets, COUNT_OF(ring_sets))
                               : random_word(random, heap_sets, COUNT_OF(heap_sets));
        bool sets_local = strchr("xyr", set[0]) && set[1] == ' ';
        if (sets_local && set[0] == local)
            continue;
        local = sets_local ? set[0] : local;
        buffer_printf(out, " %s", set);
    }
    buffer_printf(out, "\n");
}

static void random_program(Random *random, Buffer *out)
{
    bool ring = random_below(random, 3) == 0;
    buffer_printf(out, ring ? "size N; global int a, g, c[];\n"
                            : "struct T { int v; T n; }\nglobal T h; global int g;\n");
    for (int i = 0; i < 2; i++) {
        bool made = false;
        buffer_printf(out, ring ? "op O%d { int x, y;\n" : "op O%d { T p, q, r; int x;\n", i);
        buffer_printf(out, " 1 <>\n"); /* a last step before a first one would be a boundary case */
        random_step(random, ring, &made, out);
        buffer_printf(out, "}\n");
    }
}

typedef struct Brute {
    ConcreteMachine machine;
    const IrOperation *a, *b;
    const ConcreteState *start;
    Locals first, second;
    ConcreteState middle, end;
    bool orderable, irreversible, found;
} Brute;

/* States are equal if they have the same allocated nodes and agree on all variables. */
static bool brute_same(const Brute *brute, const ConcreteState *x, const ConcreteState *y)
{
    for (int i = 0; i < brute->machine.words; i++) {
        bool allocated = i >= brute->machine.at_allocated && i < brute->machine.at_fields;
        if (allocated ? (x->word[i] > 0) != (y->word[i] > 0) : x->word[i] != y->word[i])
            return false;
    }
    return true;
}

static bool brute_fourth(void *context, const ConcreteState *state, const Locals *locals)
{
    Brute *brute = context;
    (void)locals;
    brute->found |= brute_same(brute, state, &brute->end);
    return !brute->found;
}

static bool brute_third(void *context, const ConcreteState *state, const Locals *locals)
{
    Brute *brute = context;
    (void)locals;
    return concrete_step(&brute->machine, brute->a, 1, 2, state, &brute->first, NULL, brute_fourth,
                         brute);
}

/* a and then b have run: now the other order, with the same locals. */
static bool brute_second(void *context, const ConcreteState *state, const Locals *locals)
{
    Brute *brute = context;
    brute->orderable = true;
    brute->second = *locals;
    brute->end = *state;
    brute->found = false;
    concrete_step(&brute->machine, brute->b, 1, 3, brute->start, locals, NULL, brute_third, brute);
    brute->irreversible |= !brute->found;
    return true;
}

static bool brute_first(void *context, const ConcreteState *state, const Locals *locals)
{
    Brute *brute = context;
    Locals nothing = {.bound = 0};
    brute->first = *locals;
    brute->middle = *state;
    return concrete_step(&brute->machine, brute->b, 1, 3, &brute->middle, &nothing, NULL,
                         brute_second, brute);
}

/* Every state whose words from AT on are within small domains. */
static void brute_states(Brute *brute, ConcreteState *state, int at)
{
    const ConcreteMachine *m = &brute->machine;
    const IrProgram *program = m->program;
    Locals nothing = {.bound = 0};
    if (at == m->words) {
        brute->start = state;
        concrete_step(&brute->machine, brute->a, 1, 2, state, &nothing, NULL, brute_first, brute);
        return;
    }
    int most = 1;
    if (at < m->at_allocated)
        most = ir_type_is_node(program->globals.at[at].type) ? NODES : program->size >= 0 ? 2 : 1;
    else if (at >= m->at_fields && at < m->at_arrays)
        most = ir_type_is_node(program->fields.at[(at - m->at_fields) / (m->bounds.nodes + 1)].type)
                   ? NODES
                   : 1;
    bool null = at >= m->at_allocated && at < m->at_arrays &&
                (at - m->at_allocated) % (m->bounds.nodes + 1) == 0;
    bool size = at == program->size;
    for (int value = size ? CONCRETE_SIZE : 0; value <= (null   ? 0
                                                         : size ? CONCRETE_SIZE
                                                                : most);
         value++) {
        state->word[at] = value;
        brute_states(brute, state, at + 1);
    }
}

typedef struct Tally {
    unsigned pairs, impossible, exchanged, witnessed, differ;
} Tally;

static void compare(const char *text, Tally *tally)
{
    Arena *arena = arena_new();
    Error error;
    Prover prover;
    random_prover(arena, text, &prover);
    const IrProgram *program = prover.program;
    for (size_t i = 0; i < prover.facts.global.count; i++)
        prover.facts.global.at[i].dead = !prover.facts.global.at[i].axiom;
    facts_drop_dead(&prover.facts.global);
    for (size_t i = 0; i < program->operations.count; i++)
        vec_clear(&prover.facts.points[i][1]);
    for (int pair = 0; pair < 4; pair++) {
        TableEntry entry = {0};
        Brute brute = {.a = &program->operations.at[pair / 2],
                       .b = &program->operations.at[pair % 2]};
        ConcreteBounds bounds = {
            .nodes = program->size >= 0 ? 0 : NODES, .cells = CELLS, .values = 2, .keys = 1};
        ConcreteState state = {{0}};
        assert_true(concrete_init(&brute.machine, program, bounds, &error));
        tables_decide(&prover, pair / 2 * 2 + 1, pair % 2 * 2 + 1, false, &entry);
        brute_states(&brute, &state, 0);
        tally->pairs++;
        tally->impossible += !entry.orderable;
        tally->exchanged += entry.orderable && entry.reversible;
        tally->witnessed += entry.orderable && !entry.reversible && brute.irreversible;
        if ((!entry.orderable && brute.orderable) ||
            (entry.orderable && entry.reversible && brute.irreversible)) {
            tally->differ++;
            print_message("O%d, O%d: prover orderable %d reversible %d, brute force %d %d in\n%s",
                          pair / 2, pair % 2, entry.orderable, entry.reversible, brute.orderable,
                          !brute.irreversible, text);
        }
    }
    prover_free(&prover);
    arena_free(arena);
}

static void test_random_pairs(void **state)
{
    (void)state;
    int programs = random_systems(60, 20000);
    Random random = random_from(7);
    Tally tally = {0};
    for (int i = 0; i < programs; i++) {
        Buffer text = {0};
        random_program(&random, &text);
        compare(text.at, &tally);
        vec_free(&text);
    }
    print_message("%u pairs: %u impossible, %u exchangeable, %u not and shown by a small heap; %u "
                  "differ\n",
                  tally.pairs, tally.impossible, tally.exchanged, tally.witnessed, tally.differ);
    assert_int_equal(tally.differ, 0);
    assert_true(tally.impossible > tally.pairs / 100 && tally.exchanged > tally.pairs / 10 &&
                tally.witnessed > tally.pairs / 20);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_random_pairs)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
