/* Paths. From the entry of an operation every way to its end is followed that meets no point twice.
 * A point that lies on a cycle is the head of a loop there: the locals that its rounds set and that
 * are still needed are forgotten, and so are the fields of private nodes that they set. Each round,
 * a way from the point back to it that meets no other point twice, is either without effect on
 * shared memory, and dropped if nothing can go wrong in it, or an internal operation; inner loops
 * of a round are treated alike. */
#include "prove/read/model_reader.h"
#include "prove/concrete.h"
#include "prove/read/model_roles.h"
#include "prove/read/model_path.h"
#include <string.h>

enum { PATH_LIMIT = 200, MICRO_LIMIT = 64, SPECIFICATION_ROUNDS = 12 };

typedef struct Reader {
    Arena *arena;
    Error *error;
    ModelNames names;
    const ModelOperation *operation;
    const Flow *flow;
    bool specification;
    bool manual;       /* freed nodes must not be touched */
    int rounds;        /* how often a way may meet a point; 0: loops stand for their last round */
    bool approximate;  /* so it was, and it made a difference */
    int *visits;       /* of each point, on the current way */
    uint64_t revealed; /* locals whose nodes a round of the loop at hand publishes */
    int paths;         /* of this operation so far */
    Vec(IrOperation) looks; /* rounds without effect that read fields */
} Reader;

/* ---- declarations ---- */

static bool reader_struct_fields(Reader *reader, const Struct *structure, int number)
{
    for (int i = 0; i < structure->field_count; i++) {
        IrType type;
        if (!model_kind(&reader->names, structure->fields[i].type, &type))
            return model_unsupported(structure->fields[i].place, reader->error,
                                     "fields of this type");
        arena_push(reader->arena, &reader->names.program->fields,
                   (IrField){structure->fields[i].name, number, type});
    }
    return true;
}

static bool reader_structures(Reader *reader)
{
    const Module *module = reader->names.module;
    IrProgram *program = reader->names.program;
    int *structures = arena_array_of(reader->arena, int, (size_t)module->pool_count + 1);
    int *first = arena_array_of(reader->arena, int, (size_t)module->pool_count + 1);
    reader->names.structures = structures;
    reader->names.first_fields = first;
    for (int i = 0; i < module->pool_count; i++) {
        structures[i] = i;
        arena_push(reader->arena, &program->structures, module->pools[i]->name);
        if (!module->pools[i]->manual)
            program->collected = true;
    }
    for (int i = 0; i < module->pool_count; i++) {
        first[i] = (int)program->fields.count;
        if (!reader_struct_fields(reader, module->pools[i], i))
            return false;
    }
    return true;
}

static bool reader_declare(Reader *reader, const char *name, const Type *type, bool array,
                           Place place)
{
    IrType kind;
    if (!model_kind(&reader->names, type, &kind))
        return model_unsupported(place, reader->error, "variables of this type");
    if (array)
        arena_push(reader->arena, &reader->names.program->arrays, (IrVariable){name, kind});
    else
        arena_push(reader->arena, &reader->names.program->globals, (IrVariable){name, kind});
    if (!array && type->kind == TYPE_INT && type->bounded)
        arena_push(reader->arena, &reader->names.program->ranges,
                   (IrRange){(int)reader->names.program->globals.count - 1, type->low, type->high});
    return true;
}

/* Calls itself for the elements of an array; a struct is one variable for each field. */
static bool reader_global(Reader *reader, const char *name, const Type *type, bool array,
                          Place place)
{
    if (type->kind == TYPE_ARRAY && !array)
        return reader_global(reader, name, type->element, true, place);
    if (type->kind != TYPE_STRUCT)
        return reader_declare(reader, name, type, array, place);
    for (int i = 0; i < type->structure->field_count; i++)
        if (!reader_declare(
                reader, arena_printf(reader->arena, "%s.%s", name, type->structure->fields[i].name),
                type->structure->fields[i].type, array, place))
            return false;
    return true;
}

