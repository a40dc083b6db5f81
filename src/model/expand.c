/* Straight-line paths through the action of a step: structured control inside `atomic` becomes
 * assumptions, one path for each way through. */
#include "model/flow.h"
#include "model/check.h"
#include <string.h>

enum { MAX_ROUNDS = 1000 };

typedef struct Walk {
    Arena *arena;
    Error *error;
    int limit;
    Vec(Micro) path;
    Vec(MicroPath) done;
    bool known[64]; /* locals whose value is known on this path: loop counters, mostly */
    int64_t value[64];
    int rounds; /* of loops, in all: a loop that never ends is an error, not a hang */
} Walk;

/* The statements that come after one, as a chain; break, continue and leave skip to outer links. */
typedef struct Next {
    const struct Next *after; /* normal continuation */
    const Stmt *stmt;         /* to walk next; NULL: the end of the action */
    const struct Next *on_break, *on_continue, *on_leave;
} Next;

static bool walk_stmt(Walk *walk, const Stmt *stmt, const Next *next);

static bool finish(Walk *walk)
{
    if ((int)walk->done.count >= walk->limit)
        return error_set(walk->error, "an atomic step has more than %d paths", walk->limit);
    MicroPath path = {arena_array_of(walk->arena, Micro, walk->path.count + 1),
                      (int)walk->path.count};
    if (walk->path.count)
        memcpy(path.at, walk->path.at, walk->path.count * sizeof *walk->path.at);
    vec_push(&walk->done, path);
    return true;
}

static bool walk_next(Walk *walk, const Next *next)
{
    if (!next || !next->stmt)
        return finish(walk);
    return walk_stmt(walk, next->stmt, next->after);
}

static Next *next_new(Walk *walk, const Stmt *stmt, const Next *after, const Next *inherit)
{
    Next *next = arena_new_of(walk->arena, Next);
    next->stmt = stmt;
    next->after = after;
    if (inherit) {
        next->on_break = inherit->on_break;
        next->on_continue = inherit->on_continue;
        next->on_leave = inherit->on_leave;
    }
    return next;
}

static bool with_micro(Walk *walk, Micro micro, const Stmt *stmt, const Next *next)
{
    size_t mark = walk->path.count;
    vec_push(&walk->path, micro);
    bool ok = stmt ? walk_stmt(walk, stmt, next) : walk_next(walk, next);
    walk->path.count = mark;
    return ok;
}

/* The expression with known locals replaced by their values, and folded. */
static const Expr *simplify(const Walk *walk, const Expr *expr, bool is_place)
{
    if (!expr || expr->kind == EXPR_CONST)
        return expr;
    if (expr->kind == EXPR_VARIABLE) {
        int index = expr->variable->index;
        if (is_place || expr->variable->kind != VARIABLE_LOCAL || index >= 64 ||
            !walk->known[index])
            return expr;
        return expr_const(walk->arena, expr->type, walk->value[index], expr->place);
    }
    Expr *copy = arena_new_of(walk->arena, Expr);
    *copy = *expr;
    bool place = expr->kind == EXPR_FIELD || expr->kind == EXPR_INDEX;
    copy->a = simplify(walk, expr->a, place);
    copy->b = simplify(walk, expr->b, false);
    copy->c = simplify(walk, expr->c, false);
    int64_t value;
    if (expr->kind == EXPR_UNARY && copy->a->kind == EXPR_CONST &&
        operator_apply(expr->operator, copy->a->value, 0, &value))
        return expr_const(walk->arena, expr->type, value, expr->place);
    if (expr->kind == EXPR_BINARY && copy->a->kind == EXPR_CONST && copy->b->kind == EXPR_CONST &&
        operator_apply(expr->operator, copy->a->value, copy->b->value, &value))
        return expr_const(walk->arena, expr->type, value, expr->place);
    if (expr->kind == EXPR_BINARY && copy->a->kind == EXPR_CONST &&
        (expr->operator== OP_AND || expr->operator== OP_OR))
        return (copy->a->value != 0) == (expr->operator== OP_AND)
                   ? copy->b
                   : expr_const(walk->arena, expr->type, expr->operator== OP_OR, expr->place);
    if (expr->kind == EXPR_CONDITIONAL && copy->a->kind == EXPR_CONST)
        return copy->a->value ? copy->b : copy->c;
    return copy;
}

