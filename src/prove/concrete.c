#include "prove/concrete.h"
#include <string.h>

bool concrete_init(ConcreteMachine *machine, const IrProgram *program, ConcreteBounds bounds,
                   Error *error)
{
    *machine = (ConcreteMachine){.program = program, .bounds = bounds};
    machine->at_allocated = (int)program->globals.count;
    machine->at_fields = machine->at_allocated + bounds.nodes + 1;
    machine->at_arrays = machine->at_fields + (int)program->fields.count * (bounds.nodes + 1);
    machine->words =
        machine->at_arrays + (int)program->arrays.count * (bounds.cells + bounds.far_count);
    if (machine->words > CONCRETE_WORDS)
        return error_set(error, "the program has too many fields and globals to be run");
    for (size_t i = 0; i < program->operations.count; i++)
        if (program->operations.at[i].locals.count > CONCRETE_LOCALS)
            return error_set(error, "operation '%s' has more than %d locals, too many to be run",
                             program->operations.at[i].name, CONCRETE_LOCALS);
    if (program->initial.locals.count > CONCRETE_LOCALS)
        return error_set(error, "init has more than %d locals, too many to be run",
                         CONCRETE_LOCALS);
    return true;
}

static bool concrete_add_far(ConcreteBounds *bounds, int64_t position)
{
    if ((position >= 0 && position < bounds->cells) || bounds->far_count == CONCRETE_FAR ||
        position < -CONCRETE_MOST || position > CONCRETE_MOST)
        return false;
    for (int i = 0; i < bounds->far_count; i++)
        if (bounds->far[i] == position)
            return false;
    bounds->far[bounds->far_count++] = (int32_t)position;
    return true;
}

static bool concrete_add_of_expr(ConcreteBounds *bounds, const IrExpr *e)
{
    if (!e)
        return false;
    bool added =
        e->kind == IR_CELL && e->a->kind == IR_NUMBER && concrete_add_far(bounds, e->a->number);
    added |= concrete_add_of_expr(bounds, e->a);
    return concrete_add_of_expr(bounds, e->b) || added;
}

static bool concrete_add_of_formula(ConcreteBounds *bounds, const IrFormula *f)
{
    if (!f)
        return false;
    bool added = concrete_add_of_expr(bounds, f->left);
    added |= concrete_add_of_expr(bounds, f->right);
    added |= concrete_add_of_formula(bounds, f->a);
    return concrete_add_of_formula(bounds, f->b) || added;
}

static bool concrete_add_of_operation(ConcreteBounds *bounds, const IrOperation *op)
{
    bool added = false;
    for (size_t i = 0; i < op->subops.count; i++) {
        const SubOp *subop = &op->subops.at[i];
        for (size_t k = 0; k < subop->guards.count; k++)
            added |= concrete_add_of_formula(bounds, subop->guards.at[k]);
        for (size_t k = 0; k < subop->statements.count; k++) {
            const IrStatement *s = &subop->statements.at[k];
            added |= concrete_add_of_expr(bounds, s->target);
            added |= concrete_add_of_expr(bounds, s->value);
            added |= concrete_add_of_formula(bounds, s->condition);
        }
    }
    return added;
}

bool concrete_add_positions(ConcreteBounds *bounds, const IrProgram *program,
                            const ConcreteMachine *machine)
{
    bool added = concrete_add_of_operation(bounds, &program->initial);
    for (size_t i = 0; i < program->operations.count; i++)
        added |= concrete_add_of_operation(bounds, &program->operations.at[i]);
    for (int i = 0; machine && i < machine->missing_count; i++)
        added |= concrete_add_far(bounds, machine->missing[i]);
    return added;
}

static void concrete_add_other(ConcreteBounds *bounds, int64_t value)
{
    if ((value >= 0 && value <= bounds->values) || bounds->other_count == CONCRETE_OTHER ||
        value < -CONCRETE_MOST || value > CONCRETE_MOST)
        return;
    for (int i = 0; i < bounds->other_count; i++)
        if (bounds->other[i] == value)
            return;
    bounds->other[bounds->other_count++] = (int32_t)value;
}

