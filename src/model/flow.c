/* From statements to the graph of steps, in continuation style: each statement is told the point it
 * starts from and the point where control goes on, so that no step is spent on mere jumps. */
#include "model/flow.h"
#include "model/check.h"

typedef struct Builder {
    Arena *arena;
    Error *error;
    const ModelOperation *operation;
    Vec(Edge) edges;
    int points;
    int break_to, continue_to, leave_to;
} Builder;

static int point_new(Builder *builder)
{
    return builder->points++;
}

static void edge_add(Builder *builder, int from, int to, const Expr *guard, const Stmt *action,
                     Place place)
{
    if (guard && expr_is_true(guard))
        guard = NULL;
    if (guard && expr_is_false(guard))
        return;
    vec_push(&builder->edges, (Edge){.from = from,
                                     .to = to,
                                     .guard = guard,
                                     .action = action,
                                     .place = place,
                                     .leave_to = -1});
}

/* The parts of an atomic action that concern its edge. */
static void scan_atomic(const Stmt *stmt, int inline_depth, bool *returns, bool *leaves)
{
    if (!stmt)
        return;
    *returns |= stmt->kind == STMT_RETURN;
    *leaves |= stmt->kind == STMT_LEAVE && inline_depth == 0;
    for (int i = 0; i < stmt->count; i++)
        scan_atomic(stmt->body[i], inline_depth + (stmt->kind == STMT_INLINE), returns, leaves);
}

/* shared: other steps leave `from` too (a choose), so no loop may come back to it */
static void build(Builder *builder, const Stmt *stmt, int from, int to, bool shared);

static void build_while(Builder *builder, const Stmt *stmt, int from, int to, bool shared)
{
    int outer_break = builder->break_to, outer_continue = builder->continue_to;
    const Stmt *step = stmt->count > 1 ? stmt->body[1] : NULL;
    bool endless = expr_is_true(stmt->value); /* needs no step for its test */
    int first = from;                         /* where the loop begins, never shared */
    if (shared) {
        first = point_new(builder);
        edge_add(builder, from, first, NULL, NULL, stmt->place);
    }
    int head = stmt->do_first && !endless ? point_new(builder) : first; /* where it is tested */
    int start = stmt->do_first || endless ? first : point_new(builder); /* of the body */
    int after = step ? point_new(builder) : head;
    builder->break_to = to;
    builder->continue_to = after;
    if (!endless) {
        edge_add(builder, head, start, stmt->value, NULL, stmt->value->place);
        edge_add(builder, head, to, expr_not(builder->arena, stmt->value), NULL,
                 stmt->value->place);
    }
    build(builder, stmt->body[0], start, after, false);
    if (step) {
        builder->continue_to = -1;
        build(builder, step, after, head, false);
    }
    builder->break_to = outer_break;
    builder->continue_to = outer_continue;
}

