#include "prove/simulation_private.h"
#include <string.h>

/* ---- the specification's expressions in the product ---- */

typedef struct Renaming {
    Arena *arena;
    const Simulation *simulation;
    const int *locals;
    const IrOperation *op; /* whose locals they become */
} Renaming;

static const IrExpr *rename_expr(const Renaming *r, const IrExpr *e)
{
    if (!e)
        return NULL;
    IrExpr *copy = arena_new_of(r->arena, IrExpr);
    *copy = *e;
    copy->a = rename_expr(r, e->a);
    copy->b = rename_expr(r, e->b);
    if (e->kind == IR_LOCAL) {
        copy->index = r->locals[e->index];
        copy->type = r->op->locals.at[copy->index].type;
    } else if (e->kind == IR_GLOBAL) {
        copy->index = e->index == r->simulation->specification->size
                          ? r->simulation->product->size
                          : r->simulation->first_global + e->index;
    } else if (e->kind == IR_CELL) {
        copy->index = r->simulation->first_array + e->index;
    }
    return copy;
}

static const IrFormula *rename_formula(const Renaming *r, const IrFormula *f)
{
    if (!f)
        return NULL;
    IrFormula *copy = arena_new_of(r->arena, IrFormula);
    *copy = *f;
    copy->left = rename_expr(r, f->left);
    copy->right = rename_expr(r, f->right);
    copy->a = rename_formula(r, f->a);
    copy->b = rename_formula(r, f->b);
    return copy;
}

static IrStatement rename_statement(const Renaming *r, IrStatement s)
{
    s.target = rename_expr(r, s.target);
    s.value = rename_expr(r, s.value);
    s.condition = rename_formula(r, s.condition);
    return s;
}

/* ---- ghosts ---- */

/* The local with the last node that the steps make; -1: none. */
static int simulation_made(const IrOperation *op)
{
    int made = -1;
    for (size_t i = 0; i < op->subops.count; i++)
        for (size_t k = 0; k < op->subops.at[i].statements.count; k++)
            if (op->subops.at[i].statements.at[k].kind == IR_NEW)
                made = op->subops.at[i].statements.at[k].local;
    return made;
}

static int simulation_add_array(Arena *arena, IrProgram *product, const char *name, IrType type)
{
    arena_push(arena, &product->arrays, (IrVariable){name, type});
    return (int)product->arrays.count - 1;
}

/* TARGET, a cell, is written by the specification of OP: if OP makes a node, it is the witness. */
static void simulation_note_write(Arena *arena, Simulation *simulation, const IrOperation *op,
                                  const IrExpr *target)
{
    IrProgram *product = simulation->product;
    int made = simulation_made(op), array = target->index;
    simulation->index.at[array] = target->a->type;
    if (made < 0 || simulation->witness.at[array] >= 0)
        return;
    int structure = op->locals.at[made].type.structure;
    simulation->witness.at[array] = simulation_add_array(
        arena, product,
        arena_printf(arena, "%s.nodes", simulation->specification->arrays.at[array].name),
        op->locals.at[made].type);
    if (target->a->type.kind != KIND_INT || simulation->positions.at[structure] >= 0)
        return;
    simulation->positions.at[structure] = (int)product->fields.count;
    arena_push(arena, &product->fields, (IrField){"position", structure, {KIND_INT, -1}});
}

static void simulation_index_expr(Simulation *simulation, const IrExpr *e)
{
    if (!e)
        return;
    if (e->kind == IR_CELL && e->a->kind != IR_NUMBER)
        simulation->index.at[e->index] = e->a->type;
    simulation_index_expr(simulation, e->a);
    simulation_index_expr(simulation, e->b);
}

static void simulation_index_formula(Simulation *simulation, const IrFormula *f)
{
    if (!f)
        return;
    simulation_index_expr(simulation, f->left);
    simulation_index_expr(simulation, f->right);
    simulation_index_formula(simulation, f->a);
    simulation_index_formula(simulation, f->b);
}

static void simulation_add_ghosts(Arena *arena, Simulation *simulation)
{
    const IrProgram *spec = simulation->specification, *program = simulation->proved->program;
    for (size_t i = 0; i < spec->arrays.count; i++) {
        arena_push(arena, &simulation->index, ((IrType){KIND_INT, -1}));
        arena_push(arena, &simulation->witness, -1);
    }
    for (size_t i = 0; i < program->structures.count; i++)
        arena_push(arena, &simulation->positions, -1);
    int path;
    for (int a = 0; a < (int)spec->operations.count; a++) {
        const SubOp *subop = &spec->operations.at[a].subops.at[0];
        for (size_t i = 0; i < subop->guards.count; i++)
            simulation_index_formula(simulation, subop->guards.at[i]);
        for (size_t i = 0; i < subop->statements.count; i++) {
            const IrStatement *s = &subop->statements.at[i];
            simulation_index_expr(simulation, s->value);
            simulation_index_formula(simulation, s->condition);
            if (s->kind != IR_SET || s->target->kind != IR_CELL)
                continue;
            simulation->index.at[s->target->index] = s->target->a->type;
            for (int o = 0; o < (int)program->operations.count; o++)
                if (simulation_is_effect_of(simulation, o,
                                            (int)program->operations.at[o].subops.count, a, &path))
                    simulation_note_write(arena, simulation, &program->operations.at[o], s->target);
        }
    }
}

