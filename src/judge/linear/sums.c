/* The walk is at an event, a call or a return, in a state of the numbers. Operations are put into
 * the order when one has to return that is not in it yet; those that only saw, as soon as they are
 * allowed. So every operation is put into the order between its call and its return.
 *
 * A way leads to a goal, what an open operation, or one that is called soon, saw of all numbers. It
 * consists of operations that are open or are called before the goal returns, as few as possible.
 * Of those, the open ones go first, in the order in which most others see what they saw of some of
 * the numbers.
 *
 * If an operation can't be put there when it has to return, it gets heavier, and all is undone back
 * to its call, or to before it the next time. */
#include "judge/linear/sums.h"
#include <stdlib.h>
#include <string.h>

#define MOST_OPEN 256u   /* operations that are open or looked at before they are called */
#define TABLE 1024u      /* four times MOST_OPEN */
#define MOST_NUMBERS 64u /* of which the ways of more than PAIR steps are looked for */
#define PAIR 2u          /* steps of a way that is looked for by sums */
#define MOST_WAY 6u      /* steps of one to any goal */
#define MOST_FAR 16u     /* steps of one to the goal that has to return */
#define MOST_REACH 3u    /* steps to what a single operation saw */
#define MOST_SUMS 4000u  /* that are looked at for one way */
#define MOST_LATER 64u   /* operations that are looked at before they are called */
#define MOST_CAUSE 6u    /* changes that stand in the wrong place before what failed */
#define CAUSE_SUMS 100000u
#define MOST_FAILURES 300u /* without getting further */
#define FEW_FAILURES 4u    /* after which chance has a say */
#define STUCK 100u         /* failures after which what was learnt is forgotten */
#define STUCK_BACK 400u    /* events, further back each time */
#define BACK 8u            /* events, further back at each failure of an operation */
#define BYTES_AN_OPERATION 512u
#define NONE LINEARIZE_NONE

typedef struct Op {
    uint64_t change, goal; /* sums of what it changes and of what it saw, each number times a factor
                              of its own, modulo 2^64 */
    uint32_t called, returned; /* events */
    bool changes, sees;        /* sees: all numbers, so that GOAL is the sum of the state */
    bool done;                 /* in the order */
    uint32_t after;            /* NONE, or the operation to which it must not come first */
    uint8_t weight;            /* how often it failed */
} Op;
typedef struct Trail {
    uint32_t op, event;
} Trail;
typedef struct Step {
    uint64_t change;
    uint32_t op, count; /* the one that returns first, and how many there are */
    bool later;         /* it is still to be called */
    bool back;          /* it is in the order, and could be taken out */
} Step;
struct Sums {
    Amounts amounts;
    Vec(Op) ops;          /* by member of the group */
    Vec(uint32_t) events; /* operation * 2, + 1 for a return */
    Vec(int64_t) numbers; /* of the state */
    uint64_t sum;
    Vec(uint32_t) open; /* called, and not returned */
    Vec(Trail) trail;
    Vec(uint32_t) order;
    Random random;
    uint32_t at, deepest;
    size_t failures; /* since it got further than ever */
    /* the way that is looked for */
    uint32_t forced, until; /* what has to return; what is called after this can't be on the way */
    Step steps[MOST_OPEN];
    uint32_t table[TABLE]; /* by sum: the operation that saw it and returns first */
    uint32_t goals[MOST_OPEN], parts[MOST_OPEN]; /* parts saw something, and change nothing */
    size_t step_count, goal_count, part_count, sums, most_sums;
    uint32_t taken[MOST_FAR], way[MOST_FAR], ordered[MOST_FAR];
    size_t way_count;
    uint64_t cost;
    uint32_t first; /* of the best order of the way */
    uint64_t hits;
};

void sums_free(Sums *s)
{
    if (!s)
        return;
    amounts_free(&s->amounts);
    vec_free(&s->ops);
    vec_free(&s->events);
    vec_free(&s->numbers);
    vec_free(&s->open);
    vec_free(&s->trail);
    vec_free(&s->order);
    free(s);
}

static uint64_t factor_of(size_t number)
{
    return hash_mix(number + 1);
}

static const Amount *amounts_of(const Sums *s, uint32_t op, const Amount **end)
{
    *end = s->amounts.all.at + s->amounts.first.at[op + 1];
    return s->amounts.all.at + s->amounts.first.at[op];
}