static void build(Builder *builder, const Stmt *stmt, int from, int to, bool shared)
{
    switch (stmt->kind) {
    case STMT_BLOCK: {
        int last = stmt->count - 1, at = from;
        if (last < 0)
            edge_add(builder, from, to, NULL, NULL, stmt->place);
        for (int i = 0; i <= last; i++) {
            bool falls = stmt_falls_through(stmt->body[i]);
            int next = i == last || !falls ? to : point_new(builder);
            build(builder, stmt->body[i], at, next, shared && i == 0);
            if (!falls)
                break; /* what follows can't be reached */
            at = next;
        }
        return;
    }
    case STMT_ASSIGN:
    case STMT_FREE:
    case STMT_ASSERT:
        edge_add(builder, from, to, NULL, stmt, stmt->place);
        return;
    case STMT_RETURN:
        edge_add(builder, from, FLOW_DONE, NULL, stmt, stmt->place);
        return;
    case STMT_AWAIT:
        edge_add(builder, from, to, stmt->value, NULL, stmt->place);
        return;
    case STMT_ATOMIC: {
        bool returns = false, leaves = false;
        scan_atomic(stmt->body[0], 0, &returns, &leaves);
        bool falls = stmt_falls_through(stmt->body[0]);
        edge_add(builder, from,
                 falls     ? to
                 : returns ? FLOW_DONE
                           : builder->leave_to,
                 NULL, stmt, stmt->place);
        vec_last(&builder->edges).may_return = returns;
        if (leaves)
            vec_last(&builder->edges).leave_to = builder->leave_to;
        return;
    }
    case STMT_IF: {
        int then = point_new(builder);
        int other = stmt->count > 1 ? point_new(builder) : to;
        edge_add(builder, from, then, stmt->value, NULL, stmt->value->place);
        edge_add(builder, from, other, expr_not(builder->arena, stmt->value), NULL,
                 stmt->value->place);
        build(builder, stmt->body[0], then, to, false);
        if (stmt->count > 1)
            build(builder, stmt->body[1], other, to, false);
        return;
    }
    case STMT_WHILE:
        build_while(builder, stmt, from, to, shared);
        return;
    case STMT_CHOOSE:
        for (int i = 0; i < stmt->count; i++)
            build(builder, stmt->body[i], from, to, true);
        return;
    case STMT_INLINE: {
        int outer = builder->leave_to;
        builder->leave_to = to;
        build(builder, stmt->body[0], from, to, shared);
        builder->leave_to = outer;
        return;
    }
    case STMT_LEAVE:
        edge_add(builder, from, builder->leave_to, NULL, NULL, stmt->place);
        return;
    case STMT_BREAK:
        edge_add(builder, from, builder->break_to, NULL, NULL, stmt->place);
        return;
    case STMT_CONTINUE:
        edge_add(builder, from, builder->continue_to, NULL, NULL, stmt->place);
        return;
    }
}

/* ---- after building ---- */
static bool stmt_all_local(const Stmt *stmt)
{
    if (!stmt)
        return true;
    if (stmt->kind == STMT_FREE || stmt->kind == STMT_ASSERT)
        return false; /* an assertion that fails is visible */
    if ((stmt->target && !expr_is_local(stmt->target)) ||
        (stmt->value && !expr_is_local(stmt->value)))
        return false;
    for (int i = 0; i < stmt->count; i++)
        if (!stmt_all_local(stmt->body[i]))
            return false;
    return true;
}

static bool stmt_has_choice(const Stmt *stmt)
{
    if (!stmt)
        return false;
    if (stmt->kind == STMT_CHOOSE || (stmt->value && stmt->value->kind == EXPR_CHOOSE) ||
        (stmt->value && stmt->value->kind == EXPR_NEW && stmt->value->structure->manual))
        return true;
    for (int i = 0; i < stmt->count; i++)
        if (stmt_has_choice(stmt->body[i]))
            return true;
    return false;
}

static bool skip_edge(const Edge *edge)
{
    return !edge->guard && !edge->action && edge->from != edge->to;
}

/* A point whose only edge does nothing is its target: a jump is not a step. */
static void remove_jumps(Builder *builder)
{
    int *out = arena_array_of(builder->arena, int, (size_t)builder->points);
    int *target = arena_array_of(builder->arena, int, (size_t)builder->points);
    for (size_t i = 0; i < builder->edges.count; i++)
        out[builder->edges.at[i].from]++;
    for (int i = 0; i < builder->points; i++)
        target[i] = i;
    for (size_t i = 0; i < builder->edges.count; i++) {
        const Edge *edge = &builder->edges.at[i];
        if (out[edge->from] == 1 && skip_edge(edge) && edge->from != FLOW_ENTRY)
            target[edge->from] = edge->to;
    }
    for (int i = 0; i < builder->points; i++) { /* chains; a cycle of jumps stays as it is */
        int at = i, rounds = 0;
        while (target[at] != at && rounds++ <= builder->points)
            at = target[at];
        if (rounds <= builder->points)
            target[i] = at;
    }
    size_t kept = 0;
    for (size_t i = 0; i < builder->edges.count; i++) {
        Edge edge = builder->edges.at[i];
        bool is_jump = out[edge.from] == 1 && skip_edge(&edge) && edge.from != FLOW_ENTRY;
        if (is_jump && target[edge.from] != edge.from)
            continue;
        edge.to = target[edge.to];
        if (edge.leave_to >= 0)
            edge.leave_to = target[edge.leave_to];
        builder->edges.at[kept++] = edge;
    }
    builder->edges.count = kept;
}

