/* The theorem. An insertion y begins with its first step, appears at its step A(y), ends with its
 * last; a removal k begins with its first step and takes its element at C(k). "Present" is: has
 * appeared and was not taken. a < b for operations: a ended before b began. Every element has a
 * rank from when it appears on. Obligations, for all instances:
 *   1 different insertions have different elements, and a removal takes an element whose insertion
 *     has begun and which nobody took before, and returns what was inserted;
 *   2 when y appears, not being taken yet, no element that is present has its rank;
 *   3 what is present when y begins has a lower rank than y (if y is not taken before it appears);
 * of a stack:
 *   4 when k takes x: either the insertion of x had not ended when k began; or every w that is
 *     present and has a higher rank than x began after k;
 * of a queue:
 *   5 when k takes x: x has appeared, and began before k; every w of lower rank that is present
 *     appeared after k began.
 * Then every execution is linearizable.
 *
 * Proof for stacks. Go through the events A and C in the order of time and build a sequence L of
 * operations that is a legal history of a stack and leaves in it just the elements that are
 * present, in the order of their ranks.
 * (a) A(y), y not taken: let z be the lowest present element of higher rank. Without such a z
 * append push(y) to L, else insert it just before push(z). As z stays in the stack from push(z) to
 * the end of L, nothing below z is touched there, so L stays legal, and y lies where its rank wants
 * it. (b) C(k) takes x by the second case of 4 (x is present): let z be the lowest present element
 * above x; append pop(x), or insert it just before push(z): there x is the top, and later nobody
 * touches what is below z. (c) C(k) takes x, whose insertion had not ended when k began: if push(x)
 * is in L, it is taken out (its element was never popped there, so L stays legal), leaving a mark.
 * Then push(x) pop(x) is inserted as a pair, which is legal anywhere, as far left as it may stand:
 * just after the last O with O < push(x) or O < k. Each such O is before each P with push(x) < P: O
 * < push(x) < P, or O ended before k began, which was before push(x) ended, which was before P
 * began. (No P in L has k < P, k being active.) If x had not appeared, its later A changes nothing.
 * Real time is kept. What is put into L at its event is not < anything in L, as each member of L
 * has its event, within its duration, earlier. Left to show: no O < N stands after the new N
 * (push(y) of (a) or pop(x) of (b)), which is put before push(z). First, nothing that was put into
 * L before N began, marks included, stands at or after push(z): let b be the beginning of y in (a),
 * of z in (b). In (b) z began after k by 4, so b is not before N began, and z appeared after b; in
 * (a) z appeared after b too, or 3 would give it a lower rank than y. Let O have been in L at b.
 * Since z appeared later, and O is not before push(z), push(z) was put before some push(z'), and O
 * is at or after that; z' is present at A(z), with a higher rank than z; so it appeared after b, or
 * 3 would give it a lower rank than y (than z). So O was in L when z' appeared; and so on: an
 * endless chain of elements of higher and higher rank. Second, an O < N that was put into L after N
 * began is push(x) of a pair by (c), as the event of all others lies before their end. It was put
 * just after some O' with O' < push(x), so O' < N, or with O' < k, where k began before push(x)
 * ended, so again O' < N; by induction over the events O' stands before push(z). So does the pair:
 * nothing but other pairs is ever put between it and O', as its element is not present.
 *
 * Proof for queues. Removals are ordered by C; insertions of elements that are taken, in the order
 * in which they are taken, and after them the others, in any order that extends <. If y < x for two
 * insertions then y is before x: otherwise x is taken by some k while y, which had appeared when x
 * began, is present; by 3 y has the lower rank; x began before k, so y had appeared when k began,
 * which 5 denies. Take the order of insertions, that of removals, each insertion before its
 * removal, and <. Suppose a cycle, and let d be its last removal. It goes on by d < e to an
 * insertion e, along insertions to some f, not before e, and from f to a removal c that is not
 * after d, being f's own or f < c. If its own: e, which is not after f, is taken no later than f,
 * so no later than C(d): but e began after d ended, against 1. If f < c: f ended before c began,
 * C(c) is not after C(d), d ended before e began: so f < e, and f is before e. Hence there is a
 * total order, and in it first in is first out.
 *
 * How the obligations are asked: ghosts record which elements have begun, appeared, been taken and
 * ended, with rank and value; an observer is an operation with an element that was there when it
 * began (ghost.h), which is also how a search that looks at each element in its own time is used:
 * the condition is known of the witness, at one moment between the steps before and after.
 *
 * Tested against exhaustive exploration of random systems: tests/unit/prove_ordered.c. */