static void reader_initial_value(Reader *reader, SubOp *init, const IrExpr *target, int64_t value)
{
    if (value != 0)
        arena_push(reader->arena, &init->statements,
                   (IrStatement){
                       .kind = IR_SET, .target = target, .value = ir_number(reader->arena, value)});
}

/* The values of a variable come in layout order: elements in turn, fields within them. */
static void reader_initial_values(Reader *reader, SubOp *init, const Variable *variable, int first)
{
    IrProgram *program = reader->names.program;
    const Type *type = variable->type;
    bool array = type->kind == TYPE_ARRAY;
    const Type *element = array ? type->element : type;
    int64_t count = array ? type->count : 1;
    int fields = element->kind == TYPE_STRUCT ? element->structure->field_count : 1;
    for (int64_t i = 0; variable->values && i < count; i++)
        for (int f = 0; f < fields; f++) {
            int number = first + f;
            const IrExpr *target =
                array ? ir_cell(reader->arena, program, number, ir_number(reader->arena, i))
                      : ir_variable(reader->arena, IR_GLOBAL, number,
                                    program->globals.at[number].type);
            reader_initial_value(reader, init, target, variable->values[i * fields + f]);
        }
}

static bool reader_globals(Reader *reader, SubOp *init)
{
    const Module *module = reader->names.module;
    IrProgram *program = reader->names.program;
    int *globals = arena_array_of(reader->arena, int, (size_t)module->global_count + 1);
    reader->names.globals = globals;
    for (int i = 0; i < module->global_count; i++) {
        const Variable *variable = module->globals[i];
        bool array = variable->type->kind == TYPE_ARRAY;
        globals[i] = (int)(array ? program->arrays.count : program->globals.count);
        if (!reader_global(reader, variable->name, variable->type, false, variable->place))
            return false;
        reader_initial_values(reader, init, variable, globals[i]);
    }
    return true;
}

/* ---- paths ---- */

static bool reader_follow(Reader *reader, PathBuilder *path, int point, int home);

/* Is what statement AT stores overwritten before anything is read? */
static bool reader_overwrites(const SubOp *subop, size_t at)
{
    const IrStatement *first = &subop->statements.at[at];
    for (size_t i = at + 1; i < subop->statements.count; i++) {
        const IrStatement *s = &subop->statements.at[i];
        if (s->kind != IR_SET || !ir_expr_is_pure(s->value))
            return false;
        if (ir_expr_equal(s->target, first->target))
            return true;
    }
    return false;
}

/* Does the operation depend on something that was forgotten? */
static bool reader_uses_forgotten(const PathBuilder *path, const IrOperation *operation)
{
    const int *locals;
    size_t count = path_forgotten(path, &locals);
    for (size_t f = 0; f < count; f++)
        for (size_t i = 0; i < operation->subops.count; i++) {
            const SubOp *subop = &operation->subops.at[i];
            for (size_t k = 0; k < subop->guards.count; k++)
                if (ir_formula_uses_local(subop->guards.at[k], locals[f]))
                    return true;
            for (size_t k = 0; k < subop->statements.count; k++) {
                const IrStatement *s = &subop->statements.at[k];
                bool stored = s->kind == IR_SET && s->target->kind == IR_FIELD &&
                              s->value->kind == IR_LOCAL && reader_overwrites(subop, k);
                if (ir_statement_uses_local(s, locals[f]) && !stored)
                    return true;
            }
        }
    return false;
}

/* Does the step say that A and B are equal? */
static bool reader_equates(const SubOp *subop, const IrExpr *a, const IrExpr *b)
{
    for (size_t i = 0; i < subop->guards.count + subop->statements.count; i++) {
        const IrFormula *f = i < subop->guards.count
                                 ? subop->guards.at[i]
                                 : subop->statements.at[i - subop->guards.count].condition;
        if (f && f->kind == FORMULA_EQ &&
            ((ir_expr_equal(f->left, a) && ir_expr_equal(f->right, b)) ||
             (ir_expr_equal(f->left, b) && ir_expr_equal(f->right, a))))
            return true;
    }
    return ir_expr_equal(a, b);
}

/* Does the step store only what is there: a value that it has just read into a local, and, as the
 * step says, the same? (A lock that is taken by exchange is set by those, too, who do not get it.)
 */
