#include "prove/enlarge.h"
#include "prove/facts/claims.h"
#include <string.h>

typedef struct Enlarge {
    Arena *arena;
    IrProgram *program; /* the copy */
    bool idle;          /* steps that only read and that nothing needs are emptied, too */
    bool changed;
} Enlarge;

/* ---- reads at the end ---- */

/* Can the local be seen from outside, or is it named in a claim of the user's? */
static bool enlarge_is_named(const IrProgram *program, int operation, int local)
{
    const IrOperation *op = &program->operations.at[operation];
    if (ir_operation_shows_local(program, op, local))
        return true;
    for (size_t i = 0; i < program->facts.count; i++)
        if (program->facts.at[i].operation == operation &&
            ir_formula_uses_local(program->facts.at[i].formula, local))
            return true;
    return false;
}

/* The first step that uses the local; the number of steps if none does. */
static size_t enlarge_first_use(const IrOperation *op, int local)
{
    size_t at = 0;
    while (at < op->subops.count && !ir_subop_uses_local(&op->subops.at[at], local))
        at++;
    return at;
}

/* Is every local of E known after step LAST? */
static bool enlarge_is_known(const IrOperation *op, const IrExpr *e, size_t last)
{
    for (size_t l = 0; l < op->locals.count; l++)
        if (ir_expr_uses_local(e, (int)l) && enlarge_first_use(op, (int)l) > last)
            return false;
    return true;
}

/* A result that is a constant or a local that is known already may as well be set in step LAST. */
static void enlarge_settle_results(Arena *arena, IrOperation *op, size_t last)
{
    for (size_t i = last + 1; i < op->subops.count; i++)
        for (size_t k = 0; k < op->subops.at[i].statements.count; k++) {
            const IrStatement s = op->subops.at[i].statements.at[k];
            if (s.kind == IR_SET && s.target->kind == IR_LOCAL && ir_expr_is_pure(s.value) &&
                enlarge_first_use(op, s.target->index) == i && enlarge_is_known(op, s.value, last))
                arena_push(arena, &op->subops.at[last].statements, s);
        }
}

static bool enlarge_has_field(const IrExpr *e)
{
    return e && (e->kind == IR_FIELD || enlarge_has_field(e->a) || enlarge_has_field(e->b));
}

static bool enlarge_formula_has_field(const IrFormula *f)
{
    return f &&
           (f->kind == FORMULA_LIVE || enlarge_has_field(f->left) || enlarge_has_field(f->right) ||
            enlarge_formula_has_field(f->a) || enlarge_formula_has_field(f->b));
}

/* Is reading the field of some node an error in the step: if it is NULL (in models) or was freed?
 * That it is not has to be shown, so such a step stays. */
static bool enlarge_may_fail(const Enlarge *enlarge, const SubOp *subop)
{
    bool touches = false;
    for (size_t i = 0; i < subop->guards.count; i++)
        touches |= enlarge_formula_has_field(subop->guards.at[i]);
    for (size_t i = 0; i < subop->statements.count; i++) {
        const IrStatement *s = &subop->statements.at[i];
        touches |= enlarge_has_field(s->target) || enlarge_has_field(s->value) ||
                   enlarge_formula_has_field(s->condition);
    }
    return ir_program_checks_nodes(enlarge->program) && !enlarge->idle && touches;
}

static void enlarge_cut(Enlarge *enlarge, int operation)
{
    IrOperation *op = &enlarge->program->operations.at[operation];
    size_t last = op->subops.count;
    while (last > 0 && !ir_subop_writes(&op->subops.at[last - 1]) &&
           !claims_exist(&op->subops.at[last - 1]) &&
           !enlarge_may_fail(enlarge, &op->subops.at[last - 1]))
        last--;
    if (last == 0 || last == op->subops.count)
        return;
    last--;
    size_t statements = op->subops.at[last].statements.count;
    enlarge_settle_results(enlarge->arena, op, last);
    /* Values that can be seen must not become arbitrary. */
    for (size_t l = 0; l < op->locals.count; l++) {
        size_t first = enlarge_first_use(op, (int)l);
        if (enlarge_is_named(enlarge->program, operation, (int)l) && first > last &&
            first < op->subops.count) {
            op->subops.at[last].statements.count = statements;
            return;
        }
    }
    op->subops.count = last + 1;
    enlarge->changed = true;
}