static void concrete_values_of(ConcreteBounds *bounds, const IrFormula *f)
{
    if (!f)
        return;
    concrete_values_of(bounds, f->a);
    concrete_values_of(bounds, f->b);
    const IrExpr *sides[] = {f->left, f->right};
    for (int i = 0; i < 2 && f->left && f->right; i++)
        if (sides[i]->kind == IR_NUMBER && sides[1 - i]->type.kind == KIND_INT &&
            sides[1 - i]->kind != IR_NUMBER &&
            (sides[i]->number < -1 || sides[i]->number > bounds->values + 1)) {
            concrete_add_other(bounds, sides[i]->number);
            concrete_add_other(bounds, sides[i]->number + (i == 0 ? 1 : -1));
            if (f->kind != FORMULA_LE && f->kind != FORMULA_LT)
                concrete_add_other(bounds, sides[i]->number + 1);
        }
}

void concrete_add_values(ConcreteBounds *bounds, const IrProgram *program)
{
    for (size_t o = 0; o < program->operations.count; o++)
        for (size_t p = 0; p < program->operations.at[o].subops.count; p++) {
            const SubOp *subop = &program->operations.at[o].subops.at[p];
            for (size_t i = 0; i < subop->guards.count; i++)
                concrete_values_of(bounds, subop->guards.at[i]);
            for (size_t i = 0; i < subop->statements.count; i++)
                concrete_values_of(bounds, subop->statements.at[i].condition);
        }
}

typedef struct Run { /* one sub-operation being run */
    ConcreteMachine *machine;
    const IrOperation *operation;
    int32_t id;
    const int32_t *bound; /* values of quantified variables, for facts */
    bool total;           /* undefined reads give 0 */
    const SubOp *subop;
    const IrFormula *const *guards;
    size_t guard_count, statement_count;
    ConcreteVisit visit;
    void *context;
} Run;

/* Where a position beyond the first cells is; -1: nowhere. */
static int concrete_far(const ConcreteMachine *machine, int32_t position)
{
    for (int i = 0; i < machine->bounds.far_count; i++)
        if (machine->bounds.far[i] == position)
            return i;
    return -1;
}

static void concrete_miss(ConcreteMachine *machine, int32_t position)
{
    machine->beyond = true;
    for (int i = 0; i < machine->missing_count; i++)
        if (machine->missing[i] == position)
            return;
    if (machine->missing_count < CONCRETE_FAR)
        machine->missing[machine->missing_count++] = position;
}

/* An l-value as an index into the state; -1 if it can't be reached. */
static int concrete_slot(const Run *run, const ConcreteState *state, const IrExpr *e, int32_t base)
{
    const ConcreteMachine *machine = run->machine;
    if (e->kind == IR_FIELD) {
        if (base <= 0 || base > machine->bounds.nodes)
            return -1;
        if (machine->program->manual && !run->total &&
            state->word[machine->at_allocated + base] < 0)
            run->machine->freed = true;
        return machine->at_fields + e->index * (machine->bounds.nodes + 1) + base;
    }
    int stride = machine->bounds.cells + machine->bounds.far_count, cell = base;
    if (base < 0 || base >= machine->bounds.cells) {
        int far = concrete_far(machine, base);
        if (far < 0) {
            concrete_miss(run->machine, base);
            return -1;
        }
        cell = machine->bounds.cells + far;
    }
    return machine->at_arrays + e->index * stride + cell;
}

static Truth concrete_expr(const Run *run, const ConcreteState *state, const Locals *locals,
                           const IrExpr *e, int32_t *value);

/* concrete_expr without a call for the most common operands. */
static inline Truth concrete_operand(const Run *run, const ConcreteState *state,
                                     const Locals *locals, const IrExpr *e, int32_t *value)
{
    if (e->kind == IR_LOCAL) {
        *value = locals->value[e->index];
        return (locals->bound >> e->index) & 1 ? TRUTH_TRUE : TRUTH_UNBOUND;
    }
    if (e->kind == IR_NUMBER) {
        *value = (int32_t)e->number;
        return TRUTH_TRUE;
    }
    return concrete_expr(run, state, locals, e, value);
}