static bool assume(Walk *walk, const Expr *condition, const Stmt *stmt, const Next *next)
{
    condition = simplify(walk, condition, false);
    if (expr_is_false(condition))
        return true;
    if (expr_is_true(condition))
        return stmt ? walk_stmt(walk, stmt, next) : walk_next(walk, next);
    return with_micro(walk, (Micro){MICRO_ASSUME, NULL, condition, condition->place}, stmt, next);
}

static bool walk_stmt(Walk *walk, const Stmt *stmt, const Next *next)
{
    switch (stmt->kind) {
    case STMT_BLOCK: {
        const Next *rest = next;
        for (int i = stmt->count - 1; i >= 1; i--)
            rest = next_new(walk, stmt->body[i], rest, next);
        return stmt->count ? walk_stmt(walk, stmt->body[0], rest) : walk_next(walk, next);
    }
    case STMT_ASSIGN: {
        const Expr *value = simplify(walk, stmt->value, false);
        Micro micro = {MICRO_ASSIGN, simplify(walk, stmt->target, true), value, stmt->place};
        const Variable *local = stmt->target->kind == EXPR_VARIABLE &&
                                        stmt->target->variable->kind == VARIABLE_LOCAL &&
                                        stmt->target->variable->index < 64
                                    ? stmt->target->variable
                                    : NULL;
        if (!local)
            return with_micro(walk, micro, NULL, next);
        bool known = walk->known[local->index];
        int64_t before = walk->value[local->index];
        walk->known[local->index] = value->kind == EXPR_CONST;
        walk->value[local->index] = value->value;
        bool ok = with_micro(walk, micro, NULL, next);
        walk->known[local->index] = known;
        walk->value[local->index] = before;
        return ok;
    }
    case STMT_FREE:
        return with_micro(
            walk, (Micro){MICRO_FREE, NULL, simplify(walk, stmt->value, false), stmt->place}, NULL,
            next);
    case STMT_ASSERT:
        return with_micro(
            walk, (Micro){MICRO_ASSERT, NULL, simplify(walk, stmt->value, false), stmt->place},
            NULL, next);
    case STMT_AWAIT:
        return assume(walk, stmt->value, NULL, next);
    case STMT_RETURN: {
        size_t mark = walk->path.count;
        vec_push(&walk->path,
                 (Micro){MICRO_RETURN, NULL, simplify(walk, stmt->value, false), stmt->place});
        bool ok = finish(walk);
        walk->path.count = mark;
        return ok;
    }
    case STMT_IF:
        if (!assume(walk, stmt->value, stmt->body[0], next))
            return false;
        return assume(walk, expr_not(walk->arena, stmt->value),
                      stmt->count > 1 ? stmt->body[1] : NULL, next);
    case STMT_CHOOSE:
        for (int i = 0; i < stmt->count; i++)
            if (!walk_stmt(walk, stmt->body[i], next))
                return false;
        return true;
    case STMT_ATOMIC:
        return walk_stmt(walk, stmt->body[0], next);
    case STMT_INLINE: {
        Next *inner = next_new(walk, NULL, NULL, next);
        if (next) {
            inner->stmt = next->stmt;
            inner->after = next->after;
        }
        inner->on_leave = next;
        inner->on_break = inner->on_continue = NULL;
        return walk_stmt(walk, stmt->body[0], inner);
    }
    case STMT_LEAVE: /* out of the action itself: the step ends */
        return walk_next(walk, next ? next->on_leave : NULL);
    case STMT_BREAK:
        return walk_next(walk, next->on_break);
    case STMT_CONTINUE:
        return walk_next(walk, next->on_continue);
    case STMT_WHILE: {
        if (++walk->rounds > MAX_ROUNDS)
            return source_error(walk->error, stmt->place,
                                "a loop inside an atomic step whose rounds can't be counted");
        Stmt *again = arena_new_of(walk->arena, Stmt);
        *again = *stmt;
        again->do_first = false;
        Next *loop = next_new(walk, again, next, next);
        const Next *after_body = loop;
        if (stmt->count > 1) {
            Next *step = next_new(walk, stmt->body[1], loop, next);
            step->on_break = next;
            after_body = step;
        }
        Next *body = next_new(walk, after_body->stmt, after_body->after, next);
        body->on_break = next;
        body->on_continue = after_body;
        if (stmt->do_first)
            return walk_stmt(walk, stmt->body[0], body);
        return assume(walk, stmt->value, stmt->body[0], body) &&
               assume(walk, expr_not(walk->arena, stmt->value), NULL, next);
    }
    }
    return true;
}

