#include "prove/meeting.h"
#include "prove/facts/houdini.h"
#include <string.h>

bool meeting_exists(const IrProgram *program)
{
    for (size_t i = 0; i < program->operations.count; i++)
        if (program->operations.at[i].meets)
            return true;
    return false;
}

/* The meeting at which operation I waits, as the first that names it says; NULL: it never does. */
static const Meeting *meeting_waits(const IrProgram *program, int operation)
{
    for (size_t i = 0; i < program->operations.count; i++)
        if (program->operations.at[i].meets && program->operations.at[i].meets->other == operation)
            return program->operations.at[i].meets;
    return NULL;
}

/* How many first steps OPERATION, which neither waits nor meets, shares with one that waits; which
 * one, in *WAITING. */
static int meeting_begins_like(const IrProgram *program, int operation, int *waiting)
{
    const IrOperation *op = &program->operations.at[operation];
    if (op->meets || meeting_waits(program, operation))
        return 0;
    int most = 0;
    for (int i = 0; i < (int)program->operations.count; i++)
        if (meeting_waits(program, i)) {
            int common = ir_operation_common_prefix(op, &program->operations.at[i], NULL);
            int count = MIN(common, (int)op->subops.count - 1);
            if (count > most) {
                most = count;
                *waiting = i;
            }
        }
    return most;
}

typedef struct MeetingGhosts {
    Ghosted *ghosted;
    int begun, met, passed, owner;
} MeetingGhosts;

static void meeting_begin(MeetingGhosts *ghosts, int operation, int token)
{
    Ghosted *ghosted = ghosts->ghosted;
    const IrExpr *element = ghost_local(ghosted, operation, token);
    ghost_write(ghosted, operation, 0, ghosts->begun, element, ir_number(ghosted->arena, 1));
    ghost_write(ghosted, operation, 0, ghosts->owner, element, ir_id(ghosted->arena));
    ghosted->program->operations.at[operation].role =
        (IrRole){.kind = ROLE_INSERTS, .element = token, .rank = -1};
    ghost_oblige(ghosted, operation, 0, false, ghost_is(ghosted, ghosts->begun, element, 0),
                 "the offer may be that of another operation");
    ghost_oblige(ghosted, operation, 0, false, ghost_is(ghosted, ghosts->met, element, 0),
                 "the offer may have been used before");
}

static void meeting_oblige_waiting(MeetingGhosts *ghosts, int operation, const Meeting *meeting)
{
    Ghosted *ghosted = ghosts->ghosted;
    int last = (int)ghosted->program->operations.at[operation].subops.count - 1;
    const IrExpr *token = ghost_local(ghosted, operation, meeting->token);
    meeting_begin(ghosts, operation, meeting->token);
    /* It can't be met any more; the ghost that says so is the one that says that it can. */
    ghost_write(ghosted, operation, last, ghosts->begun, token, ir_number(ghosted->arena, 0));
    ghost_oblige(ghosted, operation, last, false, ghost_is(ghosted, ghosts->met, token, 1),
                 "it may end without having been met");
    ghost_oblige(ghosted, operation, last, false,
                 ir_formula_compare(ghosted->arena, FORMULA_EQ,
                                    ghost_cell(ghosted, ghosts->passed, token),
                                    ghost_local(ghosted, operation, meeting->given)),
                 "the value may not be the one that was passed");
}

static void meeting_oblige_active(MeetingGhosts *ghosts, int operation, const Meeting *meeting)
{
    Ghosted *ghosted = ghosts->ghosted;
    const IrExpr *token = ghost_local(ghosted, operation, meeting->own_token);
    ghost_write(ghosted, operation, meeting->step, ghosts->met, token,
                ir_number(ghosted->arena, 1));
    ghost_write(ghosted, operation, meeting->step, ghosts->passed, token,
                ghost_local(ghosted, operation, meeting->own_given));
    ghosted->program->operations.at[operation].role =
        (IrRole){.kind = ROLE_REMOVES, .element = meeting->own_token, .rank = -1};
    ghost_oblige(ghosted, operation, meeting->step, false,
                 ghost_is(ghosted, ghosts->begun, token, 1),
                 "what is met may not wait, or no more");
    ghost_oblige(ghosted, operation, meeting->step, false, ghost_is(ghosted, ghosts->met, token, 0),
                 "what is met may have been met before");
}

/* OPERATION of PROGRAM, which is without ghosts, shares COUNT steps with WAITING and then goes
 * another way. */