/* ---- the product ---- */

static bool simulation_expr_is_plain(const IrExpr *e)
{
    return !e || (e->kind != IR_FIELD && simulation_expr_is_plain(e->a) &&
                  simulation_expr_is_plain(e->b));
}

/* The specification is one of numbers and arrays, each operation one step. */
static bool simulation_is_plain(const IrProgram *spec)
{
    bool plain = spec->fields.count == 0;
    for (size_t i = 0; i < spec->operations.count && plain; i++) {
        const IrOperation *op = &spec->operations.at[i];
        plain = op->subops.count == 1;
        for (size_t k = 0; plain && k < op->subops.at[0].statements.count; k++) {
            const IrStatement *s = &op->subops.at[0].statements.at[k];
            plain =
                s->kind == IR_ASSUME || (s->kind == IR_SET && simulation_expr_is_plain(s->target));
        }
    }
    return plain;
}

bool simulation_is_effect_of(const Simulation *simulation, int operation, int prefix, int abstract,
                             int *path)
{
    const IrProgram *program = simulation->proved->program;
    const IrOperation *op = &program->operations.at[operation];
    const char *method = simulation->specification->operations.at[abstract].method;
    *path = operation;
    if (op->internal)
        return false;
    if (strcmp(op->method, method) == 0)
        return true;
    for (int o = 0; o < (int)program->operations.count && prefix < (int)op->subops.count; o++) {
        const IrOperation *other = &program->operations.at[o];
        *path = o;
        if (!other->internal && strcmp(other->method, method) == 0 &&
            ir_operation_common_prefix(op, other, NULL) >= prefix)
            return true;
    }
    return false;
}

/* The beginning of the program, then that of the specification. */
static void simulation_initial(Arena *arena, Simulation *simulation)
{
    IrProgram *product = simulation->product;
    const IrOperation *abstract = &simulation->specification->initial;
    IrOperation *initial = &product->initial;
    SubOp step = {.label = "init"};
    *initial = simulation->proved->program->initial;
    arena_own(arena, &initial->locals);
    if (initial->subops.count > 0) {
        step = initial->subops.at[0];
        arena_own(arena, &step.statements);
    }
    int *locals = arena_array_of(arena, int, abstract->locals.count + 1);
    for (size_t i = 0; i < abstract->locals.count; i++) {
        locals[i] = (int)initial->locals.count;
        arena_push(arena, &initial->locals, abstract->locals.at[i]);
    }
    Renaming renaming = {arena, simulation, locals, initial};
    for (size_t i = 0; abstract->subops.count > 0 && i < abstract->subops.at[0].statements.count;
         i++)
        arena_push(arena, &step.statements,
                   rename_statement(&renaming, abstract->subops.at[0].statements.at[i]));
    memset(&initial->subops, 0, sizeof initial->subops);
    arena_push(arena, &initial->subops, step);
}

bool simulation_product_begin(Arena *arena, Simulation *simulation)
{
    const IrProgram *program = simulation->proved->program, *spec = simulation->specification;
    if (!simulation_is_plain(spec)) {
        simulation->reason = "the specification has nodes of its own";
        return false;
    }
    IrProgram *product = simulation->product = arena_new_of(arena, IrProgram);
    *product = *program;
    product->specification = NULL;
    product->joined = NULL;
    product->ghost_arrays = 0;
    memset(&product->facts, 0, sizeof product->facts);
    memset(&product->operations, 0, sizeof product->operations);
    arena_own(arena, &product->globals);
    arena_own(arena, &product->arrays);
    arena_own(arena, &product->fields);
    simulation->first_global = (int)product->globals.count;
    simulation->first_array = (int)product->arrays.count;
    product->counted_from = simulation->first_global;
    for (size_t i = 0; i < spec->globals.count; i++)
        arena_push(arena, &product->globals,
                   ((IrVariable){arena_printf(arena, "spec.%s", spec->globals.at[i].name),
                                 spec->globals.at[i].type}));
    for (size_t i = 0; i < spec->arrays.count; i++)
        simulation_add_array(arena, product,
                             arena_printf(arena, "spec.%s", spec->arrays.at[i].name),
                             spec->arrays.at[i].type);
    simulation_add_ghosts(arena, simulation);
    simulation_initial(arena, simulation);
    return true;
}