static Truth concrete_expr(const Run *run, const ConcreteState *state, const Locals *locals,
                           const IrExpr *e, int32_t *value)
{
    int32_t a = 0, b = 0;
    Truth status;
    switch (e->kind) {
    case IR_NUMBER:
        *value = (int32_t)e->number;
        return TRUTH_TRUE;
    case IR_ID:
        *value = run->id;
        return TRUTH_TRUE;
    case IR_LOCAL:
        *value = locals->value[e->index];
        return (locals->bound >> e->index) & 1 ? TRUTH_TRUE : TRUTH_UNBOUND;
    case IR_GLOBAL:
        *value = state->word[e->index];
        return TRUTH_TRUE;
    case IR_BOUND:
        *value = run->bound[e->index];
        return TRUTH_TRUE;
    case IR_FIELD:
    case IR_CELL: {
        status = concrete_operand(run, state, locals, e->a, &a);
        if (status != TRUTH_TRUE)
            return status;
        int slot = concrete_slot(run, state, e, a);
        *value = slot >= 0 ? state->word[slot] : 0;
        return slot >= 0 || run->total ? TRUTH_TRUE : TRUTH_UNDEFINED;
    }
    case IR_ADD:
    case IR_SUB:
    case IR_WRAP:
    case IR_TIMES:
    case IR_QUOTIENT:
    case IR_REST:
        status = concrete_expr(run, state, locals, e->a, &a);
        if (status != TRUTH_TRUE)
            return status;
        status = concrete_expr(run, state, locals, e->b, &b);
        if (e->kind == IR_WRAP) {
            *value = b > 0 ? (a % b + b) % b : 0;
            return status;
        }
        if (e->kind == IR_QUOTIENT || e->kind == IR_REST) {
            *value = e->kind == IR_QUOTIENT ? a / (int32_t)e->b->number : a % (int32_t)e->b->number;
            return status;
        }
        int64_t result = e->kind == IR_ADD   ? (int64_t)a + b
                         : e->kind == IR_SUB ? (int64_t)a - b
                                             : (int64_t)a * b;
        if (result > CONCRETE_MOST || result < -CONCRETE_MOST) {
            run->machine->beyond = true;
            return TRUTH_UNDEFINED;
        }
        *value = (int32_t)result;
        return status;
    }
    ASSERT(false);
    return TRUTH_UNDEFINED;
}

static Truth concrete_compare(const Run *run, const ConcreteState *state, const Locals *locals,
                              const IrFormula *f)
{
    int32_t l = 0, r = 0;
    Truth left = concrete_operand(run, state, locals, f->left, &l);
    Truth right = f->right ? concrete_operand(run, state, locals, f->right, &r) : TRUTH_TRUE;
    if (left == TRUTH_UNDEFINED || right == TRUTH_UNDEFINED)
        return TRUTH_UNDEFINED;
    if (left == TRUTH_UNBOUND || right == TRUTH_UNBOUND)
        return TRUTH_UNBOUND;
    switch (f->kind) {
    case FORMULA_EQ:
        return l == r ? TRUTH_TRUE : TRUTH_FALSE;
    case FORMULA_NE:
        return l != r ? TRUTH_TRUE : TRUTH_FALSE;
    case FORMULA_LT:
        return l < r ? TRUTH_TRUE : TRUTH_FALSE;
    case FORMULA_LE:
        return l <= r ? TRUTH_TRUE : TRUTH_FALSE;
    default: /* live */
        return l > 0 && l <= run->machine->bounds.nodes &&
                       state->word[run->machine->at_allocated + l] > 0
                   ? TRUTH_TRUE
                   : TRUTH_FALSE;
    }
}

static Truth concrete_formula(const Run *run, const ConcreteState *state, const Locals *locals,
                              const IrFormula *f);

/* Evaluates "none": tries every node of the structure, or every position of arrays, as the bound
 * variable. */
static Truth concrete_none(const Run *run, const ConcreteState *state, const Locals *locals,
                           const IrFormula *f)
{
    const ConcreteMachine *machine = run->machine;
    bool node = ir_type_is_node(f->bound);
    Run inner = *run;
    int32_t value;
    inner.bound = &value;
    int first = node ? 1 : 0, end = node ? machine->bounds.nodes + 1 : machine->bounds.cells;
    for (int i = first; i < end + (node ? 0 : machine->bounds.far_count); i++) {
        value = i < end ? i : machine->bounds.far[i - end];
        if (node && state->word[machine->at_allocated + value] != f->bound.structure + 1)
            continue;
        Truth truth = concrete_formula(&inner, state, locals, f->a);
        if (truth == TRUTH_TRUE)
            return TRUTH_FALSE;
        if (truth == TRUTH_UNBOUND)
            return TRUTH_UNBOUND;
    }
    return TRUTH_TRUE;
}

