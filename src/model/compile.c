/* From flow graphs to code for a small stack machine: postfix, one pass, jumps patched. */
#include "model/program.h"
#include "model/opcodes.h"
#include <string.h>

typedef struct Fixups {
    Vec(int) at;
} Fixups;

typedef struct Compiler {
    Arena *arena;
    const Module *module;
    Vec(Instr) code;
    Vec(Place) places;
    int break_fix, continue_fix, leave_fix; /* indexes into fixups; -1: none */
    Vec(Fixups) fixups;
} Compiler;

static int emit(Compiler *compiler, int op, int bytes, int a, int b, int c, Place place)
{
    vec_push(&compiler->places, place);
    vec_push(
        &compiler->code,
        (Instr){.op = (unsigned char)op, .bytes = (unsigned char)bytes, .a = a, .b = b, .c = c});
    return (int)compiler->code.count - 1;
}

static int here(const Compiler *compiler)
{
    return (int)compiler->code.count;
}

static int fixups_new(Compiler *compiler)
{
    vec_push(&compiler->fixups, (Fixups){{0}});
    return (int)compiler->fixups.count - 1;
}

static void jump_later(Compiler *compiler, int fixups, Place place)
{
    int at = emit(compiler, I_JUMP, 0, 0, 0, 0, place);
    vec_push(&compiler->fixups.at[fixups].at, at);
}

static void fix(Compiler *compiler, int fixups)
{
    for (size_t i = 0; i < compiler->fixups.at[fixups].at.count; i++)
        compiler->code.at[compiler->fixups.at[fixups].at.at[i]].a = here(compiler);
    vec_free(&compiler->fixups.at[fixups].at);
}

static void compile_expr(Compiler *compiler, const Expr *expr);

/* A place with a fixed address: its offset; false if it must be computed. */
static bool fixed_address(const Expr *expr, int *offset, bool *is_local)
{
    switch (expr->kind) {
    case EXPR_VARIABLE:
        *offset = expr->variable->offset;
        *is_local = expr->variable->kind == VARIABLE_LOCAL;
        return true;
    case EXPR_FIELD:
        if (!fixed_address(expr->a, offset, is_local))
            return false;
        *offset += expr->field->offset;
        return true;
    case EXPR_INDEX:
        if (expr->b->kind != EXPR_CONST || expr->a->type->by_thread ||
            !fixed_address(expr->a, offset, is_local))
            return false;
        *offset += (int)expr->b->value * expr->type->bytes;
        return true;
    default:
        return false;
    }
}

static void compile_address(Compiler *compiler, const Expr *expr)
{
    int offset;
    bool is_local;
    if (fixed_address(expr, &offset, &is_local)) {
        emit(compiler, is_local ? I_ADDRESS_LOCAL : I_PUSH, 0, offset, 0, 0, expr->place);
        return;
    }
    switch (expr->kind) {
    case EXPR_ARROW: {
        const Struct *structure = expr->a->type->structure;
        compile_expr(compiler, expr->a);
        emit(compiler, I_NODE, 0, structure->pool_offset, structure->bytes + 1,
             expr->field->offset + 1, expr->place);
        return;
    }
    case EXPR_FIELD:
        compile_address(compiler, expr->a);
        if (expr->field->offset) {
            emit(compiler, I_PUSH, 0, expr->field->offset, 0, 0, expr->place);
            emit(compiler, I_ADD, 0, 0, 0, 0, expr->place);
        }
        return;
    case EXPR_INDEX:
        compile_address(compiler, expr->a);
        compile_expr(compiler, expr->b);
        emit(compiler, I_INDEX, 0, (int)expr->a->type->count, expr->type->bytes,
             expr->a->type->by_thread ? 1 : 0, expr->place);
        return;
    default:
        ASSERT(false && "a place");
    }
}