/* Fills ops; false if nothing is seen, or no addition is unseen. */
static bool load_ops(Sums *s, const PlanGroup *group)
{
    bool sees = false, changes = false;
    vec_clear(&s->ops);
    vec_clear(&s->numbers);
    s->sum = 0;
    for (size_t i = 0; i < s->amounts.start.count; i++) {
        vec_push(&s->numbers, s->amounts.start.at[i]);
        s->sum += factor_of(i) * (uint64_t)s->amounts.start.at[i];
    }
    for (uint32_t m = 0; m < group->count; m++) {
        Op op = {.returned = NONE, .after = NONE};
        uint32_t exact = 0;
        const Amount *end;
        for (const Amount *a = amounts_of(s, m, &end); a < end; a++) {
            uint64_t factor = factor_of(a->number);
            op.change += factor * (uint64_t)a->change;
            op.changes = op.changes || a->change;
            if (a->least == a->most) {
                op.goal += factor * (uint64_t)a->least;
                exact++;
            }
        }
        op.sees = exact > 1;
        sees = sees || op.sees;
        changes = changes || (op.changes && !op.sees);
        vec_push(&s->ops, op);
    }
    return sees && changes;
}

/* Operations that are pending and only see are left out. */
static void load_events(Sums *s, const Plan *plan, const PlanGroup *group)
{
    vec_clear(&s->events);
    vec_reserve(&s->events, plan->history->positions);
    for (uint32_t p = 0; p < plan->history->positions; p++)
        vec_push(&s->events, NONE);
    for (uint32_t m = 0; m < group->count; m++) {
        const Operation *op = &plan->history->operations.at[plan->members.at[group->first + m]];
        bool pending = op->returned == HISTORY_PENDING;
        if (pending && !s->ops.at[m].changes)
            continue;
        s->events.at[op->called] = 2 * m;
        if (!pending)
            s->events.at[op->returned] = 2 * m + 1;
    }
    uint32_t count = 0;
    for (size_t p = 0; p < s->events.count; p++) {
        uint32_t event = s->events.at[p];
        if (event == NONE)
            continue;
        Op *op = &s->ops.at[event / 2];
        *(event & 1 ? &op->returned : &op->called) = count;
        s->events.at[count++] = event;
    }
    s->events.count = count;
}

/* Was this place reached before, and what was learnt did not help? Then chance has a say. */
static bool is_again(const Sums *s)
{
    return s->failures > FEW_FAILURES && s->at <= s->deepest;
}

static void move(Sums *s, uint32_t op, int sign)
{
    const Amount *end;
    for (const Amount *a = amounts_of(s, op, &end); a < end; a++)
        s->numbers.at[a->number] += sign * a->change;
    s->sum += sign > 0 ? s->ops.at[op].change : -s->ops.at[op].change;
}

static bool is_allowed(const Sums *s, uint32_t op)
{
    const Amount *end;
    if (s->ops.at[op].sees && s->ops.at[op].goal != s->sum)
        return false;
    for (const Amount *a = amounts_of(s, op, &end); a < end; a++)
        if (s->numbers.at[a->number] < a->least || s->numbers.at[a->number] > a->most)
            return false;
    return true;
}

static void put(Sums *s, uint32_t op)
{
    s->ops.at[op].done = true;
    move(s, op, 1);
    vec_push(&s->trail, (Trail){op, s->at});
}

/* Puts into the order what only saw, and is allowed. */
static void settle(Sums *s)
{
    for (size_t i = 0; i < s->open.count; i++) {
        uint32_t op = s->open.at[i];
        if (!s->ops.at[op].done && !s->ops.at[op].changes && is_allowed(s, op))
            put(s, op);
    }
}

static uint32_t *goal_at(Sums *s, uint64_t goal)
{
    size_t i = hash_mix(goal) % TABLE;
    while (s->table[i] != NONE && s->ops.at[s->table[i]].goal != goal)
        i = (i + 1) % TABLE;
    return &s->table[i];
}

