/* Figure 5 of the paper, entry by entry: the tables of the Michael-Scott queue. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>
#include "prove/facts/houdini.h"
#include "prove/tables.h"
#include "prove/read/text.h"

/* Figure 4 without its local steps and its free, which Figure 5 leaves out. */
static const char queue[] =
    "struct node{int value, node next};\n"
    "struct queue{node head, node tail};\n"
    "queue Q;\n"
    "init { node D; new D; Q.head = D; Q.tail = D; }\n"
    "Enqueue (int val)\n node X; node Z;\n"
    " 1 X = malloc node; ...a\n 1 X.value = val; ...b\n 1 X.next = NULL; ...c\n"
    " 1 < Q.tail == Z; Z.next == NULL;> Z.next = X; ...d\n"
    " * < Q.tail == Z> Q.tail = X; ...e\n"
    "Dequeue_nonempty()\n node X;\n"
    " 1 < Q.head == X; Q.tail \xe2\x89\xa0 X; X.next \xe2\x89\xa0 NULL;> Q.head = X.next; ...f\n"
    "Dequeue_empty()\n node X;\n"
    " 1 < Q.head == X; Q.tail == X; X.next == NULL;> ...h\n";

/* The paper's table: '-' not orderable, 'b' orderable and a boundary case, 'c' orderable on a
 * condition, 'o' orderable; 'R' if the pair is also reversible. Rows: first, columns: second. */
static const char *const figure5[4][4] = {
    /*        d     e     f     h */
    /* d */ {"-", "-", "cR", "-"},
    /* e */ {"b", "-", "b", "-"},
    /* f */ {"b", "oR", "b", "b"},
    /* h */ {"b", "-", "-", "b"},
};

static void test_figure5(void **state)
{
    (void)state;
    Arena *arena = arena_new();
    IrProgram *read;
    Error error = {0};
    Prover prover;
    Tables tables;
    if (!text_read(arena, "figure 4", str_of(queue), &read, &error))
        fail_msg("%s (line %d)", error.message, error.line);
    const IrProgram *program = read->joined;
    assert_int_equal(program->operations.count, 3);
    assert_int_equal(program->operations.at[0].subops.count, 2); /* a, b, c are local */
    prover_init(&prover, arena, program, 20000);
    facts_candidates(arena, program, &prover.facts);
    houdini_run(&prover);
    tables_compute(&prover, true, &tables);
    assert_int_equal(tables.relations.count, 4);
    for (int a = 0; a < 4; a++)
        for (int b = 0; b < 4; b++) {
            const TableEntry *entry = &tables.entries[a * 4 + b];
            char text[3] = {!entry->orderable    ? '-'
                            : entry->boundary    ? 'b'
                            : entry->conditional ? 'c'
                                                 : 'o',
                            entry->reversible ? 'R' : '\0', '\0'};
            if (strcmp(text, figure5[a][b]) != 0)
                fail_msg("%c, %c: %s, the paper has %s", "defh"[a], "defh"[b], text, figure5[a][b]);
        }
    assert_string_equal(tables.entries[0 * 4 + 2].condition, "Q.head != Q.tail");
    assert_true(algorithm1_check(&tables.relations, CLOSURE_CORRECT, NULL));
    prover_free(&prover);
    arena_free(arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_figure5)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