static void compile_logical(Compiler *compiler, const Expr *expr)
{
    bool is_and = expr->operator== OP_AND;
    compile_expr(compiler, expr->a);
    int skip = emit(compiler, is_and ? I_JUMP_ZERO : I_JUMP_NOT_ZERO, 0, 0, 0, 0, expr->place);
    compile_expr(compiler, expr->b);
    int end = emit(compiler, I_JUMP, 0, 0, 0, 0, expr->place);
    compiler->code.at[skip].a = here(compiler);
    emit(compiler, I_PUSH, 0, !is_and, 0, 0, expr->place);
    compiler->code.at[end].a = here(compiler);
}

static void compile_expr(Compiler *compiler, const Expr *expr)
{
    int offset;
    bool is_local;
    switch (expr->kind) {
    case EXPR_CONST:
        emit(compiler, I_PUSH, 0, (int)expr->value, 0, 0, expr->place);
        return;
    case EXPR_VARIABLE:
    case EXPR_ARROW:
    case EXPR_FIELD:
    case EXPR_INDEX:
        if (fixed_address(expr, &offset, &is_local)) {
            emit(compiler, is_local ? I_LOAD_LOCAL : I_LOAD_GLOBAL, expr->type->bytes, offset,
                 (int)expr->type->low, 0, expr->place);
        } else {
            compile_address(compiler, expr);
            emit(compiler, I_LOAD, expr->type->bytes, 0, (int)expr->type->low, 0, expr->place);
        }
        return;
    case EXPR_UNARY:
        compile_expr(compiler, expr->a);
        emit(compiler,
             expr->operator== OP_NOT   ? I_NOT
             : expr->operator== OP_NEG ? I_NEG
                                       : I_BIT_NOT,
             0, 0, 0, 0, expr->place);
        return;
    case EXPR_BINARY:
        if (expr->operator== OP_AND || expr->operator== OP_OR) {
            compile_logical(compiler, expr);
            return;
        }
        compile_expr(compiler, expr->a);
        compile_expr(compiler, expr->b);
        switch (expr->operator) {
#define CASE(name)                                                                                 \
    case OP_##name:                                                                                \
        emit(compiler, I_##name, 0, 0, 0, 0, expr->place);                                         \
        return;
            CASE(BIT_OR)
            CASE(BIT_XOR)
            CASE(BIT_AND)
            CASE(EQ)
            CASE(NE)
            CASE(LT)
            CASE(LE)
            CASE(GT)
            CASE(GE)
            CASE(SHIFT_LEFT)
            CASE(SHIFT_RIGHT)
            CASE(ADD)
            CASE(SUB)
            CASE(MUL)
            CASE(DIV)
            CASE(MOD)
#undef CASE
        default:
            ASSERT(false && "a binary operator");
            return;
        }
    case EXPR_CONDITIONAL: {
        compile_expr(compiler, expr->a);
        int other = emit(compiler, I_JUMP_ZERO, 0, 0, 0, 0, expr->place);
        compile_expr(compiler, expr->b);
        int end = emit(compiler, I_JUMP, 0, 0, 0, 0, expr->place);
        compiler->code.at[other].a = here(compiler);
        compile_expr(compiler, expr->c);
        compiler->code.at[end].a = here(compiler);
        return;
    }
    case EXPR_SELF:
        emit(compiler, I_SELF, 0, 0, 0, 0, expr->place);
        return;
    case EXPR_AVAILABLE:
        emit(compiler, I_AVAILABLE, 0, expr->structure->pool_index, 0, 0, expr->place);
        return;
    case EXPR_NEW:
        emit(compiler, I_NEW, 0, expr->structure->pool_index, 0, 0, expr->place);
        return;
    case EXPR_CHOOSE:
        compile_expr(compiler, expr->a);
        compile_expr(compiler, expr->b);
        emit(compiler, I_CHOOSE_VALUE, 0, 0, 0, 0, expr->place);
        return;
    }
}

static void compile_stmt(Compiler *compiler, const Stmt *stmt);

static void compile_assign(Compiler *compiler, const Stmt *stmt)
{
    const Type *type = stmt->target->type;
    int offset;
    bool is_local;
    if (fixed_address(stmt->target, &offset, &is_local)) {
        compile_expr(compiler, stmt->value);
        if (is_local)
            emit(compiler, I_ADDRESS_LOCAL_UNDER, 0, offset, 0, 0, stmt->place);
        else
            emit(compiler, I_PUSH_UNDER, 0, offset, 0, 0, stmt->place);
    } else {
        compile_address(compiler, stmt->target);
        compile_expr(compiler, stmt->value);
    }
    emit(compiler, I_STORE, type->bytes, 0, (int)type->low, (int)type->high, stmt->place);
}

static void compile_while(Compiler *compiler, const Stmt *stmt)
{
    int outer_break = compiler->break_fix, outer_continue = compiler->continue_fix;
    compiler->break_fix = fixups_new(compiler);
    compiler->continue_fix = fixups_new(compiler);
    int own_break = compiler->break_fix, own_continue = compiler->continue_fix;
    int skip_test = stmt->do_first ? emit(compiler, I_JUMP, 0, 0, 0, 0, stmt->place) : -1;
    int head = here(compiler);
    compile_expr(compiler, stmt->value);
    int leave = emit(compiler, I_JUMP_ZERO, 0, 0, 0, 0, stmt->place);
    if (skip_test >= 0)
        compiler->code.at[skip_test].a = here(compiler);
    compile_stmt(compiler, stmt->body[0]);
    fix(compiler, own_continue);
    if (stmt->count > 1)
        compile_stmt(compiler, stmt->body[1]);
    emit(compiler, I_JUMP, 0, head, 0, 0, stmt->place);
    compiler->code.at[leave].a = here(compiler);
    fix(compiler, own_break);
    compiler->break_fix = outer_break;
    compiler->continue_fix = outer_continue;
}

static void compile_stmt(Compiler *compiler, const Stmt *stmt)
{
    switch (stmt->kind) {
    case STMT_BLOCK:
        for (int i = 0; i < stmt->count; i++)
            compile_stmt(compiler, stmt->body[i]);
        return;
    case STMT_ASSIGN:
        compile_assign(compiler, stmt);
        return;
    case STMT_FREE:
        compile_expr(compiler, stmt->value);
        emit(compiler, I_FREE, 0, stmt->value->type->structure->pool_index, 0, 0, stmt->place);
        return;
    case STMT_AWAIT:
    case STMT_ASSERT:
        compile_expr(compiler, stmt->value);
        emit(compiler, stmt->kind == STMT_AWAIT ? I_AWAIT : I_ASSERT, 0, 0, 0, 0, stmt->place);
        return;
    case STMT_IF: {
        compile_expr(compiler, stmt->value);
        int other = emit(compiler, I_JUMP_ZERO, 0, 0, 0, 0, stmt->place);
        compile_stmt(compiler, stmt->body[0]);
        if (stmt->count > 1) {
            int end = emit(compiler, I_JUMP, 0, 0, 0, 0, stmt->place);
            compiler->code.at[other].a = here(compiler);
            compile_stmt(compiler, stmt->body[1]);
            compiler->code.at[end].a = here(compiler);
        } else {
            compiler->code.at[other].a = here(compiler);
        }
        return;
    }
    case STMT_WHILE:
        compile_while(compiler, stmt);
        return;
    case STMT_CHOOSE: {
        int end = fixups_new(compiler);
        emit(compiler, I_CHOOSE_BRANCH, 0, stmt->count, 0, 0, stmt->place);
        int table = here(compiler);
        for (int i = 0; i < stmt->count; i++)
            emit(compiler, I_JUMP, 0, 0, 0, 0, stmt->place);
        for (int i = 0; i < stmt->count; i++) {
            compiler->code.at[table + i].a = here(compiler);
            compile_stmt(compiler, stmt->body[i]);
            jump_later(compiler, end, stmt->place);
        }
        fix(compiler, end);
        return;
    }
    case STMT_ATOMIC:
        compile_stmt(compiler, stmt->body[0]);
        return;
    case STMT_INLINE: {
        int outer = compiler->leave_fix;
        int own = compiler->leave_fix = fixups_new(compiler);
        compile_stmt(compiler, stmt->body[0]);
        fix(compiler, own);
        compiler->leave_fix = outer;
        return;
    }
    case STMT_LEAVE:
        if (compiler->leave_fix >= 0)
            jump_later(compiler, compiler->leave_fix, stmt->place);
        else
            emit(compiler, I_LEAVE, 0, 0, 0, 0, stmt->place);
        return;
    case STMT_RETURN:
        if (stmt->value) {
            compile_expr(compiler, stmt->value);
            emit(compiler, I_RETURN, 0, 0, 0, 0, stmt->place);
        } else {
            emit(compiler, I_RETURN_VOID, 0, 0, 0, 0, stmt->place);
        }
        return;
    case STMT_BREAK:
        jump_later(compiler, compiler->break_fix, stmt->place);
        return;
    case STMT_CONTINUE:
        jump_later(compiler, compiler->continue_fix, stmt->place);
        return;
    }
}

/* ---- cells ---- */
typedef Vec(ScalarCell) CellList;
typedef Vec(ThreadArray) ThreadArrayList;

/* *fixed is set when an array by thread stands where threads are not renamed: in a node or a
 * local. */
static void collect_cells(const Type *type, int offset, CellList *cells, ThreadArrayList *arrays,
                          bool *fixed)
{
    switch (type->kind) {
    case TYPE_DATA:
        vec_push(cells, (ScalarCell){offset, (short)type->bytes, -1, CELL_DATA});
        return;
    case TYPE_THREAD:
        vec_push(cells, (ScalarCell){offset, (short)type->bytes, -1, CELL_THREAD});
        return;
    case TYPE_REF:
        vec_push(cells, (ScalarCell){offset, (short)type->bytes, (short)type->structure->pool_index,
                                     CELL_REF});
        return;
    case TYPE_ARRAY:
        if (type->by_thread && !arrays)
            *fixed = true;
        else if (type->by_thread)
            vec_push(arrays, (ThreadArray){offset, type->element->bytes, (int)type->count});
        for (int i = 0; i < type->count; i++)
            collect_cells(type->element, offset + i * type->element->bytes, cells, arrays, fixed);
        return;
    case TYPE_STRUCT:
        for (int i = 0; i < type->structure->field_count; i++)
            collect_cells(type->structure->fields[i].type,
                          offset + type->structure->fields[i].offset, cells, arrays, fixed);
        return;
    default:
        return;
    }
}

static ScalarCells cells_of(Arena *arena, CellList *list)
{
    ScalarCells cells = {arena_array_of(arena, ScalarCell, list->count + 1), (int)list->count};
    if (list->count)
        memcpy(cells.at, list->at, list->count * sizeof *list->at);
    vec_free(list);
    return cells;
}

static ScalarCells local_cells(Arena *arena, Variable **locals, int count, bool *fixed)
{
    CellList list = {0};
    for (int i = 0; i < count; i++)
        collect_cells(locals[i]->type, locals[i]->offset, &list, NULL, fixed);
    return cells_of(arena, &list);
}

static void note_kinds(Program *program, const ScalarCells *cells)
{
    for (int i = 0; i < cells->count; i++) {
        program->has_data |= cells->at[i].kind == CELL_DATA;
        program->has_threads |= cells->at[i].kind == CELL_THREAD;
    }
}

static void find_cells(Arena *arena, Program *program)
{
    const Module *module = program->module;
    CellList list = {0};
    ThreadArrayList arrays = {0};
    for (int i = 0; i < module->global_count; i++)
        collect_cells(module->globals[i]->type, module->globals[i]->offset, &list, &arrays, NULL);
    program->shared_cells = cells_of(arena, &list);
    note_kinds(program, &program->shared_cells);
    program->node_cells = arena_array_of(arena, ScalarCells, (size_t)module->pool_count + 1);
    for (int i = 0; i < module->pool_count; i++) {
        const Struct *structure = module->pools[i];
        for (int f = 0; f < structure->field_count; f++)
            collect_cells(structure->fields[f].type, structure->fields[f].offset, &list, NULL,
                          &program->has_fixed_threads);
        program->node_cells[i] = cells_of(arena, &list);
        note_kinds(program, &program->node_cells[i]);
        program->has_collected_pools |= !structure->manual;
        program->has_refs = true;
    }
    program->thread_array_count = (int)arrays.count;
    program->thread_arrays = arena_array_of(arena, ThreadArray, arrays.count + 1);
    if (arrays.count)
        memcpy(program->thread_arrays, arrays.at, arrays.count * sizeof *arrays.at);
    program->has_threads |= arrays.count > 0;
    vec_free(&arrays);
}

/* ---- points ---- */
static int locals_bytes(Variable **locals, int count)
{
    return count ? locals[count - 1]->offset + locals[count - 1]->type->bytes : 0;
}

static void find_dead(Arena *arena, const ModelOperation *operation, uint64_t live,
                      ProgramPoint *point)
{
    Vec(ClearRange) ranges = {0};
    for (int i = 0; i < operation->local_count && i < 64; i++) {
        if (live >> i & 1)
            continue;
        const Variable *local = operation->locals[i];
        if (ranges.count && vec_last(&ranges).offset + vec_last(&ranges).bytes == local->offset)
            vec_last(&ranges).bytes += local->type->bytes;
        else
            vec_push(&ranges, (ClearRange){local->offset, local->type->bytes});
    }
    point->clear_count = (int)ranges.count;
    point->clear = arena_array_of(arena, ClearRange, ranges.count + 1);
    if (ranges.count)
        memcpy(point->clear, ranges.at, ranges.count * sizeof *ranges.at);
    vec_free(&ranges);
}

static void compile_operation(Compiler *compiler, Program *program, int index, int base,
                              int *edge_at)
{
    const ModelOperation *operation = program->module->operations[index];
    const Flow *flow = operation->flow;
    ProgramOperation *out = &program->operations[index];
    out->operation = operation;
    out->base = base;
    out->cells = local_cells(compiler->arena, operation->locals, operation->local_count,
                             &program->has_fixed_threads);
    note_kinds(program, &out->cells);
    program->has_data |= operation->result->kind == TYPE_DATA;
    out->argument_cells = local_cells(compiler->arena, operation->locals,
                                      operation->parameter_count, &program->has_fixed_threads);
    out->locals_bytes = locals_bytes(operation->locals, operation->local_count);
    out->arguments_bytes = locals_bytes(operation->locals, operation->parameter_count);
    out->code = here(compiler);
    compiler->leave_fix = -1;
    compile_stmt(compiler, operation->body);
    emit(compiler, I_RETURN_VOID, 0, 0, 0, 0, operation->place);
    for (int p = 0; p < flow->point_count; p++) {
        ProgramPoint *point = &program->points[base + p];
        point->first_edge = *edge_at;
        point->edge_count = flow->first_edge[p + 1] - flow->first_edge[p];
        point->operation = index;
        point->is_local = flow->is_local[p];
        if (p != FLOW_DONE)
            find_dead(compiler->arena, operation, flow->live[p], point);
        for (int i = flow->first_edge[p]; i < flow->first_edge[p + 1]; i++) {
            const Edge *edge = &flow->edges[i];
            program->edges[(*edge_at)++] =
                (ProgramEdge){edge, operation, here(compiler), base + edge->to,
                              edge->leave_to >= 0 ? base + edge->leave_to : -1};
            if (edge->guard) {
                compile_expr(compiler, edge->guard);
                emit(compiler, I_AWAIT, 0, 0, 0, 0, edge->place);
            }
            if (edge->action)
                compile_stmt(compiler, edge->action);
            emit(compiler, edge->to == FLOW_DONE ? I_RETURN_VOID : I_END, 0, 0, 0, 0, edge->place);
        }
    }
}

/* Compiles conditions over globals; returns where the code of each begins. */
static int *compile_all(Compiler *compiler, const Expr *const *conditions, int count)
{
    int *code = arena_array_of(compiler->arena, int, (size_t)count + 1);
    for (int i = 0; i < count; i++) {
        code[i] = here(compiler);
        compile_expr(compiler, conditions[i]);
        emit(compiler, I_RETURN, 0, 0, 0, 0, conditions[i]->place);
    }
    return code;
}

static void finish_code(Compiler *compiler, Program *program)
{
    program->code = arena_array_of(compiler->arena, Instr, compiler->code.count + 1);
    memcpy(program->code, compiler->code.at, compiler->code.count * sizeof *compiler->code.at);
    program->places = arena_array_of(compiler->arena, Place, compiler->places.count + 1);
    memcpy(program->places, compiler->places.at,
           compiler->places.count * sizeof *compiler->places.at);
    vec_free(&compiler->code);
    vec_free(&compiler->places);
    vec_free(&compiler->fixups);
}

const Program *program_compile(Arena *arena, const Module *module, int thread_count)
{
    Program *program = arena_new_of(arena, Program);
    Compiler compiler = {
        .arena = arena, .module = module, .break_fix = -1, .continue_fix = -1, .leave_fix = -1};
    program->module = module;
    program->thread_count = thread_count;
    find_cells(arena, program);
    for (int i = 0; i < module->global_count; i++)
        program->shared_bytes += module->globals[i]->type->bytes;
    for (int i = 0; i < module->pool_count; i++)
        program->shared_bytes += (int)module->pools[i]->pool * (module->pools[i]->bytes + 1);

    int points = 1, edges = 0;
    program->operation_count = module->operation_count;
    program->operations =
        arena_array_of(arena, ProgramOperation, (size_t)module->operation_count + 1);
    for (int i = 0; i < module->operation_count; i++) {
        points += module->operations[i]->flow->point_count;
        edges += module->operations[i]->flow->edge_count;
        const Type *result = module->operations[i]->result;
        program->result_bytes = MAX(program->result_bytes, result->bytes);
        program->arguments_bytes =
            MAX(program->arguments_bytes, locals_bytes(module->operations[i]->locals,
                                                       module->operations[i]->parameter_count));
        program->scratch_bytes =
            MAX(program->scratch_bytes,
                locals_bytes(module->operations[i]->locals, module->operations[i]->local_count));
    }
    ASSERT(points < PC_FINISHED);
    int locals = program->scratch_bytes;
    program->scratch_bytes =
        MAX(program->scratch_bytes, locals_bytes(module->init_locals, module->init_local_count));
    program->point_count = points;
    program->points = arena_array_of(arena, ProgramPoint, (size_t)points + 1);
    program->points[PC_IDLE].operation = -1;
    program->edges = arena_array_of(arena, ProgramEdge, (size_t)edges + 1);
    program->pc_bytes = points < 255 ? 1 : 2;
    program->locals_offset = program->pc_bytes + program->result_bytes;
    program->arguments_offset = program->locals_offset + locals;
    program->thread_bytes = thread_count ? program->arguments_offset + program->arguments_bytes : 0;
    program->state_bytes = program->shared_bytes + thread_count * program->thread_bytes;
    int base = 1;
    for (int i = 0; i < module->operation_count; i++) {
        compile_operation(&compiler, program, i, base, &program->edge_count);
        base += module->operations[i]->flow->point_count;
    }
    program->init_code = -1;
    if (module->init) {
        program->init_code = here(&compiler);
        compile_stmt(&compiler, module->init);
        emit(&compiler, I_END, 0, 0, 0, 0, module->init->place);
        program->init_cells = local_cells(arena, module->init_locals, module->init_local_count,
                                          &program->has_fixed_threads);
    }
    program->invariant_code = compile_all(&compiler, module->invariants, module->invariant_count);
    program->final_code = compile_all(&compiler, module->finals, module->final_count);
    if (!compiler.code.count)
        emit(&compiler, I_END, 0, 0, 0, 0, module->place);
    finish_code(&compiler, program);
    return program;
}

ProgramExpr program_compile_expr(Arena *arena, const Program *program, const Expr *expr)
{
    Program *copy = arena_new_of(arena, Program);
    *copy = *program;
    Compiler compiler = {.arena = arena,
                         .module = program->module,
                         .break_fix = -1,
                         .continue_fix = -1,
                         .leave_fix = -1};
    compile_expr(&compiler, expr);
    emit(&compiler, I_RETURN, 0, 0, 0, 0, expr->place);
    finish_code(&compiler, copy);
    return (ProgramExpr){copy, copy->code};
}