static bool reader_stores_what_is_there(const SubOp *subop)
{
    bool writes = false;
    for (size_t i = 0; i < subop->statements.count; i++) {
        const IrStatement *s = &subop->statements.at[i];
        if (s->kind == IR_NEW || s->kind == IR_FREE)
            return false;
        if (s->kind != IR_SET || s->target->kind == IR_LOCAL)
            continue;
        bool there = false;
        for (size_t k = 0; k < i && !there && !writes; k++) {
            const IrStatement *read = &subop->statements.at[k];
            there = read->kind == IR_SET && read->target->kind == IR_LOCAL &&
                    ir_expr_equal(read->value, s->target) &&
                    reader_equates(subop, read->target, s->value);
        }
        if (!there)
            return false;
        writes = true;
    }
    return true;
}

static bool reader_changes_nothing(const IrOperation *operation)
{
    for (size_t i = 0; i < operation->subops.count; i++)
        if (!reader_stores_what_is_there(&operation->subops.at[i]))
            return false;
    return true;
}

static bool reader_has_field(const IrExpr *e)
{
    return e && (e->kind == IR_FIELD || reader_has_field(e->a) || reader_has_field(e->b));
}

static bool reader_formula_has_field(const IrFormula *f)
{
    return f && (reader_has_field(f->left) || reader_has_field(f->right) ||
                 reader_formula_has_field(f->a) || reader_formula_has_field(f->b));
}

/* How many steps there are up to the last that reads a field. */
static int reader_last_look(const IrOperation *operation)
{
    int last = 0;
    for (size_t i = 0; i < operation->subops.count; i++) {
        const SubOp *subop = &operation->subops.at[i];
        bool looks = false;
        for (size_t k = 0; k < subop->guards.count; k++)
            looks |= reader_formula_has_field(subop->guards.at[k]);
        for (size_t k = 0; k < subop->statements.count; k++) {
            const IrStatement *s = &subop->statements.at[k];
            looks |= reader_has_field(s->target) || reader_has_field(s->value) ||
                     reader_formula_has_field(s->condition);
        }
        last = looks ? (int)i + 1 : last;
    }
    return last;
}

/* A round without effect is no part of what is proved, but the fields that it reads must be those
 * of nodes. Unless another operation makes the same steps, that has to be shown, too. */
static void reader_keep_looks(Reader *reader)
{
    IrProgram *program = reader->names.program, *with = arena_new_of(reader->arena, IrProgram);
    *with = *program;
    arena_own(reader->arena, &with->operations);
    for (size_t i = 0; i < reader->looks.count; i++) {
        const IrOperation *round = &reader->looks.at[i];
        bool known = false;
        for (size_t o = 0; o < with->operations.count && !known; o++)
            known = ir_operation_common_prefix(&with->operations.at[o], round, NULL) >=
                    reader_last_look(round);
        if (!known)
            arena_push(reader->arena, &with->operations, *round);
    }
    program->looks = with->operations.count > program->operations.count ? with : NULL;
}

static void reader_add(Reader *reader, PathBuilder *path, bool round)
{
    IrProgram *program = reader->names.program;
    IrOperation operation;
    if (round)
        reader->revealed |= path_revealed(path);
    const char *name = arena_printf(reader->arena, "%s%s%d", reader->operation->name,
                                    round ? "_round" : "_", ++reader->paths);
    bool effect = !round || path_has_effect(path);
    if (!path_finish(path, name, &operation))
        return;
    if (!effect || (round && reader_changes_nothing(&operation))) {
        if (reader_last_look(&operation) > 0)
            arena_push(reader->arena, &reader->looks, operation);
        return;
    }
    for (size_t i = 0; i < program->operations.count; i++) { /* the same round, met twice */
        const IrOperation *known = &program->operations.at[i];
        if (known->subops.count == operation.subops.count &&
            strcmp(known->method, operation.method) == 0 && known->internal == round &&
            ir_operation_common_prefix(known, &operation, NULL) == (int)operation.subops.count)
            return;
    }
    reader->approximate |= round || reader_uses_forgotten(path, &operation);
    arena_push(reader->arena, &program->operations, operation);
}