static void meeting_oblige_leaving(MeetingGhosts *ghosts, const IrProgram *program, int operation,
                                   int waiting, int count)
{
    Ghosted *ghosted = ghosts->ghosted;
    const Meeting *meeting = meeting_waits(program, waiting);
    const IrOperation *op = &program->operations.at[operation];
    const IrOperation *other = &program->operations.at[waiting];
    int *to_own = arena_array_of(ghosted->arena, int, other->locals.count + 1);
    ir_operation_common_prefix(op, other, to_own);
    int token = to_own[meeting->token];
    if (token < 0)
        return; /* the token is not in the shared steps: it can't be met there */
    const IrExpr *element = ghost_local(ghosted, operation, token);
    meeting_begin(ghosts, operation, token);
    ghost_write(ghosted, operation, count, ghosts->begun, element, ir_number(ghosted->arena, 0));
    ghost_oblige(ghosted, operation, count, false, ghost_is(ghosted, ghosts->met, element, 0),
                 "it may go on although it was met");
}

/* Every meeting with one kind of operation must be by the same locals of it; and what may stand for
 * one that waits must have no effect of its own, or one call could be counted twice. */
static bool meeting_consistent(const IrProgram *program, IrType *element, Error *error)
{
    bool first = true;
    for (size_t i = 0; i < program->operations.count; i++) {
        const Meeting *meeting = program->operations.at[i].meets;
        if (!meeting)
            continue;
        const Meeting *of = meeting_waits(program, meeting->other);
        IrType type = program->operations.at[meeting->other].locals.at[meeting->token].type;
        if (of->token != meeting->token || of->given != meeting->given)
            return error_at(error, program->path, meeting->line, 1,
                            "'%s' is met by other locals than elsewhere", meeting->name);
        if (!first && !ir_type_equal(type, *element))
            return error_at(error, program->path, meeting->line, 1,
                            "tokens of different kinds in one program");
        *element = type;
        first = false;
    }
    for (size_t i = 0; i < program->operations.count; i++) {
        const IrOperation *op = &program->operations.at[i];
        int waiting;
        if (!op->internal && meeting_begins_like(program, (int)i, &waiting) > 0)
            return error_at(
                error, program->path, op->line, 1,
                "'%s' begins like '%s', which waits, and has an effect of its own: write "
                "what it does when it is not met as another operation",
                op->name, program->operations.at[waiting].name);
    }
    return true;
}

bool meeting_obligations(Arena *arena, const IrProgram *program, Ghosted *out, Error *error)
{
    static const IrType type_bool = {KIND_BOOL, -1}, type_int = {KIND_INT, -1},
                        type_tid = {KIND_TID, -1};
    IrType element = {KIND_INT, -1};
    if (!meeting_consistent(program, &element, error))
        return false;
    *out = ghost_begin(arena, program, element);
    MeetingGhosts ghosts = {.ghosted = out};
    ghosts.begun = ghost_array(out, "waits", type_bool, true);
    ghosts.met = ghost_array(out, "met", type_bool, true);
    ghosts.passed = ghost_array(out, "passed", type_int, true);
    ghosts.owner = ghost_array(out, "owner", type_tid, true);
    for (int i = 0; i < (int)program->operations.count; i++) {
        const Meeting *waits = meeting_waits(program, i);
        int waiting = 0, count = meeting_begins_like(program, i, &waiting);
        if (waits)
            meeting_oblige_waiting(&ghosts, i, waits);
        if (program->operations.at[i].meets)
            meeting_oblige_active(&ghosts, i, program->operations.at[i].meets);
        if (count > 0)
            meeting_oblige_leaving(&ghosts, program, i, waiting, count);
    }
    return true;
}

/* First, then second, from any state: can both run, and is the state the same afterwards? */
static bool meeting_leaves_state(Prover *prover, Instance first, Instance second, Term same_value)
{
    Instance both[] = {first, second};
    SymState start = symbolic_unknown(&prover->symbolic), end = start;
    Terms base = {0}, goals = {0};
    prover_assume(prover, &start, both, 2, true, &base);
    vec_push(&base, same_value);
    symbolic_set_query(&prover->symbolic, both, 2);
    prover->symbolic.to_show = true;
    prover_run_range(prover, first, 0, 1, &end, &goals);
    prover_run_range(prover, second, 0, 1, &end, &goals);
    prover->symbolic.to_show = false;
    vec_push(&goals, symbolic_same(&prover->symbolic, &start, &end));
    solver_push(prover->solver);
    solver_assume_all(prover->solver, &base);
    solver_assert(prover->solver, term_not(&prover->pool, term_all(&prover->pool, &goals)));
    SolverAnswer answer = solver_check(prover->solver);
    solver_pop(prover->solver);
    vec_free(&base);
    vec_free(&goals);
    return answer == ANSWER_NO;
}

