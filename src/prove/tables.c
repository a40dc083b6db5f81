/* A pair a[u], b[v] stands in a history in states that satisfy the global facts, u's facts at the
 * point of a and v's at the point of b. It is orderable iff in some such state a and then b can
 * run, and reversible iff in every such state where a, b can run, b, a can too and ends in the same
 * state; so what is called orderable over-approximates and what is called reversible
 * under-approximates, which is what Algorithm 1 needs. */
#include "prove/tables.h"
#include "base/stop.h"
#include <string.h>

/* The paper's symbols, in UTF-8. */
#define NOT "\xc2\xac"
#define ORDERABLE "\xe2\x89\x80"
#define REVERSIBLE "\xe2\x8a\x96"

enum { U = 0, V = 1 };

void tables_locate(const IrProgram *program, int number, int *operation, int *point)
{
    *operation = 0;
    while (number >= (int)program->operations.at[*operation].subops.count)
        number -= (int)program->operations.at[(*operation)++].subops.count;
    *point = number;
}

typedef struct TablePair {
    Prover *prover;
    Instance u, v;
    int a, b; /* points */
    SymState start, middle, end;
    Terms base;  /* facts */
    Terms first; /* a can run */
    Terms then;  /* b can run after */
} TablePair;

static void tables_pair(TablePair *pair, Prover *prover, Instance u, int a, Instance v, int b)
{
    Instance both[] = {u, v};
    *pair = (TablePair){.prover = prover, .u = u, .v = v, .a = a, .b = b};
    pair->start = pair->middle = symbolic_unknown(&prover->symbolic);
    symbolic_set_query(&prover->symbolic, both, 2);
    prover_assume(prover, &pair->start, both, 2, false, &pair->base);
    prover_assume_point(prover, &pair->start, u, a, &pair->base);
    prover_assume_point(prover, &pair->start, v, b, &pair->base);
    prover_run(prover, u, a, &pair->middle, &pair->first);
    pair->end = pair->middle;
    prover_run(prover, v, b, &pair->end, &pair->then);
}

/* Splits what b needs after a into definitions of locals that are still free, which can always be
 * met, and the rest. */
static void tables_split(TablePair *pair, Terms *definitions, Terms *rest)
{
    Prover *prover = pair->prover;
    const IrOperation *op = &prover->program->operations.at[pair->v.operation];
    const SubOp *subop = &op->subops.at[pair->b];
    bool open[64] = {false};
    for (size_t l = 0; l < op->locals.count && l < 64; l++) {
        open[l] = true;
        for (int i = 0; i < pair->b; i++)
            open[l] &= !ir_subop_uses_local(&op->subops.at[i], (int)l);
    }
    for (size_t i = 0; i < subop->guards.count; i++) {
        const IrFormula *guard = subop->guards.at[i];
        Term term = symbolic_formula(&prover->symbolic, &pair->middle, pair->v, NULL, guard);
        int defined = -1;
        for (int side = 0; side < 2 && guard->kind == FORMULA_EQ; side++) {
            const IrExpr *x = side ? guard->right : guard->left;
            const IrExpr *e = side ? guard->left : guard->right;
            if (x->kind == IR_LOCAL && open[x->index] && !ir_expr_uses_local(e, x->index))
                defined = x->index;
        }
        if (defined >= 0) {
            open[defined] = false;
            vec_push(definitions, term);
        } else {
            vec_push(rest, term);
        }
    }
}

/* A comparison of two globals, or of one with NULL, that says when b can follow a. */
static const char *tables_condition(TablePair *pair, const Terms *definitions, Term rest)
{
    Prover *prover = pair->prover;
    const IrProgram *program = prover->program;
    for (size_t g = 0; g < program->globals.count; g++)
        for (size_t h = 0; h <= g; h++)
            for (int kind = FORMULA_EQ; kind <= FORMULA_NE; kind++) {
                IrType type = program->globals.at[g].type;
                const IrExpr *left =
                    ir_variable(prover->arena, IR_GLOBAL, (int)h, program->globals.at[h].type);
                const IrExpr *right = h == g ? ir_number(prover->arena, 0)
                                             : ir_variable(prover->arena, IR_GLOBAL, (int)g, type);
                if (h != g && !ir_type_equal(type, program->globals.at[h].type))
                    continue;
                const IrFormula *f =
                    ir_formula_compare(prover->arena, (IrFormulaKind)kind, left, right);
                Term literal = symbolic_formula(&prover->symbolic, &pair->start, pair->u, NULL, f);
                Term differ = term_or(
                    &prover->pool, term_and(&prover->pool, literal, term_not(&prover->pool, rest)),
                    term_and(&prover->pool, rest, term_not(&prover->pool, literal)));
                solver_push(prover->solver);
                solver_assert_all(prover->solver, definitions);
                solver_assert(prover->solver, differ);
                SolverAnswer answer = solver_check(prover->solver);
                solver_pop(prover->solver);
                if (answer != ANSWER_NO)
                    continue;
                Buffer text = {0};
                ir_formula_print(&text, program, NULL, f);
                const char *copy = str_copy(prover->arena, buffer_str(&text));
                vec_free(&text);
                return copy;
            }
    return NULL;
}