/* Adds an operation to goals, steps or parts. */
static void sort_out(Sums *s, uint32_t index, bool later)
{
    const Op *op = &s->ops.at[index];
    size_t k = 0;
    if (op->sees) {
        uint32_t *goal = goal_at(s, op->goal);
        if (*goal == NONE || op->returned < s->ops.at[*goal].returned)
            *goal = index;
        s->goals[s->goal_count++] = index;
    } else if (op->changes && (op->after == NONE || s->ops.at[op->after].done)) {
        while (k < s->step_count &&
               (s->steps[k].change != op->change || s->steps[k].later != later))
            k++;
        if (k == s->step_count)
            s->steps[s->step_count++] = (Step){op->change, index, 0, later, false};
        s->steps[k].count++;
        if (!later && op->returned < s->ops.at[s->steps[k].op].returned)
            s->steps[k].op = index;
    } else if (!later && !op->changes) {
        s->parts[s->part_count++] = index;
    }
}

/* Finds what is open, and what is called next. */
static bool look_around(Sums *s)
{
    s->step_count = s->goal_count = s->part_count = s->sums = 0;
    memset(s->table, 0xff, sizeof s->table);
    if (s->open.count + MOST_LATER > MOST_OPEN)
        return false;
    for (size_t i = 0; i < s->open.count; i++)
        if (!s->ops.at[s->open.at[i]].done)
            sort_out(s, s->open.at[i], false);
    size_t later = 0;
    for (size_t i = s->at; i < s->events.count && later < MOST_LATER; i++) {
        uint32_t op = s->events.at[i] / 2;
        if (s->events.at[i] & 1)
            continue;
        sort_out(s, op, true);
        later++;
    }
    return true;
}

/* Keeps the way that was taken to SUM, of DEPTH steps, LATER of which are still to be called, if an
 * operation saw that and it is the best way of that length. */
static void arrive(Sums *s, uint64_t sum, size_t depth, uint64_t later)
{
    uint32_t goal = *goal_at(s, sum);
    if (goal == NONE || (is_again(s) && !random_below(&s->random, 20)))
        return;
    const Op *op = &s->ops.at[goal];
    uint64_t cost = op->returned + (later << 32);
    for (size_t i = 0; i < depth; i++)
        if (s->ops.at[s->taken[i]].called > op->returned)
            return;
    if (cost < s->cost) {
        s->cost = cost;
        s->way_count = depth;
        memcpy(s->way, s->taken, depth * sizeof *s->way);
    }
}

/* All ways of DEPTH steps, those from FROM on, AT of which are taken. */
static void walk(Sums *s, uint64_t sum, size_t from, uint32_t used, size_t at, size_t depth,
                 uint64_t later)
{
    if (at == depth) {
        arrive(s, sum, depth, later);
        return;
    }
    for (size_t i = from; i < s->step_count && s->sums < MOST_SUMS; i++) {
        uint32_t before = i == from ? used : 0;
        if (before == s->steps[i].count)
            continue;
        s->sums++;
        s->taken[at] = s->steps[i].op;
        walk(s, sum + s->steps[i].change, i, before + 1, at + 1, depth, later + s->steps[i].later);
    }
}

/* Looks for DEPTH more steps that make all of LACK zero. */
static bool close_in(Sums *s, int64_t *lack, size_t at, size_t depth)
{
    size_t lacks = 0, number = 0;
    for (size_t n = s->numbers.count; n-- > 0;)
        if (lack[n]) {
            lacks++;
            number = n;
        }
    if (!lacks) {
        s->way_count = at;
        memcpy(s->way, s->taken, at * sizeof *s->way);
        return true;
    }
    if (lacks > 2 * depth || s->sums++ > s->most_sums)
        return false;
    size_t from = is_again(s) ? random_below(&s->random, s->step_count + 1) : 0;
    for (size_t i = 0; i < s->step_count; i++) {
        Step *step = &s->steps[(i + from) % s->step_count];
        const Amount *end, *first = amounts_of(s, step->op, &end), *a = first;
        while (a < end && (a->number != number || !a->change))
            a++;
        if (a == end || !step->count || s->ops.at[step->op].called > s->until)
            continue;
        for (a = first; a < end; a++)
            lack[a->number] -= step->back ? -a->change : a->change;
        step->count--;
        s->taken[at] = step->op;
        bool found = close_in(s, lack, at + 1, depth - 1);
        step->count++;
        for (a = first; a < end; a++)
            lack[a->number] += step->back ? -a->change : a->change;
        if (found)
            return true;
    }
    return false;
}