/* The points that the current way has met count as seen: a cycle through one of them is a round of
 * an outer loop. */
static bool *reader_seen(const Reader *reader)
{
    bool *seen = arena_array_of(reader->arena, bool, (size_t)reader->flow->point_count);
    for (int i = 0; i < reader->flow->point_count; i++)
        seen[i] = reader->visits[i] > 0;
    return seen;
}

static bool reader_reaches(const Reader *reader, int from, int to, bool *seen)
{
    if (seen[from])
        return false;
    seen[from] = true;
    for (int i = reader->flow->first_edge[from]; i < reader->flow->first_edge[from + 1]; i++) {
        const Edge *edge = &reader->flow->edges[i];
        if (edge->to == to || (edge->to != FLOW_DONE && reader_reaches(reader, edge->to, to, seen)))
            return true;
    }
    return false;
}

/* Everything that a statement may set: locals, and fields of nodes in locals. */
static void reader_forget_statement(Reader *reader, PathBuilder *path, const Stmt *stmt,
                                    uint64_t live)
{
    if (!stmt)
        return;
    for (int i = 0; i < stmt->count; i++)
        reader_forget_statement(reader, path, stmt->body[i], live);
    if (stmt->kind == STMT_IF || stmt->kind == STMT_WHILE) /* their bodies are in body[], count 0 */
        for (int i = 0; i < 2 && stmt->count == 0; i++)
            if (stmt->body && stmt->body[i])
                reader_forget_statement(reader, path, stmt->body[i], live);
    if (stmt->kind != STMT_ASSIGN || !stmt->target)
        return;
    const Expr *target = stmt->target;
    if (target->kind == EXPR_VARIABLE && target->variable->kind == VARIABLE_LOCAL) {
        int local = target->variable->index;
        if (local >= 64 || ((live >> local) & 1))
            path_forget_local(path, local);
    }
    if (target->kind == EXPR_ARROW && target->a->kind == EXPR_VARIABLE &&
        target->a->variable->kind == VARIABLE_LOCAL)
        path_forget_field(path, target->a->variable->index, target->field);
}

/* At POINT, which lies on a cycle: forget what rounds may have set. */
static void reader_forget(Reader *reader, PathBuilder *path, int point)
{
    const Flow *flow = reader->flow;
    for (int i = 0; i < flow->edge_count; i++) {
        const Edge *edge = &flow->edges[i];
        bool *there = reader_seen(reader), *back = reader_seen(reader);
        bool in_cycle = (edge->from == point || reader_reaches(reader, point, edge->from, there)) &&
                        edge->to != FLOW_DONE &&
                        (edge->to == point || reader_reaches(reader, edge->to, point, back));
        if (in_cycle)
            reader_forget_statement(reader, path, edge->action, flow->live[point]);
    }
}

/* The rounds of the loop at POINT, as seen from PATH, which has come there. */
static bool reader_rounds(Reader *reader, const PathBuilder *path, int point)
{
    PathBuilder *round = path_new(reader->arena, &reader->names, reader->operation, false, true);
    int *saved = reader->visits;
    reader->visits = arena_array_of(reader->arena, int, (size_t)reader->flow->point_count);
    memcpy(reader->visits, saved, sizeof(int) * (size_t)reader->flow->point_count);
    for (int i = 0; i < reader->operation->local_count; i++)
        if (path_is_private(path, i))
            path_ignore_writes(round, i);
    reader->visits[point]++;
    bool good = true;
    for (int i = reader->flow->first_edge[point]; good && i < reader->flow->first_edge[point + 1];
         i++) {
        const Edge *edge = &reader->flow->edges[i];
        MicroPaths ways;
        good = flow_expand(reader->arena, edge, MICRO_LIMIT, &ways, reader->error);
        for (int k = 0; good && k < ways.count; k++) {
            PathBuilder *copy = path_copy(round);
            const MicroPath *way = &ways.at[k];
            bool feasible, returns = way->count > 0 && way->at[way->count - 1].kind == MICRO_RETURN;
            good = path_step(copy, edge, way, &feasible, reader->error);
            if (good && feasible && !returns && edge->to != FLOW_DONE)
                good = reader_follow(reader, copy, edge->to, point);
        }
    }
    reader->visits = saved;
    return good;
}