/* The first condition that, with those before it, can't hold; in the words of the text. */
static const char *tables_blame(Prover *prover, Instance instance, int point, const SymState *state)
{
    const IrOperation *op = &prover->program->operations.at[instance.operation];
    const SubOp *subop = &op->subops.at[point];
    const char *blamed = NULL;
    solver_push(prover->solver);
    for (size_t i = 0; i < subop->guards.count && !blamed; i++) {
        solver_assert(prover->solver, symbolic_formula(&prover->symbolic, state, instance, NULL,
                                                       subop->guards.at[i]));
        if (solver_check(prover->solver) == ANSWER_NO) {
            Buffer text = {0};
            ir_formula_print(&text, prover->program, op, subop->guards.at[i]);
            blamed = str_copy(prover->arena, buffer_str(&text));
            vec_free(&text);
        }
    }
    solver_pop(prover->solver);
    return blamed ? blamed : "its guard as a whole";
}

static void tables_conditional(TablePair *pair, TableEntry *entry)
{
    Prover *prover = pair->prover;
    Terms definitions = {0}, rest = {0};
    if (prover_is_weak(prover, pair->v.operation, pair->b))
        return;
    prover->symbolic.to_show = true;
    tables_split(pair, &definitions, &rest);
    prover->symbolic.to_show = false;
    Term all = term_all(&prover->pool, &rest);
    solver_push(prover->solver);
    solver_assert_all(prover->solver, &definitions);
    solver_assert(prover->solver, term_not(&prover->pool, all));
    entry->conditional = solver_check(prover->solver) != ANSWER_NO;
    solver_pop(prover->solver);
    bool quantified = false;
    const SubOp *second = &prover->program->operations.at[pair->v.operation].subops.at[pair->b];
    for (size_t i = 0; i < second->guards.count; i++)
        quantified |= ir_formula_has_none(second->guards.at[i]);
    if (entry->conditional && !quantified)
        entry->condition = tables_condition(pair, &definitions, all);
    vec_free(&definitions);
    vec_free(&rest);
}

static void tables_reversible(TablePair *pair, bool reasons, TableEntry *entry)
{
    Prover *prover = pair->prover;
    Terms other = {0};
    SymState middle = pair->start, end;
    prover->symbolic.to_show = true;
    prover_run(prover, pair->v, pair->b, &middle, &other);
    end = middle;
    size_t before = other.count;
    prover_run(prover, pair->u, pair->a, &end, &other);
    prover->symbolic.to_show = false;
    Term runs = term_all(&prover->pool, &other);
    Term same = symbolic_same(&prover->symbolic, &pair->end, &end);
    solver_push(prover->solver);
    solver_assert_all(prover->solver, &pair->then);
    solver_push(prover->solver);
    solver_assert(prover->solver, term_not(&prover->pool, term_and(&prover->pool, runs, same)));
    entry->reversible = solver_check(prover->solver) == ANSWER_NO;
    solver_pop(prover->solver);
    if (!entry->reversible && reasons) {
        Terms head = {.at = other.at, .count = before};
        solver_push(prover->solver);
        solver_assert(prover->solver, term_not(&prover->pool, term_all(&prover->pool, &head)));
        bool second_blocked = solver_check(prover->solver) == ANSWER_YES;
        solver_pop(prover->solver);
        solver_push(prover->solver);
        solver_assert(prover->solver, term_not(&prover->pool, runs));
        bool blocked = solver_check(prover->solver) == ANSWER_YES;
        solver_pop(prover->solver);
        entry->reason = second_blocked ? "the second needs the first"
                        : blocked      ? "the second, done first, disables the first"
                                       : "the other order ends in another state";
    }
    solver_pop(prover->solver);
    vec_free(&other);
}

void tables_decide(Prover *prover, int a, int b, bool reasons, TableEntry *entry)
{
    TablePair pair;
    int op_a, op_b, point_a, point_b;
    tables_locate(prover->program, a, &op_a, &point_a);
    tables_locate(prover->program, b, &op_b, &point_b);
    tables_pair(&pair, prover, (Instance){U, op_a}, point_a, (Instance){V, op_b}, point_b);
    entry->boundary = point_a + 1 == prover_points(prover, op_a) && point_b == 0;
    solver_push(prover->solver);
    solver_assume_all(prover->solver, &pair.base);
    solver_assert_all(prover->solver, &pair.first);
    solver_push(prover->solver);
    solver_assert_all(prover->solver, &pair.then);
    entry->orderable = solver_check(prover->solver) != ANSWER_NO;
    solver_pop(prover->solver);
    if (!entry->orderable && reasons)
        entry->reason = tables_blame(prover, pair.v, point_b, &pair.middle);
    if (entry->orderable && !entry->boundary) {
        tables_reversible(&pair, reasons, entry);
        if (reasons)
            tables_conditional(&pair, entry);
    }
    solver_pop(prover->solver);
    vec_free(&pair.base);
    vec_free(&pair.first);
    vec_free(&pair.then);
}