static size_t count_lacks(const Sums *s, const int64_t *lack)
{
    size_t lacks = 0;
    for (size_t n = 0; n < s->numbers.count; n++)
        lacks += lack[n] != 0;
    return lacks;
}

/* Fills LACK with what the numbers lack of what OP saw. */
static void find_lack(const Sums *s, uint32_t op, int64_t *lack)
{
    const Amount *end;
    for (size_t n = 0; n < s->numbers.count; n++)
        lack[n] = -s->numbers.at[n];
    for (const Amount *a = amounts_of(s, op, &end); a < end; a++)
        lack[a->number] += a->least;
}

/* Looks for a way of DEPTH steps by what several numbers lack. */
static bool walk_back(Sums *s, size_t depth, bool heavy)
{
    int64_t lack[MOST_NUMBERS];
    for (size_t g = 0; g < s->goal_count && s->sums <= s->most_sums; g++) {
        const Op *goal = &s->ops.at[s->goals[g]];
        if (goal->goal == s->sum || (heavy && !goal->weight))
            continue;
        find_lack(s, s->goals[g], lack);
        s->until = s->ops.at[s->goals[g]].returned;
        if (close_in(s, lack, 0, depth))
            return true;
    }
    return false;
}

/* Finds a way of as few steps as possible. */
static bool find_way(Sums *s)
{
    int64_t lack[MOST_NUMBERS];
    bool far = s->numbers.count <= MOST_NUMBERS;
    bool heavy = far && s->at <= s->deepest && random_below(&s->random, 2);
    s->most_sums = MOST_SUMS;
    for (size_t depth = 1; heavy && depth <= MOST_WAY; depth++)
        if (walk_back(s, depth, true))
            return true;
    s->sums = 0;
    s->cost = UINT64_MAX;
    for (size_t depth = 1; depth <= PAIR && s->cost == UINT64_MAX; depth++)
        walk(s, s->sum, 0, 0, 0, depth, 0);
    if (s->cost != UINT64_MAX)
        return true;
    s->sums = 0;
    for (size_t depth = PAIR + 1; far && depth <= MOST_WAY; depth++)
        if (walk_back(s, depth, false))
            return true;
    /* what has to return can only be reached by what is open now */
    s->sums = 0;
    s->most_sums = CAUSE_SUMS;
    s->until = s->at;
    for (size_t depth = MOST_WAY + 1; far && depth <= MOST_FAR; depth++) {
        if (!s->ops.at[s->forced].sees)
            return false;
        find_lack(s, s->forced, lack);
        if (close_in(s, lack, 0, depth))
            return true;
    }
    return false;
}

/* Tries the orders of the way; keeps the first step of the one in which most operations see what
 * they saw. */
static void arrange(Sums *s, size_t at, uint64_t hits)
{
    hits += is_again(s) ? random_below(&s->random, 3) : 0;
    if (at == s->way_count && (s->first == NONE || hits > s->hits)) {
        s->first = s->ordered[0];
        s->hits = hits;
    }
    for (size_t i = 0; i < s->way_count; i++) {
        uint32_t op = s->way[i];
        if (op == NONE || !is_allowed(s, op))
            continue;
        move(s, op, 1);
        uint64_t more = 0;
        for (size_t k = 0; k < s->part_count; k++)
            if (is_allowed(s, s->parts[k]))
                more += s->parts[k] == s->forced ? 1000u : 1u + 20u * s->ops.at[s->parts[k]].weight;
        s->ordered[at] = op;
        s->way[i] = NONE;
        arrange(s, at + 1, hits + more);
        s->way[i] = op;
        move(s, op, -1);
    }
}

/* Looks for DEPTH open steps after which OP is allowed; the first one of them is taken. */
static bool reach(Sums *s, uint32_t op, size_t depth)
{
    if (is_allowed(s, op))
        return true;
    size_t from = s->step_count ? random_below(&s->random, s->step_count) : 0;
    for (size_t i = 0; i < s->step_count && depth; i++) {
        Step *step = &s->steps[(from + i) % s->step_count];
        if (step->later || !step->count || !is_allowed(s, step->op))
            continue;
        step->count--;
        move(s, step->op, 1);
        bool found = reach(s, op, depth - 1);
        move(s, step->op, -1);
        step->count++;
        if (found) {
            s->first = step->op;
            return true;
        }
    }
    return false;
}