#include "prove/ordered.h"
#include "prove/read/hoist.h"
#include <string.h>

typedef struct Ordered {
    Ghosted *ghosted;
    const IrProgram *original;
    /* The ghosts. */
    int begun, there, gone, ended, rank, value, owner;
    const IrExpr *now; /* a counter, for ranks by appearance */
} Ordered;

static const IrType type_bool = {KIND_BOOL, -1}, type_int = {KIND_INT, -1},
                    type_tid = {KIND_TID, -1};

static IrType ordered_element(const IrProgram *program)
{
    for (size_t i = 0; i < program->operations.count; i++) {
        const IrOperation *op = &program->operations.at[i];
        if (op->role.kind != ROLE_NONE)
            return op->locals.at[op->role.element].type;
    }
    return type_int;
}

/* The global from which step STEP of OPERATION draws a number: `l = g; g = g + 1;'; -1: none. */
static int ordered_draws(const SubOp *subop, const IrExpr **local)
{
    for (size_t i = 0; i < subop->statements.count; i++) {
        const IrStatement *take = &subop->statements.at[i];
        if (take->kind != IR_SET || take->target->kind != IR_LOCAL ||
            take->value->kind != IR_GLOBAL)
            continue;
        for (size_t k = i + 1; k < subop->statements.count; k++) {
            const IrStatement *count = &subop->statements.at[k];
            if (count->kind == IR_SET && ir_expr_equal(count->target, take->value) &&
                count->value->kind == IR_ADD && ir_expr_equal(count->value->a, take->value) &&
                count->value->b->kind == IR_NUMBER && count->value->b->number > 0) {
                *local = take->target;
                return take->value->index;
            }
        }
    }
    return -1;
}

/* For each global that numbers are drawn from: an array that says which element drew a number. */
static void ordered_add_drawn(Ordered *ordered)
{
    Ghosted *ghosted = ordered->ghosted;
    IrProgram *program = ghosted->program;
    for (size_t i = 0; i < program->operations.count; i++) {
        const IrOperation *op = &program->operations.at[i];
        for (size_t p = 0; op->role.kind == ROLE_INSERTS && p < op->subops.count; p++) {
            const IrExpr *local;
            int from = ordered_draws(&op->subops.at[p], &local);
            if (from < 0)
                continue;
            int array = -1;
            for (size_t k = 0; k < program->drawn_from.count; k++)
                if (program->drawn_from.at[k] == from)
                    array = program->drawn_arrays.at[k];
            if (array < 0) {
                array = ghost_array(
                    ghosted,
                    arena_printf(ghosted->arena, "drew_%s", program->globals.at[from].name),
                    program->ghost_index, false);
                arena_push(ghosted->arena, &program->drawn_from, from);
                arena_push(ghosted->arena, &program->drawn_arrays, array);
            }
            ghost_write(ghosted, (int)i, (int)p, array, local,
                        ghost_local(ghosted, (int)i, op->role.element));
        }
    }
}

static const IrExpr *ordered_rank(const Ordered *ordered, int operation)
{
    const IrRole *role = &ordered->ghosted->program->operations.at[operation].role;
    return role->rank >= 0 ? ghost_local(ordered->ghosted, operation, role->rank) : ordered->now;
}

/* Has appeared and was not taken. */
static const IrFormula *ordered_present(const Ordered *ordered, const IrExpr *element)
{
    return ghost_and(ordered->ghosted, ghost_is(ordered->ghosted, ordered->there, element, 1),
                     ghost_is(ordered->ghosted, ordered->gone, element, 0));
}