/* Undefined in any part is undefined; the unknown part decides only if the known one does not. */
static Truth concrete_formula(const Run *run, const ConcreteState *state, const Locals *locals,
                              const IrFormula *f)
{
    /* Who allocated a node is not recorded; a weakened guard without that admits more. */
    if (f->kind == FORMULA_TRUE || f->kind == FORMULA_MINE)
        return TRUTH_TRUE;
    if (f->kind <= FORMULA_LIVE)
        return concrete_compare(run, state, locals, f);
    if (f->kind == FORMULA_NONE)
        return concrete_none(run, state, locals, f);
    Truth a = concrete_formula(run, state, locals, f->a);
    if (f->kind == FORMULA_NOT)
        return a == TRUTH_TRUE ? TRUTH_FALSE : a == TRUTH_FALSE ? TRUTH_TRUE : a;
    Truth b = concrete_formula(run, state, locals, f->b);
    if (a == TRUTH_UNDEFINED || b == TRUTH_UNDEFINED)
        return TRUTH_UNDEFINED;
    if (a == TRUTH_UNBOUND || b == TRUTH_UNBOUND)
        return TRUTH_UNBOUND;
    bool x = a == TRUTH_TRUE, y = b == TRUTH_TRUE;
    bool result = f->kind == FORMULA_AND ? x && y : f->kind == FORMULA_OR ? x || y : !x || y;
    return result ? TRUTH_TRUE : TRUTH_FALSE;
}

static int concrete_free_local(const Locals *locals, const IrExpr *e)
{
    if (!e)
        return -1;
    if (e->kind == IR_LOCAL)
        return (locals->bound >> e->index) & 1 ? -1 : e->index;
    int first = concrete_free_local(locals, e->a);
    return first >= 0 ? first : concrete_free_local(locals, e->b);
}

static int concrete_free_in(const Locals *locals, const IrFormula *f)
{
    if (!f)
        return -1;
    int first = concrete_free_local(locals, f->left);
    if (first < 0)
        first = concrete_free_local(locals, f->right);
    if (first < 0)
        first = concrete_free_in(locals, f->a);
    return first >= 0 ? first : concrete_free_in(locals, f->b);
}

void concrete_bind(Locals *locals, int local, int32_t value)
{
    locals->value[local] = value;
    locals->bound |= (uint32_t)1 << local;
}

bool concrete_choice(const ConcreteMachine *machine, const ConcreteState *state, IrType type,
                     int number, int32_t *value, bool *skip)
{
    *skip = false;
    *value = number;
    switch (type.kind) {
    case KIND_INT:
    case KIND_RANK: /* a ghost's: no local has it */
        if (number > machine->bounds.values &&
            number <= machine->bounds.values + machine->bounds.other_count)
            *value = machine->bounds.other[number - machine->bounds.values - 1];
        return number <= machine->bounds.values + machine->bounds.other_count;
    case KIND_BOOL:
        return number <= 1;
    case KIND_KEY:
        *value = number + 2;
        return number < machine->bounds.keys;
    case KIND_TID:
        return number <= MAX(4, machine->bounds.cells);
    case KIND_NODE:
        *skip = number > 0 && number <= machine->bounds.nodes &&
                state->word[machine->at_allocated + number] != type.structure + 1;
        return number <= machine->bounds.nodes;
    }
    return false;
}

static bool concrete_statements(Run *run, size_t at, const ConcreteState *state,
                                const Locals *locals);
static bool concrete_guards(Run *run, uint64_t done, const ConcreteState *state,
                            const Locals *locals);

typedef struct Resume { /* where to go on when a free local got a value */
    bool in_guards;
    uint64_t done;
    size_t statement;
} Resume;