/* The local of the specification's operation that is LOCAL of OP; -1: none. */
static int meeting_abstract(const IrOperation *abstract, const IrOperation *op, int local)
{
    for (size_t k = 0; k < op->ports.count; k++)
        if (op->ports.at[k] == local)
            return ir_operation_port(abstract, k);
    return -1;
}

/* The two operations of the specification and the locals that have to be the same: of the one that
 * waits first. */
static void meeting_pair(const IrProgram *program, int operation, int *order, int *given)
{
    const IrProgram *spec = program->specification;
    const IrOperation *op = &program->operations.at[operation];
    const IrOperation *waiting = &program->operations.at[op->meets->other];
    order[0] = ir_program_find_operation(spec, waiting->name);
    order[1] = ir_program_find_operation(spec, op->name);
    given[0] = meeting_abstract(&spec->operations.at[order[0]], waiting, op->meets->given);
    given[1] = meeting_abstract(&spec->operations.at[order[1]], op, op->meets->own_given);
}

bool meeting_order(Prover *prover, const IrProgram *program, int operation, int *order, int *given)
{
    meeting_pair(program, operation, order, given);
    Instance u = {0, order[0]}, v = {1, order[1]};
    Term same = given[0] >= 0 && given[1] >= 0
                    ? term_eq(&prover->pool, symbolic_local(&prover->symbolic, u, given[0]),
                              symbolic_local(&prover->symbolic, v, given[1]))
                    : term_true(&prover->pool);
    if (meeting_leaves_state(prover, u, v, same))
        return true;
    order[0] = v.operation;
    order[1] = u.operation;
    int passed = given[0];
    given[0] = given[1];
    given[1] = passed;
    return meeting_leaves_state(prover, v, u, same);
}

static bool meeting_is_nothing(Prover *prover, const IrProgram *program, int operation)
{
    int order[2], given[2];
    return meeting_order(prover, program, operation, order, given);
}

void meeting_check_specification(Arena *arena, const IrProgram *program, unsigned effort,
                                 const char **reason)
{
    Prover prover;
    *reason = NULL;
    if (!program->specification)
        return; /* there is another reason then */
    prover_init(&prover, arena, program->specification, effort);
    facts_candidates(arena, program->specification, &prover.facts);
    houdini_run(&prover);
    for (size_t i = 0; i < program->operations.count && !*reason; i++) {
        const IrOperation *op = &program->operations.at[i];
        if (op->meets && !meeting_is_nothing(&prover, program, (int)i))
            *reason = arena_printf(arena,
                                   "%s:%d: in the specification, %s and %s one after the other may "
                                   "not be possible, or not leave the state as it was",
                                   program->path, op->meets->line, op->meets->name, op->name);
    }
    prover_free(&prover);
}

IrProgram *meeting_split(Arena *arena, const IrProgram *program)
{
    IrProgram *split = arena_new_of(arena, IrProgram);
    int *moved = arena_array_of(arena, int, program->operations.count);
    *split = *program;
    memset(&split->operations, 0, sizeof split->operations);
    memset(&split->facts, 0, sizeof split->facts);
    for (int i = 0; i < (int)program->operations.count; i++) {
        const IrOperation *op = &program->operations.at[i];
        int waiting;
        bool involved =
            op->meets || meeting_waits(program, i) || meeting_begins_like(program, i, &waiting) > 0;
        moved[i] = involved ? -1 : (int)split->operations.count;
        if (!involved) {
            arena_push(arena, &split->operations, *op);
            continue;
        }
        for (size_t k = 0; k < op->subops.count; k++) {
            IrOperation step = *op;
            memset(&step.subops, 0, sizeof step.subops);
            memset(&step.ensures, 0, sizeof step.ensures);
            memset(&step.walks, 0, sizeof step.walks);
            arena_push(arena, &step.subops, op->subops.at[k]);
            step.internal = true;
            step.meets = NULL;
            step.name = step.method =
                arena_printf(arena, "%s.%s", op->name, op->subops.at[k].label);
            arena_push(arena, &split->operations, step);
        }
    }
    for (size_t i = 0; i < program->facts.count; i++) {
        UserFact fact = program->facts.at[i];
        if (fact.operation >= 0)
            fact.operation = moved[fact.operation];
        if (program->facts.at[i].operation < 0 || fact.operation >= 0)
            arena_push(arena, &split->facts, fact);
    }
    return split;
}