static void mark_reachable(const Builder *builder, bool *seen, int point)
{
    /* depth is bounded by the number of points, a few hundred at most */
    if (seen[point])
        return;
    seen[point] = true;
    for (size_t i = 0; i < builder->edges.count; i++)
        if (builder->edges.at[i].from == point) {
            mark_reachable(builder, seen, builder->edges.at[i].to);
            if (builder->edges.at[i].leave_to >= 0)
                mark_reachable(builder, seen, builder->edges.at[i].leave_to);
            if (builder->edges.at[i].may_return)
                seen[FLOW_DONE] = true;
        }
}

/* Points renumbered densely, edges sorted by point. */
static void number_points(Builder *builder, const bool *seen, Flow *flow)
{
    int *number = arena_array_of(builder->arena, int, (size_t)builder->points);
    int count = 0;
    for (int i = 0; i < builder->points; i++)
        if (i <= FLOW_ENTRY || seen[i])
            number[i] = count++;
    flow->point_count = count;
    flow->first_edge = arena_array_of(builder->arena, int, (size_t)count + 1);
    flow->edges = arena_array_of(builder->arena, Edge, builder->edges.count + 1);
    for (int point = 0; point < builder->points; point++) {
        if (point > FLOW_ENTRY && !seen[point])
            continue;
        flow->first_edge[number[point]] = flow->edge_count;
        for (size_t i = 0; i < builder->edges.count; i++) {
            Edge edge = builder->edges.at[i];
            if (edge.from != point)
                continue;
            edge.from = number[edge.from];
            edge.to = number[edge.to];
            if (edge.leave_to >= 0)
                edge.leave_to = number[edge.leave_to];
            edge.is_local = (!edge.guard || expr_is_local(edge.guard)) &&
                            stmt_all_local(edge.action) &&
                            !(edge.action && edge.action->kind == STMT_ATOMIC);
            edge.is_choice = stmt_has_choice(edge.action);
            flow->edges[flow->edge_count++] = edge;
        }
    }
    flow->first_edge[count] = flow->edge_count;
}

/* ---- liveness of locals ---- */
static void use_expr(const Expr *expr, uint64_t *used)
{
    if (!expr)
        return;
    if (expr->kind == EXPR_VARIABLE && expr->variable->kind == VARIABLE_LOCAL &&
        expr->variable->index < 64)
        *used |= UINT64_C(1) << expr->variable->index;
    use_expr(expr->a, used);
    use_expr(expr->b, used);
    use_expr(expr->c, used);
}

/* Computes what is live before a statement, given what is live after it and where jumps out of it
 * go. */
typedef struct Exits {
    uint64_t on_break, on_continue, on_leave;
} Exits;