/* The rounds at POINT. Writes to nodes that are private here are left out of them, unless a round
 * publishes such a node: then it is no more private from here on, and the rounds are told again. */
static bool reader_loop(Reader *reader, PathBuilder *path, int point)
{
    IrProgram *program = reader->names.program;
    uint64_t outer = reader->revealed;
    for (;;) {
        size_t known = program->operations.count, looks = reader->looks.count;
        reader->revealed = 0;
        if (!reader_rounds(reader, path, point))
            return false;
        outer |= reader->revealed;
        if (reader->revealed == 0)
            break;
        for (int i = 0; i < reader->operation->local_count; i++)
            if ((reader->revealed >> MIN(i, 63)) & 1)
                path_reveal(path, i);
        program->operations.count = known;
        reader->looks.count = looks;
    }
    reader->revealed = outer;
    return true;
}

/* Goes on from POINT. HOME: the head of the round that is followed; -1: the way leads to the
 * end. */
static bool reader_follow(Reader *reader, PathBuilder *path, int point, int home)
{
    const Flow *flow = reader->flow;
    int limit = MAX(reader->rounds, 1);
    if (point == home) {
        reader_add(reader, path, true);
        return true;
    }
    if (reader->visits[point] >= limit)
        return true; /* a round: told by reader_rounds */
    if (reader->rounds == 0 && reader_reaches(reader, point, point, reader_seen(reader))) {
        if (!reader_loop(reader, path, point))
            return false;
        reader_forget(reader, path, point);
    }
    bool good = true;
    reader->visits[point]++;
    for (int i = flow->first_edge[point]; good && i < flow->first_edge[point + 1]; i++) {
        const Edge *edge = &flow->edges[i];
        MicroPaths ways;
        if (edge->leave_to >= 0 && edge->leave_to != edge->to)
            return model_unsupported(edge->place, reader->error,
                                     "a function left from inside an atomic step");
        good = flow_expand(reader->arena, edge, MICRO_LIMIT, &ways, reader->error);
        for (int k = 0; good && k < ways.count; k++) {
            PathBuilder *copy = path_copy(path);
            const MicroPath *way = &ways.at[k];
            bool feasible, returns = way->count > 0 && way->at[way->count - 1].kind == MICRO_RETURN;
            good = path_step(copy, edge, way, &feasible, reader->error);
            if (!good || !feasible)
                continue;
            if (reader->paths > PATH_LIMIT)
                return source_error(reader->error, reader->operation->place,
                                    "more than %d ways through this operation", PATH_LIMIT);
            if (!returns && edge->to != FLOW_DONE)
                good = reader_follow(reader, copy, edge->to, home);
            else if (home < 0)
                reader_add(reader, copy, false);
        }
    }
    reader->visits[point]--;
    return good;
}

static bool reader_operation(Reader *reader, const ModelOperation *operation)
{
    reader->operation = operation;
    reader->flow = operation->flow;
    reader->paths = 0;
    reader->visits = arena_array_of(reader->arena, int, (size_t)reader->flow->point_count);
    PathBuilder *path =
        path_new(reader->arena, &reader->names, operation, reader->specification, false);
    return reader_follow(reader, path, FLOW_ENTRY, -1);
}