/* ---- steps that nothing needs ---- */

/* Is some local of step I used in a step that stays, or seen, or named in a fact? */
static bool enlarge_is_needed(const Enlarge *enlarge, int operation, size_t i, const bool *stays)
{
    const IrOperation *op = &enlarge->program->operations.at[operation];
    for (size_t l = 0; l < op->locals.count; l++) {
        if (!ir_subop_uses_local(&op->subops.at[i], (int)l))
            continue;
        if (enlarge_is_named(enlarge->program, operation, (int)l))
            return true;
        for (size_t k = 0; k < op->subops.count; k++)
            if (stays[k] && ir_subop_uses_local(&op->subops.at[k], (int)l))
                return true;
    }
    return false;
}

/* Empties them; their numbers stay, since the user's facts name points. */
static void enlarge_idle(Enlarge *enlarge, int operation)
{
    IrOperation *op = &enlarge->program->operations.at[operation];
    bool *stays = arena_array_of(enlarge->arena, bool, op->subops.count + 1), more = true;
    for (size_t i = 0; i < op->subops.count; i++)
        stays[i] = ir_subop_writes(&op->subops.at[i]) || claims_exist(&op->subops.at[i]);
    while (more) {
        more = false;
        for (size_t i = 0; i < op->subops.count; i++)
            if (!stays[i] && enlarge_is_needed(enlarge, operation, i, stays))
                more = stays[i] = true;
    }
    for (size_t i = 0; i < op->subops.count; i++) {
        SubOp *subop = &op->subops.at[i];
        if (stays[i] || subop->guards.count + subop->statements.count == 0)
            continue;
        memset(&subop->guards, 0, sizeof subop->guards);
        memset(&subop->statements, 0, sizeof subop->statements);
        enlarge->changed = true;
    }
}

/* ---- locals of one step ---- */

static const IrExpr *enlarge_expr(Arena *arena, const IrExpr *e, int local, const IrExpr *by)
{
    if (!e || !ir_expr_uses_local(e, local))
        return e;
    if (e->kind == IR_LOCAL)
        return by;
    IrExpr *copy = arena_new_of(arena, IrExpr);
    *copy = *e;
    copy->a = enlarge_expr(arena, e->a, local, by);
    copy->b = enlarge_expr(arena, e->b, local, by);
    return copy;
}

static const IrFormula *enlarge_formula(Arena *arena, const IrFormula *f, int local,
                                        const IrExpr *by)
{
    if (!f || !ir_formula_uses_local(f, local))
        return f;
    IrFormula *copy = arena_new_of(arena, IrFormula);
    *copy = *f;
    copy->left = enlarge_expr(arena, f->left, local, by);
    copy->right = enlarge_expr(arena, f->right, local, by);
    copy->a = enlarge_formula(arena, f->a, local, by);
    copy->b = enlarge_formula(arena, f->b, local, by);
    return copy;
}

static bool enlarge_statement_writes(const IrStatement *s)
{
    return s->kind == IR_NEW || s->kind == IR_FREE ||
           (s->kind == IR_SET && s->target->kind != IR_LOCAL);
}

/* Where the step sets the local, if all its uses are conditions after that, before anything is
 * written: what was read is the same there. Else the number of statements. */
static size_t enlarge_setter(const SubOp *subop, int local)
{
    size_t none = subop->statements.count, setter = none;
    bool used = false, wrote = false;
    for (size_t i = 0; i < subop->guards.count; i++)
        if (ir_formula_uses_local(subop->guards.at[i], local))
            return none;
    for (size_t i = 0; i < subop->statements.count; i++) {
        const IrStatement *s = &subop->statements.at[i];
        if (ir_statement_uses_local(s, local)) {
            bool sets = s->kind == IR_SET && s->target->kind == IR_LOCAL &&
                        s->target->index == local && !ir_expr_uses_local(s->value, local);
            if (setter == none && sets)
                setter = i;
            else if (setter == none || wrote || s->kind != IR_ASSUME ||
                     ir_formula_has_none(s->condition))
                return none;
            else
                used = true;
        }
        if (setter != none)
            wrote |= enlarge_statement_writes(s);
    }
    return used ? setter : none;
}