static uint64_t live_before(const Stmt *stmt, uint64_t after, Exits exits)
{
    uint64_t live = after;
    switch (stmt->kind) {
    case STMT_ASSIGN:
        if (stmt->target->kind == EXPR_VARIABLE) {
            if (stmt->target->variable->kind == VARIABLE_LOCAL &&
                stmt->target->variable->index < 64)
                live &= ~(UINT64_C(1) << stmt->target->variable->index);
        } else {
            use_expr(stmt->target, &live); /* an index, a node, the rest of an array */
        }
        use_expr(stmt->value, &live);
        return live;
    case STMT_FREE:
    case STMT_AWAIT:
    case STMT_ASSERT:
        use_expr(stmt->value, &live);
        return live;
    case STMT_RETURN:
        live = 0;
        use_expr(stmt->value, &live);
        return live;
    case STMT_BLOCK:
        for (int i = stmt->count - 1; i >= 0; i--)
            live = live_before(stmt->body[i], live, exits);
        return live;
    case STMT_IF:
        live = live_before(stmt->body[0], after, exits) |
               (stmt->count > 1 ? live_before(stmt->body[1], after, exits) : after);
        use_expr(stmt->value, &live);
        return live;
    case STMT_CHOOSE:
        live = 0;
        for (int i = 0; i < stmt->count; i++)
            live |= live_before(stmt->body[i], after, exits);
        return live;
    case STMT_ATOMIC:
        return live_before(stmt->body[0], after, exits);
    case STMT_INLINE:
        return live_before(stmt->body[0], after, (Exits){.on_leave = after});
    case STMT_LEAVE:
        return exits.on_leave;
    case STMT_BREAK:
        return exits.on_break;
    case STMT_CONTINUE:
        return exits.on_continue;
    case STMT_WHILE: { /* head: live where the condition is tested; grows to a fixed point */
        uint64_t head = after, body = 0, last;
        use_expr(stmt->value, &head);
        do {
            last = head;
            uint64_t step = stmt->count > 1 ? live_before(stmt->body[1], head,
                                                          (Exits){after, head, exits.on_leave})
                                            : head;
            body = live_before(stmt->body[0], step, (Exits){after, step, exits.on_leave});
            head |= body;
        } while (head != last);
        return stmt->do_first ? body : head;
    }
    }
    return live;
}

static void find_live(Arena *arena, Flow *flow)
{
    flow->live = arena_array_of(arena, uint64_t, (size_t)flow->point_count);
    bool changed = true;
    while (changed) {
        changed = false;
        for (int i = flow->edge_count - 1; i >= 0; i--) {
            const Edge *edge = &flow->edges[i];
            uint64_t live = flow->live[edge->to];
            Exits exits = {.on_leave = edge->leave_to >= 0 ? flow->live[edge->leave_to] : 0};
            if (edge->action)
                live = live_before(edge->action, live, exits);
            use_expr(edge->guard, &live);
            if (live & ~flow->live[edge->from]) {
                flow->live[edge->from] |= live;
                changed = true;
            }
        }
    }
}

/* ---- private nodes ----
 * Forward analysis, meet over paths: the locals that hold a node which was made here and whose
 * reference was never stored or copied. Only this thread can reach such a node, so its fields are
 * as good as locals. (A manual pool may hand out a node that stale references of others still
 * name.) */
static uint64_t local_bit(const Expr *expr)
{
    return expr->kind == EXPR_VARIABLE && expr->variable->kind == VARIABLE_LOCAL &&
                   expr->variable->index < 64
               ? UINT64_C(1) << expr->variable->index
               : 0;
}

/* Locals that occur otherwise than as the node of an arrow. */
static uint64_t copied(const Expr *expr)
{
    if (!expr)
        return 0;
    if (expr->kind == EXPR_VARIABLE)
        return local_bit(expr);
    uint64_t a = expr->kind == EXPR_ARROW && expr->a->kind == EXPR_VARIABLE ? 0 : copied(expr->a);
    return a | copied(expr->b) | copied(expr->c);
}

static uint64_t private_after(const Stmt *stmt, uint64_t before)
{
    if (!stmt)
        return before;
    if (stmt->kind == STMT_ASSIGN) {
        uint64_t after = before & ~copied(stmt->value) & ~local_bit(stmt->target);
        if (stmt->value->kind == EXPR_NEW && !stmt->value->structure->manual)
            after |= local_bit(stmt->target);
        return after;
    }
    /* inside an atomic action with branches: whatever may happen there has happened */
    uint64_t after = before;
    for (int i = 0; i < stmt->count; i++)
        after &= stmt->body[i] ? private_after(stmt->body[i], before) : before;
    return after;
}