static void simulation_assume(Arena *arena, SubOp *step, const IrFormula *f)
{
    arena_push(arena, &step->statements, (IrStatement){.kind = IR_ASSUME, .condition = f});
}

IrOperation simulation_beginning(Arena *arena, const Simulation *simulation, int operation,
                                 int prefix, bool weak)
{
    const Prover *proved = simulation->proved;
    const IrOperation *original = &proved->program->operations.at[operation];
    IrOperation op = *original;
    SubOp step = {.label = op.subops.at[prefix - 1].label, .line = op.line};
    memset(&op.subops, 0, sizeof op.subops);
    memset(&op.ensures, 0, sizeof op.ensures);
    memset(&op.walks, 0, sizeof op.walks);
    op.meets = NULL;
    op.role = (IrRole){.kind = ROLE_NONE};
    op.internal = true;
    arena_own(arena, &op.locals);
    for (int i = 0; i < prefix; i++) {
        const SubOp *subop = &original->subops.at[i];
        if (weak && prover_is_weak(proved, operation, i)) {
            const FactList *facts = &proved->facts.points[operation][i + 1];
            for (size_t k = 0; k < facts->count; k++)
                simulation_assume(arena, &step, facts->at[k].formula);
            continue;
        }
        for (size_t k = 0; k < subop->guards.count; k++)
            simulation_assume(arena, &step, subop->guards.at[k]);
        for (size_t k = 0; k < subop->statements.count; k++)
            arena_push(arena, &step.statements, subop->statements.at[k]);
    }
    arena_push(arena, &op.subops, step);
    return op;
}

/* Sets the witness of the cell TARGET, which is written. */
static void simulation_record(Arena *arena, const Simulation *simulation, SubOp *step,
                              const IrOperation *op, int made, const IrExpr *target)
{
    const IrProgram *product = simulation->product;
    int array = simulation->witness.at[target->index - simulation->first_array];
    if (array < 0)
        return;
    IrType type = product->arrays.at[array].type;
    bool fits = made >= 0 && ir_type_equal(op->locals.at[made].type, type);
    const IrExpr *node = fits ? ir_variable(arena, IR_LOCAL, made, type) : ir_number(arena, 0);
    arena_push(arena, &step->statements,
               (IrStatement){.kind = IR_SET,
                             .target = ir_cell(arena, product, array, target->a),
                             .value = node});
    if (fits && simulation->positions.at[type.structure] >= 0)
        arena_push(arena, &step->statements,
                   (IrStatement){.kind = IR_SET,
                                 .target = ir_field(arena, product,
                                                    simulation->positions.at[type.structure], node),
                                 .value = target->a});
}

void simulation_append(Arena *arena, const Simulation *simulation, IrOperation *op, int operation,
                       int path, int abstract, bool ghosts)
{
    const IrOperation *original = &simulation->proved->program->operations.at[operation];
    const IrOperation *other = &simulation->proved->program->operations.at[path];
    const IrOperation *spec = &simulation->specification->operations.at[abstract];
    const SubOp *effect = &spec->subops.at[0];
    SubOp *step = &op->subops.at[0];
    int *locals = arena_array_of(arena, int, spec->locals.count + 1);
    int made = simulation_made(op);
    for (size_t i = 0; i < spec->locals.count; i++)
        locals[i] = -1;
    int *to_own = arena_array_of(arena, int, other->locals.count + 1);
    ir_operation_common_prefix(original, other, to_own);
    for (size_t k = 0; k < spec->ports.count; k++) {
        int local = ir_operation_port(other, k);
        if (spec->ports.at[k] >= 0 && local >= 0)
            locals[spec->ports.at[k]] = path == operation ? local : to_own[local];
    }
    for (size_t i = 0; i < spec->locals.count; i++)
        if (locals[i] < 0) {
            locals[i] = (int)op->locals.count;
            arena_push(arena, &op->locals, spec->locals.at[i]);
        }
    Renaming renaming = {arena, simulation, locals, op};
    for (size_t i = 0; i < effect->guards.count; i++)
        simulation_assume(arena, step, rename_formula(&renaming, effect->guards.at[i]));
    for (size_t i = 0; i < effect->statements.count; i++) {
        IrStatement s = rename_statement(&renaming, effect->statements.at[i]);
        if (ghosts && s.kind == IR_SET && s.target->kind == IR_CELL)
            simulation_record(arena, simulation, step, op, made, s.target);
        arena_push(arena, &step->statements, s);
    }
}