static void enlarge_replace(Enlarge *enlarge, int operation, int local)
{
    IrOperation *op = &enlarge->program->operations.at[operation];
    size_t at = enlarge_first_use(op, local), kept = 0;
    if (at == op->subops.count || enlarge_is_named(enlarge->program, operation, local))
        return;
    for (size_t i = at + 1; i < op->subops.count; i++)
        if (ir_subop_uses_local(&op->subops.at[i], local))
            return;
    SubOp *subop = &op->subops.at[at];
    size_t setter = enlarge_setter(subop, local), count = subop->statements.count;
    if (setter == count)
        return;
    const IrExpr *read = subop->statements.at[setter].value;
    for (size_t i = 0; i < count; i++) {
        IrStatement s = subop->statements.at[i];
        if (i == setter)
            continue;
        if (s.kind == IR_ASSUME)
            s.condition = enlarge_formula(enlarge->arena, s.condition, local, read);
        subop->statements.at[kept++] = s;
    }
    subop->statements.count = kept;
    enlarge->changed = true;
}

/* A read into a local that nothing else uses is left out. */
static void enlarge_forget(Enlarge *enlarge, int operation, int local)
{
    IrOperation *op = &enlarge->program->operations.at[operation];
    size_t at = enlarge_first_use(op, local), kept = 0, uses = 0;
    if (at == op->subops.count || enlarge_is_named(enlarge->program, operation, local))
        return;
    for (size_t i = at; i < op->subops.count; i++) {
        const SubOp *subop = &op->subops.at[i];
        for (size_t k = 0; k < subop->guards.count; k++)
            uses += ir_formula_uses_local(subop->guards.at[k], local);
        for (size_t k = 0; k < subop->statements.count; k++)
            uses += ir_statement_uses_local(&subop->statements.at[k], local);
    }
    SubOp *subop = &op->subops.at[at];
    size_t count = subop->statements.count;
    for (size_t i = 0; i < count && uses == 1; i++) {
        const IrStatement s = subop->statements.at[i];
        bool read = s.kind == IR_SET && s.target->kind == IR_LOCAL && s.target->index == local &&
                    !(ir_program_checks_nodes(enlarge->program) && !enlarge->idle &&
                      enlarge_has_field(s.value));
        if (!read)
            subop->statements.at[kept++] = s;
        subop->statements.count -= read;
        enlarge->changed |= read;
    }
}

/* ---- numbers ---- */

/* Does S append a node of its own structure that this step has made? */
static bool enlarge_appends(const IrProgram *program, const IrOperation *op, const SubOp *subop,
                            const IrStatement *s)
{
    if (s->kind != IR_SET || s->target->kind != IR_FIELD || s->value->kind != IR_LOCAL)
        return false;
    IrType type = op->locals.at[s->value->index].type;
    if (!ir_type_is_node(type) ||
        program->fields.at[s->target->index].structure != type.structure ||
        ir_expr_uses_local(s->target, s->value->index))
        return false;
    for (size_t i = 0; i < subop->statements.count; i++)
        if (subop->statements.at[i].kind == IR_NEW &&
            subop->statements.at[i].local == s->value->index)
            return true;
    return false;
}

static int enlarge_rank_field(Enlarge *enlarge, int structure)
{
    IrProgram *program = enlarge->program;
    for (size_t i = 0; i < program->fields.count; i++)
        if (program->fields.at[i].structure == structure &&
            program->fields.at[i].type.kind == KIND_RANK)
            return (int)i;
    arena_push(enlarge->arena, &program->fields, (IrField){"rank", structure, {KIND_RANK, -1}});
    enlarge->changed = true;
    return (int)program->fields.count - 1;
}

static void enlarge_number(Enlarge *enlarge, const IrOperation *op, SubOp *subop)
{
    Arena *arena = enlarge->arena;
    for (size_t i = 0; i < subop->statements.count; i++) {
        const IrStatement s = subop->statements.at[i];
        if (!enlarge_appends(enlarge->program, op, subop, &s))
            continue;
        int field = enlarge_rank_field(enlarge, op->locals.at[s.value->index].type.structure);
        const IrExpr *number =
            ir_binary(arena, IR_ADD, ir_field(arena, enlarge->program, field, s.target->a),
                      ir_number(arena, 1));
        arena_push(arena, &subop->statements, s); /* makes room */
        for (size_t k = subop->statements.count - 1; k > i; k--)
            subop->statements.at[k] = subop->statements.at[k - 1];
        subop->statements.at[i++] =
            (IrStatement){.kind = IR_SET,
                          .target = ir_field(arena, enlarge->program, field, s.value),
                          .value = number};
    }
}