/* ---- operands that are only evaluated when they are needed ---- */

static bool may_fail(const Expr *e)
{
    return e && (e->kind == EXPR_ARROW || e->kind == EXPR_INDEX || e->kind == EXPR_CONDITIONAL ||
                 may_fail(e->a) || may_fail(e->b) || may_fail(e->c));
}

/* The first `a ? b : c', or `a && b', `a || b' whose b can't be evaluated in every state; what is
 * evaluated before it has none. NULL: there is none. */
static const Expr *find_lazy(const Expr *e)
{
    if (!e)
        return NULL;
    const Expr *found = find_lazy(e->a);
    bool logical = e->kind == EXPR_BINARY && (e->operator== OP_AND || e->operator== OP_OR);
    if (!found && (e->kind == EXPR_CONDITIONAL || (logical && may_fail(e->b))))
        return e;
    if (!found)
        found = find_lazy(e->b);
    return found ? found : find_lazy(e->c);
}

static const Expr *replace(Arena *arena, const Expr *e, const Expr *what, const Expr *by)
{
    if (!e || e == what)
        return e ? by : NULL;
    Expr *copy = arena_new_of(arena, Expr);
    *copy = *e;
    copy->a = replace(arena, e->a, what, by);
    copy->b = replace(arena, e->b, what, by);
    copy->c = replace(arena, e->c, what, by);
    return copy;
}

/* PATH where the first operand of LAZY, in micro step AT, has the value TRUTH. */
static void split_path(Walk *walk, const MicroPath *path, int at, const Expr *lazy, bool truth)
{
    MicroPath split = {arena_array_of(walk->arena, Micro, (size_t)path->count + 1),
                       path->count + 1};
    const Expr *value = lazy->kind == EXPR_CONDITIONAL ? (truth ? lazy->b : lazy->c)
                        : truth == (lazy->operator== OP_AND)
                            ? lazy->b
                            : expr_const(walk->arena, lazy->type, truth, lazy->place);
    for (int i = 0, to = 0; i < path->count; i++) {
        Micro micro = path->at[i];
        if (i == at) {
            split.at[to++] = (Micro){MICRO_ASSUME, NULL,
                                     truth ? lazy->a : expr_not(walk->arena, lazy->a), micro.place};
            micro.target = simplify(walk, replace(walk->arena, micro.target, lazy, value), true);
            micro.value = simplify(walk, replace(walk->arena, micro.value, lazy, value), false);
        }
        split.at[to++] = micro;
    }
    vec_push(&walk->done, split);
}

/* Makes two paths of each that has such an operand, so that no path evaluates what the program does
 * not. */
static bool split_paths(Walk *walk)
{
    memset(walk->known, 0, sizeof walk->known);
    for (size_t i = 0; i < walk->done.count;) {
        const MicroPath path = walk->done.at[i];
        const Expr *lazy = NULL;
        int at = 0;
        for (; at < path.count && !lazy; at++) {
            lazy = find_lazy(path.at[at].target);
            lazy = lazy ? lazy : find_lazy(path.at[at].value);
        }
        if (!lazy) {
            i++;
            continue;
        }
        if ((int)walk->done.count > walk->limit)
            return error_set(walk->error, "an atomic step has more than %d paths", walk->limit);
        split_path(walk, &path, at - 1, lazy, true);
        split_path(walk, &path, at - 1, lazy, false);
        walk->done.at[i] = walk->done.at[walk->done.count - 1];
        walk->done.count--;
    }
    return true;
}

bool flow_expand(Arena *arena, const Edge *edge, int limit, MicroPaths *out, Error *error)
{
    Walk walk = {.arena = arena, .error = error, .limit = limit};
    Next end = {0};
    bool ok = edge->guard    ? assume(&walk, edge->guard, edge->action, &end)
              : edge->action ? walk_stmt(&walk, edge->action, &end)
                             : finish(&walk);
    ok = ok && split_paths(&walk);
    out->count = (int)walk.done.count;
    out->at = arena_array_of(arena, MicroPath, walk.done.count + 1);
    if (walk.done.count)
        memcpy(out->at, walk.done.at, walk.done.count * sizeof *walk.done.at);
    vec_free(&walk.done);
    vec_free(&walk.path);
    return ok;
}