/* The operation to be put into the order next, so that the forced one can be; NONE if there is no
 * way. */
static uint32_t choose(Sums *s)
{
    s->first = NONE;
    if (!look_around(s))
        return NONE;
    /* what failed before may have gone further than it had to */
    bool again = s->at <= s->deepest && s->deepest;
    bool lazy = is_again(s) && !random_below(&s->random, 20);
    uint32_t heavy = s->part_count ? s->parts[random_below(&s->random, s->part_count)] : NONE;
    for (size_t i = 0; i < s->part_count; i++)
        if (s->ops.at[s->parts[i]].weight > s->ops.at[heavy].weight)
            heavy = s->parts[i];
    if (again && heavy != NONE && s->ops.at[heavy].weight && random_below(&s->random, 2))
        for (size_t depth = 1; depth <= MOST_REACH; depth++)
            if (reach(s, heavy, depth))
                return s->first;
    if (!lazy && find_way(s)) {
        size_t now = 0;
        for (size_t i = 0; i < s->way_count; i++) /* what is still to be called comes later */
            if (s->ops.at[s->way[i]].called < s->at)
                s->way[now++] = s->way[i];
        s->way_count = now;
        if (now > MOST_WAY)
            s->first = s->way[0];
        else if (now)
            arrange(s, 0, 0);
    }
    if (s->first == NONE && s->ops.at[s->forced].changes && is_allowed(s, s->forced))
        return s->forced;
    for (size_t depth = 1; s->first == NONE && depth <= MOST_REACH; depth++)
        reach(s, s->forced, depth);
    return s->first;
}

static bool satisfy(Sums *s, uint32_t op)
{
    s->forced = op;
    while (!s->ops.at[op].done) {
        uint32_t next = choose(s);
        if (next == NONE || s->ops.at[next].done || !is_allowed(s, next))
            return false;
        put(s, next);
        settle(s);
    }
    return true;
}

static void open_remove(Sums *s, uint32_t op)
{
    size_t i = 0;
    while (s->open.at[i] != op)
        i++;
    s->open.at[i] = s->open.at[--s->open.count];
}

/* Back to before event TO. */
static void go_back(Sums *s, uint32_t to)
{
    while (s->trail.count && vec_last(&s->trail).event >= to) {
        uint32_t op = vec_pop(&s->trail).op;
        s->ops.at[op].done = false;
        move(s, op, -1);
    }
    while (s->at > to) {
        uint32_t event = s->events.at[--s->at];
        if (event & 1)
            vec_push(&s->open, event / 2);
        else
            open_remove(s, event / 2);
    }
}

/* The event since the call of OP at which the numbers were most like what it saw. */
static uint32_t find_nearest(Sums *s, uint32_t op)
{
    int64_t lack[MOST_NUMBERS];
    find_lack(s, op, lack);
    size_t best = count_lacks(s, lack);
    uint32_t at = s->at;
    for (size_t i = s->trail.count; i-- > 0 && s->trail.at[i].event > s->ops.at[op].called;) {
        const Amount *end;
        for (const Amount *a = amounts_of(s, s->trail.at[i].op, &end); a < end; a++)
            lack[a->number] += a->change;
        size_t lacks = count_lacks(s, lack);
        if (lacks < best) {
            best = lacks;
            at = s->trail.at[i].event;
        }
    }
    return at;
}

/* Adds the changes in the order, which OP may have come before. */
static void add_back(Sums *s, uint32_t op)
{
    for (size_t i = s->trail.count; i-- > 0 && s->step_count < MOST_OPEN;) {
        const Op *other = &s->ops.at[s->trail.at[i].op];
        if (s->trail.count - i > 4 * MOST_LATER)
            break;
        if (other->changes && !other->sees && other->returned > s->ops.at[op].called)
            s->steps[s->step_count++] = (Step){0, s->trail.at[i].op, 1, false, true};
    }
}

/* Those on the way that are in the order must come after OP. Returns the event of the first of
 * them. */
static uint32_t set_back(Sums *s, uint32_t op)
{
    uint32_t to = NONE;
    for (size_t i = s->trail.count; i-- > 0 && s->trail.count - i <= 4 * MOST_LATER;)
        for (size_t k = 0; k < s->way_count; k++)
            if (s->way[k] == s->trail.at[i].op) {
                to = s->trail.at[i].event;
                s->ops.at[s->way[k]].after = op;
            }
    return to;
}