/* ---- owners ---- */

static int enlarge_owner_field(Enlarge *enlarge, int structure)
{
    IrProgram *program = enlarge->program;
    if (program->ghost_owner < 0) {
        program->ghost_owner = (int)program->fields.count;
        arena_push(enlarge->arena, &program->fields, (IrField){"owner", structure, {KIND_TID, -1}});
        enlarge->changed = true;
    }
    return program->fields.at[program->ghost_owner].structure == structure ? program->ghost_owner
                                                                           : -1;
}

/* The global that some step reads into the local; NULL if none does. */
static const IrExpr *enlarge_source(const IrOperation *op, int local)
{
    for (size_t i = 0; i < op->subops.count; i++)
        for (size_t k = 0; k < op->subops.at[i].statements.count; k++) {
            const IrStatement *s = &op->subops.at[i].statements.at[k];
            if (s->kind == IR_SET && s->target->kind == IR_LOCAL && s->target->index == local &&
                s->value->kind == IR_GLOBAL)
                return s->value;
        }
    return NULL;
}

static bool enlarge_overwrites(const SubOp *subop, const IrExpr *global)
{
    for (size_t k = 0; global && k < subop->statements.count; k++)
        if (subop->statements.at[k].kind == IR_SET &&
            ir_expr_equal(subop->statements.at[k].target, global))
            return true;
    return false;
}

/* The last step before K that changes something and uses the local, or sets the global that it was
 * read from; K if there is none. */
static size_t enlarge_taker(const IrOperation *op, size_t k, int local)
{
    const IrExpr *source = enlarge_source(op, local);
    for (size_t i = k; i > 0; i--) {
        const SubOp *subop = &op->subops.at[i - 1];
        if (enlarge_overwrites(subop, source) ||
            (ir_subop_writes(subop) && ir_subop_uses_local(subop, local)))
            return i - 1;
    }
    return k;
}

/* Sets the owner of every node that the operation frees in a later step than it took it. */
static void enlarge_own(Enlarge *enlarge, IrOperation *op)
{
    for (size_t k = 0; k < op->subops.count; k++)
        for (size_t i = 0; i < op->subops.at[k].statements.count; i++) {
            const IrStatement *s = &op->subops.at[k].statements.at[i];
            size_t taker = s->kind == IR_FREE ? enlarge_taker(op, k, s->local) : k;
            if (taker == k)
                continue;
            IrType type = op->locals.at[s->local].type;
            int field = enlarge_owner_field(enlarge, type.structure);
            const IrExpr *node = ir_variable(enlarge->arena, IR_LOCAL, s->local, type);
            if (field >= 0)
                arena_push(
                    enlarge->arena, &op->subops.at[taker].statements,
                    (IrStatement){.kind = IR_SET,
                                  .target = ir_field(enlarge->arena, enlarge->program, field, node),
                                  .value = ir_id(enlarge->arena)});
        }
}

/* New nodes have no owner. */
static void enlarge_disown(Enlarge *enlarge, IrOperation *op)
{
    IrProgram *program = enlarge->program;
    for (size_t k = 0; k < op->subops.count && program->ghost_owner >= 0; k++) {
        SubOp *subop = &op->subops.at[k];
        size_t count = subop->statements.count;
        for (size_t i = 0; i < count; i++) {
            const IrStatement s = subop->statements.at[i];
            if (s.kind != IR_NEW || op->locals.at[s.local].type.structure !=
                                        program->fields.at[program->ghost_owner].structure)
                continue;
            const IrExpr *node =
                ir_variable(enlarge->arena, IR_LOCAL, s.local, op->locals.at[s.local].type);
            arena_push(enlarge->arena, &subop->statements,
                       (IrStatement){
                           .kind = IR_SET,
                           .target = ir_field(enlarge->arena, program, program->ghost_owner, node),
                           .value = ir_number(enlarge->arena, 0)});
        }
    }
}

/* ---- holders ---- */