static bool expr_is_private(const Expr *expr, uint64_t nodes)
{
    if (!expr)
        return true;
    switch (expr->kind) {
    case EXPR_VARIABLE:
        return expr->variable->kind == VARIABLE_LOCAL;
    case EXPR_ARROW:
        return (local_bit(expr->a) & nodes) != 0;
    case EXPR_AVAILABLE:
    case EXPR_NEW:
        return false;
    default:
        return expr_is_private(expr->a, nodes) && expr_is_private(expr->b, nodes) &&
               expr_is_private(expr->c, nodes);
    }
}

static void find_private(Arena *arena, Flow *flow)
{
    uint64_t *nodes = arena_array_of(arena, uint64_t, (size_t)flow->point_count);
    for (int p = 0; p < flow->point_count; p++)
        nodes[p] = p == FLOW_ENTRY ? 0 : UINT64_MAX;
    for (bool changed = true; changed;) {
        changed = false;
        for (int i = 0; i < flow->edge_count; i++) {
            const Edge *edge = &flow->edges[i];
            uint64_t after = private_after(edge->action, nodes[edge->from]);
            int targets[2] = {edge->to, edge->leave_to};
            for (int k = 0; k < 2; k++)
                if (targets[k] >= 0 && (nodes[targets[k]] & ~after)) {
                    nodes[targets[k]] &= after;
                    changed = true;
                }
        }
    }
    for (int i = 0; i < flow->edge_count; i++) {
        Edge *edge = &flow->edges[i];
        bool simple =
            !edge->action || edge->action->kind == STMT_ASSIGN || edge->action->kind == STMT_RETURN;
        edge->is_private =
            edge->is_local ||
            (simple && expr_is_private(edge->guard, nodes[edge->from]) &&
             (!edge->action || (expr_is_private(edge->action->target, nodes[edge->from]) &&
                                expr_is_private(edge->action->value, nodes[edge->from]))));
    }
}

bool flow_build(Arena *arena, const ModelOperation *operation, const Flow **out, Error *error)
{
    Builder builder = {.arena = arena,
                       .error = error,
                       .operation = operation,
                       .points = 2,
                       .break_to = -1,
                       .continue_to = -1,
                       .leave_to = -1};
    bool is_void = operation->result->kind == TYPE_VOID;
    int end = is_void ? FLOW_DONE : point_new(&builder);
    build(&builder, operation->body, FLOW_ENTRY, end, false);
    remove_jumps(&builder);
    bool *seen = arena_array_of(arena, bool, (size_t)builder.points);
    mark_reachable(&builder, seen, FLOW_ENTRY);
    bool ok = true;
    if (!is_void && seen[end])
        ok = source_error(error, operation->place, "'%s' can end without returning a value",
                          operation->name);
    if (ok && builder.points > 5000)
        ok =
            source_error(error, operation->place, "'%s' has more than 5000 steps", operation->name);
    Flow *flow = arena_new_of(arena, Flow);
    flow->operation = operation;
    if (ok) {
        number_points(&builder, seen, flow);
        find_live(arena, flow);
        find_private(arena, flow);
        flow->is_local = arena_array_of(arena, bool, (size_t)flow->point_count);
        for (int p = 0; p < flow->point_count; p++) {
            flow->is_local[p] = flow->first_edge[p] < flow->first_edge[p + 1];
            for (int i = flow->first_edge[p]; i < flow->first_edge[p + 1]; i++)
                flow->is_local[p] &= flow->edges[i].is_private;
        }
    }
    vec_free(&builder.edges);
    *out = flow;
    return ok;
}