bool tables_implies(Prover *prover, int a, int b, const IrFormula *condition)
{
    TablePair pair;
    int op_a, op_b, point_a, point_b;
    tables_locate(prover->program, a, &op_a, &point_a);
    tables_locate(prover->program, b, &op_b, &point_b);
    tables_pair(&pair, prover, (Instance){U, op_a}, point_a, (Instance){V, op_b}, point_b);
    solver_push(prover->solver);
    solver_assume_all(prover->solver, &pair.base);
    solver_assert_all(prover->solver, &pair.first);
    solver_assert_all(prover->solver, &pair.then);
    solver_assert(prover->solver,
                  term_not(&prover->pool, symbolic_formula(&prover->symbolic, &pair.start, pair.u,
                                                           NULL, condition)));
    bool implied = solver_check(prover->solver) == ANSWER_NO;
    solver_pop(prover->solver);
    vec_free(&pair.base);
    vec_free(&pair.first);
    vec_free(&pair.then);
    return implied;
}

Relations tables_relations(Arena *arena, const IrProgram *program)
{
    int *lengths = arena_array_of(arena, int, program->operations.count + 1);
    for (size_t i = 0; i < program->operations.count; i++)
        lengths[i] = (int)program->operations.at[i].subops.count;
    return relations_new(arena, (int)program->operations.count, lengths);
}

void tables_compute(Prover *prover, bool reasons, Tables *tables)
{
    tables->relations = tables_relations(prover->arena, prover->program);
    int count = tables->relations.count;
    tables->entries = arena_array_of(prover->arena, TableEntry, (size_t)(count * count));
    for (int a = 0; a < count; a++)
        for (int b = 0; b < count && !stop_wanted(); b++) {
            TableEntry *entry = &tables->entries[a * count + b];
            tables_decide(prover, a, b, reasons, entry);
            tables->relations.orderable[a * count + b] = entry->orderable;
            tables->relations.reversible[a * count + b] = entry->reversible;
        }
    relations_finish(&tables->relations);
}

const char *tables_name(const Prover *prover, int number)
{
    const IrProgram *program = prover->program;
    int operation, point;
    tables_locate(program, number, &operation, &point);
    const char *label = program->operations.at[operation].subops.at[point].label;
    for (size_t o = 0; o < program->operations.count; o++)
        for (size_t p = 0; p < program->operations.at[o].subops.count; p++)
            if (((int)o != operation || (int)p != point) &&
                strcmp(program->operations.at[o].subops.at[p].label, label) == 0)
                return arena_printf(prover->arena, "%s.%s", program->operations.at[operation].name,
                                    label);
    return label;
}

void tables_print(const Prover *prover, const Tables *tables, Buffer *out)
{
    const IrProgram *program = prover->program;
    int count = tables->relations.count;
    const char **names = arena_array_of(prover->arena, const char *, (size_t)count + 1);
    for (int i = 0; i < count; i++)
        names[i] = tables_name(prover, i);
    buffer_printf(out, "Global sub-operations\n");
    for (int i = 0; i < count; i++) {
        int operation, point;
        tables_locate(program, i, &operation, &point);
        const IrOperation *op = &program->operations.at[operation];
        if (point == 0)
            buffer_printf(out, "  %s\n", op->name);
        buffer_printf(out, "    %-4s ", op->subops.at[point].label);
        ir_subop_print(out, program, op, &op->subops.at[point]);
        buffer_printf(out,
                      prover_is_weak(prover, operation, point) ? "   [read weakened]\n" : "\n");
    }
    buffer_printf(out,
                  "\nPair-wise ordering (the first by one instance, then the second by another)\n");
    for (int i = 0; i < count * count; i++) {
        const TableEntry *entry = &tables->entries[i];
        const char *a = names[i / count], *b = names[i % count];
        if (!entry->orderable)
            buffer_printf(out, "  " NOT "%s " ORDERABLE " %s   // after %s, %s is impossible: %s\n",
                          a, b, a, b, entry->reason ? entry->reason : "");
        else if (entry->boundary)
            buffer_printf(out, "  %s " ORDERABLE " %s   [boundary case]\n", a, b);
        else if (entry->conditional && entry->condition)
            buffer_printf(out, "  %s " ORDERABLE " %s   [if %s]\n", a, b, entry->condition);
        else
            buffer_printf(out, "  %s " ORDERABLE " %s%s\n", a, b,
                          entry->conditional ? "   // in some states" : "");
    }
    buffer_printf(out,
                  "\nPair-wise reversibility (of orderable pairs that are no boundary case)\n");
    for (int i = 0; i < count * count; i++) {
        const TableEntry *entry = &tables->entries[i];
        const char *a = names[i / count], *b = names[i % count];
        if (!entry->orderable || entry->boundary)
            continue;
        if (entry->reversible)
            buffer_printf(out, "  %s " REVERSIBLE " %s\n", a, b);
        else
            buffer_printf(out, "  " NOT "%s " REVERSIBLE " %s   // %s\n", a, b,
                          entry->reason ? entry->reason : "");
    }
}