static bool enlarge_sets(const IrStatement *s, int global, bool zero)
{
    return s->kind == IR_SET && s->target->kind == IR_GLOBAL && s->target->index == global &&
           s->value->kind == IR_NUMBER && (s->value->number == 0) == zero;
}

/* Is the global set by some step to a number, and by a later one of the same operation to 0? */
static bool enlarge_is_lock(const IrOperation *op, int global)
{
    bool set = false;
    for (size_t i = 0; i < op->subops.count; i++) {
        bool sets = false;
        for (size_t k = 0; k < op->subops.at[i].statements.count; k++) {
            if (set && enlarge_sets(&op->subops.at[i].statements.at[k], global, true))
                return true;
            sets |= enlarge_sets(&op->subops.at[i].statements.at[k], global, false);
        }
        set |= sets;
    }
    return false;
}

static void enlarge_note_holder(Enlarge *enlarge, IrOperation *op, IrHolder lock)
{
    const IrExpr *holder =
        ir_variable(enlarge->arena, IR_GLOBAL, lock.holder, (IrType){KIND_TID, -1});
    for (size_t i = 0; i < op->subops.count; i++) {
        SubOp *subop = &op->subops.at[i];
        size_t count = subop->statements.count;
        for (size_t k = 0; k < count; k++) {
            bool takes = enlarge_sets(&subop->statements.at[k], lock.lock, false);
            if (takes || enlarge_sets(&subop->statements.at[k], lock.lock, true))
                arena_push(enlarge->arena, &subop->statements,
                           (IrStatement){.kind = IR_SET,
                                         .target = holder,
                                         .value = takes ? ir_id(enlarge->arena)
                                                        : ir_number(enlarge->arena, 0)});
        }
    }
}

static void enlarge_hold(Enlarge *enlarge, int global)
{
    IrProgram *program = enlarge->program;
    bool lock = false;
    for (size_t i = 0; i < program->operations.count; i++)
        lock |= enlarge_is_lock(&program->operations.at[i], global);
    if (!lock || program->globals.at[global].type.kind > KIND_BOOL)
        return;
    IrHolder holder = {global, (int)program->globals.count};
    arena_push(
        enlarge->arena, &program->globals,
        (IrVariable){arena_printf(enlarge->arena, "%s.holder", program->globals.at[global].name),
                     {KIND_TID, -1}});
    arena_push(enlarge->arena, &program->holders, holder);
    for (size_t i = 0; i < program->operations.count; i++)
        enlarge_note_holder(enlarge, &program->operations.at[i], holder);
    enlarge->changed = true;
}

bool enlarge_program(Arena *arena, const IrProgram *program, bool idle, Ghosted *out)
{
    *out = ghost_begin(arena, program, (IrType){KIND_INT, -1});
    Enlarge enlarge = {.arena = arena, .program = out->program, .idle = idle};
    for (size_t i = 0; i < out->program->operations.count && idle; i++)
        if (out->program->operations.at[i].ensures.count == 0 &&
            out->program->operations.at[i].walks.count == 0)
            enlarge_idle(&enlarge, (int)i);
    if (idle && !enlarge.changed) {
        ghost_free(out);
        return false;
    }
    for (size_t i = 0; i < out->program->operations.count; i++) {
        IrOperation *op = &out->program->operations.at[i];
        if (op->ensures.count == 0 && op->walks.count == 0) { /* they name steps and locals */
            enlarge_cut(&enlarge, (int)i);
            for (size_t l = 0; l < op->locals.count; l++)
                enlarge_replace(&enlarge, (int)i, (int)l);
            for (size_t l = op->locals.count; l > 0; l--)
                enlarge_forget(&enlarge, (int)i, (int)l - 1);
        }
        for (size_t k = 0; k < op->subops.count; k++)
            enlarge_number(&enlarge, op, &op->subops.at[k]);
    }
    for (size_t i = 0; i < out->program->operations.count; i++)
        enlarge_own(&enlarge, &out->program->operations.at[i]);
    for (size_t i = 0; i < out->program->operations.count; i++)
        enlarge_disown(&enlarge, &out->program->operations.at[i]);
    for (int g = 0, count = (int)out->program->globals.count; g < count; g++)
        enlarge_hold(&enlarge, g);
    if (!enlarge.changed)
        ghost_free(out);
    return enlarge.changed;
}