static bool concrete_branch(Run *run, int local, Resume resume, const ConcreteState *state,
                            const Locals *locals)
{
    IrType type = run->operation->locals.at[local].type;
    int32_t value;
    bool skip;
    for (int i = 0; concrete_choice(run->machine, state, type, i, &value, &skip); i++) {
        if (skip)
            continue;
        Locals next = *locals;
        concrete_bind(&next, local, value);
        if (!(resume.in_guards ? concrete_guards(run, resume.done, state, &next)
                               : concrete_statements(run, resume.statement, state, &next)))
            return false;
    }
    return true;
}

/* An equation with one bare free local on a side gives it its value. */
static bool concrete_solve(const Run *run, const ConcreteState *state, Locals *locals,
                           const IrFormula *f)
{
    if (f->kind != FORMULA_EQ)
        return false;
    for (int side = 0; side < 2; side++) {
        const IrExpr *x = side ? f->right : f->left, *e = side ? f->left : f->right;
        int32_t value;
        if (x->kind != IR_LOCAL || ((locals->bound >> x->index) & 1))
            continue;
        if (concrete_expr(run, state, locals, e, &value) != TRUTH_TRUE)
            continue;
        concrete_bind(locals, x->index, value);
        return true;
    }
    return false;
}

static bool concrete_new(Run *run, size_t at, const IrStatement *s, const ConcreteState *state,
                         const Locals *locals)
{
    const ConcreteMachine *machine = run->machine;
    bool known = (locals->bound >> s->local) & 1, fresh_done = false, any = false;
    for (int node = 1; node <= machine->bounds.nodes; node++) {
        int slot = machine->at_allocated + node;
        if (state->word[slot] > 0 || (known && locals->value[s->local] != node))
            continue;
        /* Nodes that were never used are alike: one stands for all. Freed ones are marked -1. */
        if (!known && state->word[slot] == 0 && fresh_done)
            continue;
        fresh_done |= state->word[slot] == 0;
        any = true;
        ConcreteState next;
        Locals bound = *locals;
        concrete_copy(machine, &next, state);
        next.word[slot] = run->operation->locals.at[s->local].type.structure + 1;
        concrete_bind(&bound, s->local, node);
        if (!concrete_statements(run, at + 1, &next, &bound))
            return false;
    }
    if (!any && !known)
        run->machine->beyond = true;
    return true;
}

static bool concrete_statements(Run *run, size_t at, const ConcreteState *state,
                                const Locals *locals)
{
    if (at == run->statement_count)
        return run->visit(run->context, state, locals);
    const IrStatement *s = &run->subop->statements.at[at];
    if (s->kind == IR_NEW)
        return concrete_new(run, at, s, state, locals);
    ConcreteState next;
    Locals bound = *locals;
    if (s->kind == IR_FREE) {
        int32_t node = locals->value[s->local];
        if (!((locals->bound >> s->local) & 1))
            return concrete_branch(run, s->local, (Resume){false, 0, at}, state, locals);
        concrete_copy(run->machine, &next, state);
        if (node > 0 && node <= run->machine->bounds.nodes)
            run->machine->freed |=
                run->machine->program->manual && next.word[run->machine->at_allocated + node] < 0;
        if (node > 0 && node <= run->machine->bounds.nodes)
            next.word[run->machine->at_allocated + node] = -1;
        return concrete_statements(run, at + 1, &next, &bound);
    }
    if (s->kind == IR_ASSUME) {
        Truth truth = concrete_formula(run, state, locals, s->condition);
        if (truth == TRUTH_UNBOUND && concrete_solve(run, state, &bound, s->condition))
            return concrete_statements(run, at + 1, state, &bound);
        if (truth == TRUTH_UNBOUND)
            return concrete_branch(run, concrete_free_in(locals, s->condition),
                                   (Resume){false, 0, at}, state, locals);
        return truth != TRUTH_TRUE || concrete_statements(run, at + 1, state, &bound);
    }
    int32_t value = 0, base = 0;
    Truth status = concrete_expr(run, state, locals, s->value, &value);
    if (status == TRUTH_UNDEFINED)
        return true;
    if (status == TRUTH_UNBOUND)
        return concrete_branch(run, concrete_free_local(locals, s->value), (Resume){false, 0, at},
                               state, locals);
    const IrExpr *target = s->target;
    if (target->kind == IR_LOCAL) {
        if ((locals->bound >> target->index) & 1) {
            if (locals->value[target->index] != value)
                return true;
        } else {
            concrete_bind(&bound, target->index, value);
        }
        return concrete_statements(run, at + 1, state, &bound);
    }
    if (target->kind == IR_GLOBAL) {
        concrete_copy(run->machine, &next, state);
        next.word[target->index] = value;
        return concrete_statements(run, at + 1, &next, &bound);
    }
    status = concrete_expr(run, state, locals, target->a, &base);
    if (status == TRUTH_UNBOUND)
        return concrete_branch(run, concrete_free_local(locals, target->a), (Resume){false, 0, at},
                               state, locals);
    int slot = status == TRUTH_TRUE ? concrete_slot(run, state, target, base) : -1;
    if (slot < 0)
        return true;
    concrete_copy(run->machine, &next, state);
    next.word[slot] = value;
    return concrete_statements(run, at + 1, &next, &bound);
}