/* OP saw something else: looks for changes in the order that must come after it, and others that
 * must come before it. Returns the event to go back to, or NONE. */
static uint32_t find_cause(Sums *s, uint32_t op)
{
    uint32_t to = NONE;
    int64_t lack[MOST_NUMBERS];
    bool again = s->ops.at[op].weight > 2;
    if (again && random_below(&s->random, 2))
        return NONE;
    for (size_t i = 0; again && i < s->open.count; i++) /* what was found before may be wrong */
        if (!s->ops.at[s->open.at[i]].done)
            s->ops.at[s->open.at[i]].after = NONE;
    if (s->numbers.count > MOST_NUMBERS || !s->ops.at[op].sees)
        return NONE;
    go_back(s, find_nearest(s, op));
    if (!look_around(s))
        return NONE;
    add_back(s, op);
    s->until = s->at;
    s->most_sums = CAUSE_SUMS;
    for (size_t depth = 1; depth <= MOST_CAUSE && to == NONE; depth++) {
        find_lack(s, op, lack);
        s->sums = 0;
        if (close_in(s, lack, 0, depth))
            to = set_back(s, op);
    }
    return to;
}

/* Forgets what was learnt since event TO, and goes back there. */
static void begin_again(Sums *s, uint32_t to)
{
    for (uint32_t e = to; e <= s->deepest; e++) {
        Op *op = &s->ops.at[s->events.at[e] / 2];
        op->weight = 0;
        op->after = NONE;
    }
    go_back(s, to);
}

/* OP has to return and can't be put into the order: goes back. */
static void learn(Sums *s, uint32_t index)
{
    Op *op = &s->ops.at[index];
    op->weight = (uint8_t)MIN(op->weight + 1, 255);
    if (s->failures % STUCK == 0) {
        uint64_t back = random_below(&s->random, STUCK_BACK * (s->failures / STUCK));
        begin_again(s, s->at > back ? s->at - (uint32_t)back : 0);
        return;
    }
    uint32_t cause = find_cause(s, index);
    uint64_t back = random_below(&s->random, BACK * (uint64_t)op->weight);
    if (cause == NONE)
        cause = op->called > back ? op->called - (uint32_t)back : 0;
    go_back(s, cause);
}

static bool run(Sums *s, const LinearizeLimits *limits)
{
    s->failures = 0;
    for (s->at = 0; s->at < s->events.count;) {
        uint32_t event = s->events.at[s->at], index = event / 2;
        bool chooses = event & 1 && !s->ops.at[index].done;
        if ((chooses || s->at % 1024 == 0) && linearize_end_wanted(limits))
            return false;
        if (!(event & 1)) {
            vec_push(&s->open, index);
            s->at++;
            settle(s);
        } else if (satisfy(s, index)) {
            open_remove(s, index);
            s->at++;
        } else {
            if (s->at > s->deepest)
                s->failures = 0;
            s->deepest = MAX(s->deepest, s->at);
            if (++s->failures > MOST_FAILURES || linearize_end_wanted(limits))
                return false;
            learn(s, index);
        }
    }
    return true;
}

const uint32_t *sums_order(Sums **sums, const Plan *plan, const PlanGroup *group,
                           const LinearizeLimits *limits, uint32_t *count)
{
    if (!plan->spec->amounts || plan->history->before || plan->history->stuck ||
        (limits->memory && (size_t)group->count * BYTES_AN_OPERATION > limits->memory))
        return NULL;
    if (!*sums && !(*sums = calloc(1, sizeof **sums)))
        die("out of memory");
    Sums *s = *sums;
    if (!amounts_find(&s->amounts, plan, group) || !load_ops(s, group))
        return NULL;
    load_events(s, plan, group);
    vec_clear(&s->open);
    vec_clear(&s->trail);
    vec_clear(&s->order);
    s->deepest = 0;
    s->random = (Random){1};
    if (!run(s, limits))
        return NULL;
    for (size_t i = 0; i < s->trail.count; i++)
        vec_push(&s->order, s->trail.at[i].op);
    *count = (uint32_t)s->order.count;
    return s->order.at;
}