static bool reader_init(Reader *reader, const Module *module, SubOp *init)
{
    IrProgram *program = reader->names.program;
    program->initial = (IrOperation){.name = "init", .method = "init", .internal = true};
    if (module->init) {
        ModelOperation operation = {.name = "init",
                                    .module = module,
                                    .locals = module->init_locals,
                                    .local_count = module->init_local_count,
                                    .body = module->init,
                                    .result = NULL};
        Edge edge = {
            .to = FLOW_DONE, .action = module->init, .place = module->place, .leave_to = -1};
        MicroPaths ways;
        bool feasible;
        if (!flow_expand(reader->arena, &edge, MICRO_LIMIT, &ways, reader->error))
            return false;
        if (ways.count != 1)
            return model_unsupported(module->place, reader->error, "an init with choices");
        PathBuilder *path = path_new(reader->arena, &reader->names, &operation, true, true);
        if (!path_step(path, &edge, &ways.at[0], &feasible, reader->error))
            return false;
        if (path_finish(path, "init", &program->initial))
            for (size_t i = 0; i < program->initial.subops.at[0].statements.count; i++)
                arena_push(reader->arena, &init->statements,
                           program->initial.subops.at[0].statements.at[i]);
    }
    vec_clear(&program->initial.subops);
    init->label = "init";
    arena_push(reader->arena, &program->initial.subops, *init);
    return true;
}

static bool reader_module(Reader *reader, const Module *module, const char *path)
{
    SubOp init = {0};
    reader->names.program = ir_program_new(reader->arena, path);
    reader->names.module = module;
    if (!reader_structures(reader) || !reader_globals(reader, &init) ||
        !reader_init(reader, module, &init))
        return false;
    for (int i = 0; i < module->operation_count; i++)
        if (!reader_operation(reader, module->operations[i]))
            return false;
    return true;
}

/* The operations of the model, with loops as READER says, without a specification. */
static bool reader_implementation(Reader *reader, const Model *model, IrProgram **out)
{
    if (!reader_module(reader, model->implementation, model->name))
        return false;
    *out = reader->names.program;
    (*out)->id_is_thread = true;
    (*out)->threads = model->thread_count;
    (*out)->manual = reader->manual;
    model_roles_apply(reader->arena, model, *out);
    reader_keep_looks(reader);
    return true;
}

/* The ways that meet no point more than ROUNDS times, with all their steps; NULL if they are too
 * many. */
static IrProgram *reader_exact(Arena *arena, const Model *model, IrProgram *specification,
                               int rounds, bool manual)
{
    Error error = {0};
    Reader reader = {.arena = arena,
                     .error = &error,
                     .rounds = rounds,
                     .manual = manual,
                     .names = {.in_sight = manual}};
    IrProgram *program;
    bool good = reader_implementation(&reader, model, &program);
    for (size_t i = 0; good && i < program->operations.count; i++)
        good = program->operations.at[i].locals.count <= CONCRETE_LOCALS;
    if (!good)
        return NULL;
    program->specification = specification;
    return program;
}

static bool reader_is_manual(const Module *module)
{
    for (int i = 0; i < module->pool_count; i++)
        if (module->pools[i]->manual)
            return true;
    return false;
}

bool model_reader_run(Arena *arena, const Model *model, const Module *specification,
                      IrProgram **out, Error *error)
{
    bool manual = reader_is_manual(model->implementation);
    Reader reader = {
        .arena = arena, .error = error, .manual = manual, .names = {.in_sight = manual}};
    if (!reader_implementation(&reader, model, out))
        return false;
    if ((*out)->operations.count == 0)
        return error_set(error, "%s: there is no operation to prove", model->name);
    if (!specification)
        return true;
    Reader abstract = {
        .arena = arena, .error = error, .specification = true, .rounds = SPECIFICATION_ROUNDS};
    if (!reader_module(&abstract, specification, model->name))
        return false;
    IrProgram *spec = (*out)->specification = abstract.names.program;
    spec->refinement = model->refinement_text;
    spec->refinement_line = model->refinement.line;
    spec->refinement_column = model->refinement.column;
    if (manual) {
        Reader hidden = {.arena = arena, .error = error, .manual = true};
        IrProgram *joined;
        if (!reader_implementation(&hidden, model, &joined))
            return false;
        joined->specification = (*out)->specification;
        (*out)->joined = joined;
        reader.approximate |= hidden.approximate;
    }
    bool once = false; /* threads that call something just once */
    for (int i = 0; i < model->group_count; i++)
        once |= model->groups[i].is_program;
    (*out)->approximate = reader.approximate || once;
    for (int i = 0; i < 2 && reader.approximate && !once; i++)
        (*out)->exact[i] = reader_exact(arena, model, (*out)->specification, i + 1, manual);
    return true;
}