static void ordered_record(Ordered *ordered, int operation)
{
    Ghosted *ghosted = ordered->ghosted;
    Arena *arena = ghosted->arena;
    const IrOperation *op = &ghosted->program->operations.at[operation];
    const IrRole role = op->role;
    const IrExpr *one = ir_number(arena, 1);
    if (role.kind == ROLE_NONE)
        return;
    const IrExpr *element = ghost_local(ghosted, operation, role.element);
    if (role.kind == ROLE_REMOVES) {
        ghost_write(ghosted, operation, role.step, ordered->gone, element, one);
        return;
    }
    ghost_write(ghosted, operation, 0, ordered->begun, element, one);
    ghost_write(ghosted, operation, 0, ordered->owner, element, ir_id(arena));
    ghost_write(ghosted, operation, 0, ordered->value, element,
                ghost_local(ghosted, operation, role.value));
    ghost_write(ghosted, operation, role.step, ordered->there, element, one);
    ghost_write(ghosted, operation, role.step, ordered->rank, element,
                ordered_rank(ordered, operation));
    if (role.rank < 0)
        ghost_set(ghosted, operation, role.step, ordered->now,
                  ir_binary(arena, IR_ADD, ordered->now, one));
    ghost_write(ghosted, operation, (int)op->subops.count - 1, ordered->ended, element, one);
}

/* 1, 2, 3 */
static void ordered_oblige_insertion(Ordered *ordered, int operation)
{
    Ghosted *ghosted = ordered->ghosted;
    const IrRole role = ghosted->program->operations.at[operation].role;
    const IrExpr *own = ghost_local(ghosted, operation, role.element);
    const IrExpr *rank = ordered_rank(ordered, operation);
    const IrExpr *any = ir_variable(ghosted->arena, IR_BOUND, 0, ghosted->program->ghost_index);
    const IrFormula *not_taken = ghost_is(ghosted, ordered->gone, own, 0);
    ghost_oblige(ghosted, operation, 0, false, ghost_is(ghosted, ordered->begun, own, 0),
                 "the element may be that of another insertion");
    const IrFormula *another = ghost_and(ghosted, ordered_present(ordered, any),
                                         ir_formula_compare(ghosted->arena, FORMULA_NE, any, own));
    ghost_oblige(ghosted, operation, role.step, true,
                 ghost_implies(ghosted, ghost_and(ghosted, not_taken, another),
                               ir_formula_compare(ghosted->arena, FORMULA_NE,
                                                  ghost_cell(ghosted, ordered->rank, any), rank)),
                 "another element may have the same rank");
    int observer = ghost_observer(ghosted, ordered->original, operation, true);
    const IrExpr *other =
        ghost_local(ghosted, observer, ghosted->program->operations.at[observer].witness);
    ghost_require(ghosted, observer, ordered_present(ordered, other));
    ghost_oblige(ghosted, observer, role.step, false,
                 ghost_implies(ghosted, not_taken,
                               ir_formula_compare(ghosted->arena, FORMULA_LT,
                                                  ghost_cell(ghosted, ordered->rank, other), rank)),
                 "an element that was there when the insertion began may have no lower rank");
}