static bool concrete_guards(Run *run, uint64_t done, const ConcreteState *state,
                            const Locals *given)
{
    Locals locals = *given;
    bool progress = true;
    while (progress) {
        progress = false;
        for (size_t i = 0; i < run->guard_count; i++) {
            if ((done >> i) & 1)
                continue;
            Truth truth = concrete_formula(run, state, &locals, run->guards[i]);
            if (truth == TRUTH_FALSE || truth == TRUTH_UNDEFINED)
                return true;
            if (truth == TRUTH_TRUE) {
                done |= (uint64_t)1 << i;
            } else if (concrete_solve(run, state, &locals, run->guards[i])) {
                done |= (uint64_t)1 << i;
                progress = true; /* a local more has a value: guards before this one may need it */
            }
        }
    }
    for (size_t i = 0; i < run->guard_count; i++)
        if (!((done >> i) & 1))
            return concrete_branch(run, concrete_free_in(&locals, run->guards[i]),
                                   (Resume){true, done, 0}, state, &locals);
    return concrete_statements(run, 0, state, &locals);
}

bool concrete_initial(ConcreteMachine *machine, ConcreteVisit visit, void *context)
{
    ConcreteState state;
    Locals locals = {.bound = 0};
    const IrOperation *initial = &machine->program->initial;
    memset(&state, 0, sizeof state);
    if (machine->program->size >= 0)
        state.word[machine->program->size] = CONCRETE_SIZE;
    if (initial->subops.count == 0)
        return visit(context, &state, &locals);
    return concrete_step(machine, initial, 0, 1, &state, &locals, NULL, visit, context);
}

bool concrete_step(ConcreteMachine *machine, const IrOperation *operation, int number, int32_t id,
                   const ConcreteState *state, const Locals *locals, const FactList *weak,
                   ConcreteVisit visit, void *context)
{
    const SubOp *subop = &operation->subops.at[number];
    const IrFormula *facts[64];
    Run run = {.machine = machine,
               .operation = operation,
               .id = id,
               .subop = subop,
               .guards = subop->guards.at,
               .guard_count = subop->guards.count,
               .statement_count = subop->statements.count,
               .visit = visit,
               .context = context};
    if (weak) {
        run.total = true;
        run.statement_count = 0;
        run.guard_count = 0;
        run.guards = facts;
        /* Leaving some facts out only adds runs. */
        for (size_t i = 0; i < weak->count && run.guard_count < COUNT_OF(facts); i++)
            facts[run.guard_count++] = weak->at[i].formula;
    }
    ASSERT(run.guard_count <= 64);
    return concrete_guards(&run, 0, state, locals);
}

bool concrete_fact_holds(const ConcreteMachine *machine, const ConcreteState *state,
                         const Locals *locals, int32_t id, const Fact *fact)
{
    ConcreteMachine copy = *machine;
    int32_t bound[2] = {0, 0};
    Run run = {.machine = &copy, .id = id, .total = true, .bound = bound};
    int limit[2];
    for (int i = 0; i < 2; i++)
        limit[i] = i >= fact->bound_count            ? 0
                   : fact->bound[i].kind == KIND_INT ? machine->bounds.cells - 1
                                                     : machine->bounds.nodes;
    for (bound[0] = 0; bound[0] <= limit[0]; bound[0]++)
        for (bound[1] = 0; bound[1] <= limit[1]; bound[1]++)
            if (concrete_formula(&run, state, locals, fact->formula) == TRUTH_FALSE)
                return false;
    return true;
}