/* 1, and 4 or 5 */
static void ordered_oblige_removal(Ordered *ordered, int operation)
{
    Ghosted *ghosted = ordered->ghosted;
    Arena *arena = ghosted->arena;
    const IrRole role = ghosted->program->operations.at[operation].role;
    bool stack = ghosted->program->discipline == DISCIPLINE_STACK;
    const IrExpr *own = ghost_local(ghosted, operation, role.element);
    ghost_oblige(ghosted, operation, role.step, false, ghost_is(ghosted, ordered->begun, own, 1),
                 "what is taken may not have been inserted");
    ghost_oblige(ghosted, operation, role.step, false, ghost_is(ghosted, ordered->gone, own, 0),
                 "what is taken may have been taken before");
    ghost_oblige(ghosted, operation, role.step, false,
                 ir_formula_compare(arena, FORMULA_EQ, ghost_cell(ghosted, ordered->value, own),
                                    ghost_local(ghosted, operation, role.value)),
                 "what is returned may not be what was inserted");
    int observer = ghost_observer(ghosted, ordered->original, operation, true);
    const IrExpr *other =
        ghost_local(ghosted, observer, ghosted->program->operations.at[observer].witness);
    const IrExpr *own_rank = ghost_cell(ghosted, ordered->rank, own);
    const IrExpr *other_rank = ghost_cell(ghosted, ordered->rank, other);
    if (stack) {
        ghost_require(ghosted, observer, ghost_is(ghosted, ordered->begun, other, 1));
        ghost_require(ghosted, observer, ghost_is(ghosted, ordered->ended, own, 1));
        ghost_oblige(
            ghosted, observer, role.step, false,
            ghost_implies(ghosted, ordered_present(ordered, other),
                          ir_formula_compare(arena, FORMULA_LE, other_rank, own_rank)),
            "an element that was begun before the removal may lie above the one that is taken");
        return;
    }
    ghost_oblige(ghosted, operation, role.step, false, ghost_is(ghosted, ordered->there, own, 1),
                 "what is taken may not have appeared");
    ghost_require(ghosted, observer, ghost_is(ghosted, ordered->there, other, 1));
    ghost_oblige(
        ghosted, observer, role.step, false,
        ghost_implies(ghosted, ghost_is(ghosted, ordered->gone, other, 0),
                      ir_formula_compare(arena, FORMULA_LE, own_rank, other_rank)),
        "an element that was there before the removal may be older than the one that is taken");
    int late = ghost_observer(ghosted, ordered->original, operation, false);
    ghost_require(ghosted, late, ghost_is(ghosted, ordered->begun, own, 0));
    ghost_oblige(ghosted, late, role.step, false,
                 ir_formula_not(arena, ir_formula_compare(arena, FORMULA_TRUE, NULL, NULL)),
                 "what is taken may have been inserted after the removal began");
}

Ghosted ordered_obligations(Arena *arena, const IrProgram *program)
{
    Ghosted ghosted = ghost_begin(arena, program, ordered_element(program));
    Ordered ordered = {.ghosted = &ghosted, .original = program};
    int count = (int)program->operations.count;
    bool appearance = false;
    for (int i = 0; i < count; i++) {
        const IrRole *role = &program->operations.at[i].role;
        appearance |= role->kind == ROLE_INSERTS && role->rank < 0;
    }
    if (appearance) {
        arena_push(arena, &ghosted.program->globals, (IrVariable){"ticks", type_int});
        ordered.now =
            ir_variable(arena, IR_GLOBAL, (int)ghosted.program->globals.count - 1, type_int);
    }
    ordered_add_drawn(&ordered);
    ordered.begun = ghost_array(&ghosted, "begun", type_bool, true);
    ordered.there = ghost_array(&ghosted, "there", type_bool, true);
    ordered.gone = ghost_array(&ghosted, "gone", type_bool, true);
    ordered.ended = ghost_array(&ghosted, "ended", type_bool, true);
    ordered.rank = ghost_array(&ghosted, "rank", type_int, true);
    ordered.value = ghost_array(&ghosted, "value", type_int, true);
    ordered.owner = ghost_array(&ghosted, "owner", type_tid, true);
    for (int i = 0; i < count; i++)
        ordered_record(&ordered, i);
    for (int i = 0; i < count; i++) {
        IrRoleKind kind = program->operations.at[i].role.kind;
        if (kind == ROLE_INSERTS)
            ordered_oblige_insertion(&ordered, i);
        else if (kind == ROLE_REMOVES)
            ordered_oblige_removal(&ordered, i);
    }
    for (size_t i = (size_t)count; i < ghosted.program->operations.count; i++)
        hoist_conditions(arena, &ghosted.program->operations.at[i]);
    return ghosted;
}
