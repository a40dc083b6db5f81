/* The search of def4.c for the interval orders of recorded histories, of any length up to
 * DEF4_LONGEST: it writes a run t that the specification allows, and fills the places of each class
 * as late as possible. How classes interleave is free, so most runs differ only in that; which of
 * them are left out, without loss, where all results are known and all values put are different:
 *
 *  - Pairs. A queue whose puts and takes are in different classes, or in none: only the two orders
 *    matter, of the puts and of the takes, and in any run that is allowed the takes that find
 *    something have the values of the first puts, in their order. So each of these puts may stand
 *    directly before its take, and what is not taken at the end; takes that find nothing stand
 * where they did, between pairs. The same is allowed of a stack or a priority queue if its puts, or
 * its takes, are in no class: then their order is free, and each may be moved to the other. (Taking
 *    an element earlier never stands in another's way; nor does putting it later, but for the order
 *    of the puts.) What is not taken keeps its place among the puts, if they have a class.
 *
 *  - Content. Other stacks and priority queues: what is inside is taken from the top, or the
 *    smallest first, whatever comes between; so its takes must find places in that order
 *    (quasi_doom.c). What is taken after something that is never taken, never is.
 *
 *  - Cells. A register: what overwrites a value comes after all reads of it; and if writes are in
 *    no class, each stands directly before the first of these, those that nobody reads at the end.
 *
 * Among the candidates for a place, one that stands later in t is only tried if it returns earlier
 * than all that stand before it: otherwise, exchanging the two keeps displacements and order, since
 * in an interval order the one that returns earlier has all the successors of the other.
 *
 * In any case what is in no class and never changes the state is written as soon as it can be. */
#include "judge/quasi/def4.h"
#include "base/clock.h"
#include "base/interner.h"
#include "judge/linear/linearize_problem.h"
#include "judge/quasi/nesting.h"
#include "judge/quasi/ranks.h"
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#define WORDS (DEF4_LONGEST / 64)
#define MOST_RANKED 1000000u
#define MOST_GUESSES 3000u

typedef struct Set {
    uint64_t word[WORDS];
} Set;
typedef struct Waiting { /* written, and in no place yet */
    uint16_t place, op;  /* in t */
} Waiting;
typedef struct Node {
    Set written, placed;
    uint32_t state, left; /* operations to write */
    uint32_t written_count[RELAX_CLASSES], placed_count[RELAX_CLASSES];
    uint32_t first_unplaced[RELAX_CLASSES]; /* in by_class */
    uint8_t waiting_count[RELAX_CLASSES];
    Waiting waiting[RELAX_CLASSES][RELAX_LARGEST + 2];
} Node;

typedef enum Rule { RULE_NONE, RULE_PAIRS, RULE_CONTENT, RULE_CELLS } Rule;
typedef struct Op {
    uint32_t label, called, returned;
    uint32_t partner;     /* of a put its take, of a take or a read its put; or LINEARIZE_NONE */
    uint32_t before;      /* operations of its class that return before its call */
    uint32_t first, last; /* places among the takes where it can stand in t */
    SpecRole role;
    Value value;
    uint8_t class;
    bool takes_part, reads_only;
} Op;

typedef struct Long {
    const RelaxClasses *classes;
    const Spec *model;
    Automaton *automaton;
    const LinearizeLimits *limits;
    Op op[DEF4_LONGEST];
    uint16_t by_call[DEF4_LONGEST]; /* operations that take part */
    uint16_t by_class[RELAX_CLASSES][DEF4_LONGEST];
    uint32_t count, part_count;
    uint32_t total[RELAX_CLASSES];
    uint8_t take_class;
    Rule rule;
    uint8_t put_class;
    bool put_with_take, rest_at_end;
    HashMap puts; /* value -> operation + 1 */
    Interner seen;
    Vec(uint64_t) code;
    uint64_t configurations;
    const char *reason;
} Long;

static bool has(const Set *set, uint32_t op)
{
    return set->word[op / 64] >> (op % 64) & 1;
}
static void add(Set *set, uint32_t op)
{
    set->word[op / 64] |= (uint64_t)1 << (op % 64);
}

static void node_copy(const Long *l, Node *to, const Node *from)
{
    memcpy(to, from, offsetof(Node, waiting));
    for (uint32_t c = 0; c < l->classes->count; c++)
        memcpy(to->waiting[c], from->waiting[c], from->waiting_count[c] * sizeof to->waiting[c][0]);
}

static bool visited(Long *l, const Node *node)
{
    vec_clear(&l->code);
    vec_push(&l->code, node->state);
    for (uint32_t w = 0; w <= (l->count - 1) / 64; w++) {
        vec_push(&l->code, node->written.word[w]);
        vec_push(&l->code, node->placed.word[w]);
    }
    for (uint32_t c = 0; c < l->classes->count; c++)
        for (uint32_t i = 0; i < node->waiting_count[c]; i++)
            vec_push(&l->code, (uint64_t)c << 32 | (uint32_t)node->waiting[c][i].place << 16 |
                                   node->waiting[c][i].op);
    size_t known = l->seen.entries.count;
    return interner_number(&l->seen, l->code.at, l->code.count) < known;
}

static bool over_limit(Long *l)
{
    const LinearizeLimits *limits = l->limits;
    if (limits->configurations && l->configurations >= limits->configurations)
        l->reason = "configurations";
    if (l->configurations % 1024 == 0) {
        l->reason = l->reason ? l->reason : linearize_end_wanted(limits);
        if (limits->memory &&
            interner_memory(&l->seen) * 2 + automaton_memory(l->automaton) > limits->memory)
            l->reason = "memory";
    }
    return l->reason != NULL;
}

static bool search(Long *l, const Node *node);
typedef bool Continue(Long *l, const Node *node, uint32_t op);

static bool go_on(Long *l, const Node *node, uint32_t op)
{
    (void)op;
    return search(l, node);
}

/* Operations of OP's class that come before it and are not placed. */
static uint32_t unplaced_before(const Long *l, const Node *node, uint32_t op)
{
    uint32_t c = l->op[op].class, left = 0;
    for (uint32_t rank = node->first_unplaced[c]; rank < l->total[c]; rank++) {
        uint32_t other = l->by_class[c][rank];
        if (l->op[other].called > l->op[op].called)
            break;
        left += l->op[other].returned < l->op[op].called && !has(&node->placed, other);
    }
    return left;
}

/* Fills the places of class C that can wait no longer, in every way; then goes on. */
static bool fill_places(Long *l, const Node *node, uint32_t c, Continue *then, uint32_t op)
{
    uint32_t factor = l->classes->factor[c], place = node->placed_count[c] + 1;
    if (place > l->total[c] || node->written_count[c] < MIN(l->total[c], place + factor))
        return then(l, node, op);
    uint32_t earliest = UINT32_MAX; /* as late as what never returns */
    bool first = true;
    for (uint32_t i = 0; i < node->waiting_count[c]; i++) {
        Waiting one = node->waiting[c][i];
        if (unplaced_before(l, node, one.op))
            continue;
        if (!first && l->op[one.op].returned >= earliest)
            continue; /* exchanging it with the one that stands before it does no harm */
        earliest = l->op[one.op].returned;
        first = false;
        if ((uint32_t)abs((int)one.place - (int)place) > factor)
            continue;
        Node next;
        node_copy(l, &next, node);
        add(&next.placed, one.op);
        next.placed_count[c]++;
        while (next.first_unplaced[c] < l->total[c] &&
               has(&next.placed, l->by_class[c][next.first_unplaced[c]]))
            next.first_unplaced[c]++;
        memmove(&next.waiting[c][i], &next.waiting[c][i + 1],
                (size_t)(node->waiting_count[c] - i - 1) * sizeof one);
        next.waiting_count[c]--;
        if (fill_places(l, &next, c, then, op))
            return true;
    }
    return false;
}

/* Do the takes of what is inside find places, in their order? */
static bool content_fits(const Long *l, const Node *node)
{
    size_t count;
    const uint64_t *content = automaton_state(l->automaton, node->state, &count);
    uint32_t place = node->written_count[l->take_class];
    bool stays = false;
    for (size_t i = 0; i < count; i++) {
        size_t next = l->model->shape == SPEC_SHAPE_STACK ? count - 1 - i : i;
        const uint64_t *put = hashmap_find(&l->puts, content[next]);
        uint32_t take = put ? l->op[*put - 1].partner : LINEARIZE_NONE;
        if (take == LINEARIZE_NONE) {
            stays = true;
            continue;
        }
        place = MAX(place + 1, l->op[take].first);
        if (stays || place > l->op[take].last)
            return false;
    }
    return true;
}

/* Do its predecessors in the class still fit before it, if it is written next? */
static bool comes_in_time(const Long *l, const Node *node, uint32_t op)
{
    uint8_t c = l->op[op].class;
    if (c == RELAX_NO_CLASS)
        return true;
    uint32_t latest = node->written_count[c] + 1 + l->classes->factor[c];
    return l->op[op].before + 1 <= latest &&
           node->placed_count[c] + unplaced_before(l, node, op) + 1 <= latest;
}

/* Writes OP, fills places, then goes on. */
static bool write(Long *l, const Node *node, uint32_t op, Continue *then, uint32_t with)
{
    uint8_t c = l->op[op].class;
    if (!comes_in_time(l, node, op))
        return false;
    size_t count, again;
    automaton_step(l->automaton, node->state, l->op[op].label, &count);
    for (size_t s = 0; s < count; s++) {
        Node next;
        node_copy(l, &next, node);
        next.state = automaton_step(l->automaton, node->state, l->op[op].label, &again)[s];
        add(&next.written, op);
        next.left--;
        if (c != RELAX_NO_CLASS) {
            uint16_t at = (uint16_t)++next.written_count[c];
            next.waiting[c][next.waiting_count[c]++] = (Waiting){at, (uint16_t)op};
        }
        if (l->rule == RULE_CONTENT && !content_fits(l, &next))
            continue;
        if (c == RELAX_NO_CLASS ? then(l, &next, with) : fill_places(l, &next, c, then, with))
            return true;
    }
    return false;
}

static bool write_take(Long *l, const Node *node, uint32_t take)
{
    return write(l, node, take, go_on, 0);
}

/* Cells: may the present value be overwritten? */
static bool all_read(const Long *l, const Node *node)
{
    size_t count;
    const uint64_t *cell = automaton_state(l->automaton, node->state, &count);
    for (uint32_t i = 0; i < l->part_count; i++) {
        const Op *op = &l->op[l->by_call[i]];
        if (op->role == SPEC_ROLE_TAKE && op->value.word == cell[0] &&
            !has(&node->written, l->by_call[i]))
            return false;
    }
    return true;
}

/* Writes OP; if it takes or reads what is to be put directly before it, that first. */
static bool write_with_put(Long *l, const Node *node, uint32_t op)
{
    uint32_t put = l->op[op].partner;
    if (l->op[op].role == SPEC_ROLE_TAKE && l->put_with_take && put != LINEARIZE_NONE &&
        !has(&node->written, put))
        return comes_in_time(l, node, op) && write(l, node, put, write_take, op);
    return write(l, node, op, go_on, 0);
}

/* May this put be tried by itself? */
static bool puts_alone(const Long *l, uint32_t op, bool takes_left)
{
    if (!l->put_with_take)
        return true;
    return l->op[op].partner == LINEARIZE_NONE && !(takes_left && l->rest_at_end);
}

static bool search(Long *l, const Node *node)
{
    if (!node->left) {
        for (uint32_t c = 0; c < l->classes->count; c++)
            if (node->placed_count[c] != l->total[c])
                return false;
        return true;
    }
    if (l->reason || visited(l, node))
        return false;
    l->configurations++;
    if (over_limit(l))
        return false;
    bool takes_left = false;
    for (uint32_t i = 0; i < l->part_count; i++) {
        uint32_t op = l->by_call[i];
        if (has(&node->written, op))
            continue;
        takes_left = takes_left || l->op[op].role != SPEC_ROLE_PUT;
        if (l->op[op].class == RELAX_NO_CLASS && l->op[op].reads_only) {
            size_t count; /* free, and changes nothing: where it can be, it may be */
            automaton_step(l->automaton, node->state, l->op[op].label, &count);
            if (count)
                return write(l, node, op, go_on, 0);
        }
    }
    bool overwrites = l->rule != RULE_CELLS || all_read(l, node);
    for (uint32_t i = 0; i < l->part_count && !l->reason; i++) {
        uint32_t op = l->by_call[i];
        if (has(&node->written, op) || (l->rule != RULE_NONE && l->op[op].role == SPEC_ROLE_PUT &&
                                        !(overwrites && puts_alone(l, op, takes_left))))
            continue;
        if (l->rule == RULE_NONE ? write(l, node, op, go_on, 0) : write_with_put(l, node, op))
            return true;
    }
    return false;
}

/* Finds partners; false if values repeat, results are unknown, or operations do something else. */
static bool find_partners(Long *l)
{
    hashmap_clear(&l->puts);
    l->put_class = l->take_class = RELAX_NO_CLASS;
    bool put_seen = false, take_seen = false, is_register = l->model->shape == SPEC_SHAPE_REGISTER;
    if (!l->model->role ||
        (!is_register && l->model->shape != SPEC_SHAPE_QUEUE &&
         l->model->shape != SPEC_SHAPE_STACK && l->model->shape != SPEC_SHAPE_PRIORITY))
        return false;
    for (int takes = 0; takes < 2; takes++)
        for (uint32_t i = 0; i < l->part_count; i++) {
            Op *op = &l->op[l->by_call[i]];
            const SpecCall *call = automaton_call(l->automaton, op->label);
            if (call->result.word == VALUE_UNKNOWN.word)
                return false;
            op->role = l->model->role(l->model, call, &op->value);
            if (!takes)
                op->partner = LINEARIZE_NONE;
            if (op->role != SPEC_ROLE_PUT && op->role != SPEC_ROLE_TAKE &&
                op->role != SPEC_ROLE_EMPTY)
                return false;
            bool is_put = op->role == SPEC_ROLE_PUT, absent;
            if (is_put == (takes == 1))
                continue;
            uint8_t *class = is_put ? &l->put_class : &l->take_class;
            bool *seen = is_put ? &put_seen : &take_seen;
            if (*seen && *class != op->class)
                return false;
            *class = op->class;
            *seen = true;
            if (op->role == SPEC_ROLE_EMPTY)
                continue;
            if (is_put) {
                uint64_t *put = hashmap_put(&l->puts, op->value.word, &absent);
                if (!absent || (is_register && op->value.word == l->model->start.word))
                    return false;
                *put = l->by_call[i] + 1u;
            } else {
                uint64_t *put = hashmap_find(&l->puts, op->value.word);
                if (!put)
                    continue;
                op->partner = (uint32_t)*put - 1;
                if (!is_register && l->op[op->partner].partner != LINEARIZE_NONE)
                    return false; /* taken twice: no rule is needed to see that */
                l->op[op->partner].partner = l->by_call[i];
            }
        }
    bool free_puts = l->put_class == RELAX_NO_CLASS, free_takes = l->take_class == RELAX_NO_CLASS;
    bool is_queue = l->model->shape == SPEC_SHAPE_QUEUE;
    if (is_register)
        l->rule = RULE_CELLS;
    else if (l->put_class != l->take_class || free_puts)
        l->rule = is_queue || free_puts || free_takes ? RULE_PAIRS : RULE_CONTENT;
    l->put_with_take = l->rule == RULE_PAIRS || (l->rule == RULE_CELLS && free_puts);
    l->rest_at_end = is_queue || free_puts;
    return true;
}

/* Prepares for the operations that take part. */
static void start(Long *l)
{
    l->part_count = 0;
    memset(l->total, 0, sizeof l->total);
    for (uint32_t i = 0; i < l->count; i++)
        if (l->op[i].takes_part)
            l->by_call[l->part_count++] = (uint16_t)i; /* operations stand in the order of calls */
    for (uint32_t i = 0; i < l->part_count; i++) {
        Op *op = &l->op[l->by_call[i]];
        if (op->class != RELAX_NO_CLASS)
            l->by_class[op->class][l->total[op->class]++] = l->by_call[i];
        op->before = 0;
        uint32_t after = 0, all = 0;
        for (uint32_t j = 0; j < l->part_count; j++) {
            const Op *other = &l->op[l->by_call[j]];
            if (other->class != op->class)
                continue;
            all++;
            op->before += other->returned < op->called;
            after += other->called > op->returned;
        }
        uint32_t factor = op->class == RELAX_NO_CLASS ? 0 : l->classes->factor[op->class];
        op->first = op->before + 1 > factor ? op->before + 1 - factor : 1;
        op->last = all - after + factor;
    }
    l->rule = RULE_NONE;
    l->put_with_take = false;
    if (!find_partners(l))
        l->rule = RULE_NONE;
    interner_clear(&l->seen);
}

/* Lists the operations that take part; an element is the index of its put. Returns false if
 * something is taken that was never put. */
static bool list_ops(const Long *l, RanksOp *ops)
{
    for (uint32_t i = 0; i < l->part_count; i++) {
        const Op *op = &l->op[l->by_call[i]];
        bool puts = op->role == SPEC_ROLE_PUT;
        ops[i] = (RanksOp){op->called, op->returned, RANKS_NOTHING, puts};
        if (op->role == SPEC_ROLE_TAKE && op->partner == LINEARIZE_NONE)
            return false;
        for (uint32_t j = 0; j < l->part_count && op->role != SPEC_ROLE_EMPTY; j++)
            if (l->by_call[j] == (puts ? l->by_call[i] : op->partner))
                ops[i].element = j;
    }
    return true;
}

/* Decides a stack or a priority queue by pairs (nesting.h). */
static Verdict decide_by_pairs(Long *l, const RanksOp *ops, uint64_t most)
{
    uint32_t priority[DEF4_LONGEST] = {0};
    bool is_stack = l->model->shape == SPEC_SHAPE_STACK;
    for (uint32_t i = 0; i < l->part_count && !is_stack; i++)
        for (uint32_t j = 0; j < l->part_count; j++)
            priority[i] += ops[i].puts && ops[j].puts &&
                           value_compare(l->model->values, l->op[l->by_call[j]].value,
                                         l->op[l->by_call[i]].value) < 0;
    NestingProblem problem = {.ops = ops,
                              .limits = l->limits,
                              .count = l->part_count,
                              .put_factor = l->classes->factor[l->put_class],
                              .take_factor = l->classes->factor[l->take_class],
                              .semantics = RELAX_DEF4,
                              .priority = is_stack ? NULL : priority};
    return nesting_decide(&problem, most, &l->configurations);
}

/* Decides where puts and takes both have a class, without what is inside: a queue by ranks
 * (ranks.h), others by pairs. */
static Verdict decide_without_content(Long *l)
{
    uint64_t limit = l->limits->configurations;
    bool is_queue = l->model->shape == SPEC_SHAPE_QUEUE;
    if ((l->rule != RULE_PAIRS || !is_queue) && l->rule != RULE_CONTENT)
        return VERDICT_INCONCLUSIVE;
    if (l->put_class == RELAX_NO_CLASS || l->take_class == RELAX_NO_CLASS)
        return VERDICT_INCONCLUSIVE;
    RanksOp ops[DEF4_LONGEST];
    if (!list_ops(l, ops))
        return VERDICT_VIOLATED;
    if (!is_queue)
        return decide_by_pairs(l, ops, limit ? MIN(limit, MOST_GUESSES) : MOST_GUESSES);
    RanksProblem problem = {.ops = ops,
                            .limits = l->limits,
                            .count = l->part_count,
                            .put_factor = l->classes->factor[l->put_class],
                            .take_factor = l->classes->factor[l->take_class],
                            .semantics = RELAX_DEF4};
    return ranks_decide(&problem, limit ? limit : MOST_RANKED, &l->configurations, NULL);
}

LinearizeResult def4_check_long(const Plan *plan, const PlanGroup *group,
                                const LinearizeLimits *limits, uint32_t most_pending)
{
    LinearizeResult result = {
        .verdict = VERDICT_INCONCLUSIVE, .reason = "size", .blocked = LINEARIZE_NONE};
    if (group->count > DEF4_LONGEST)
        return result;
    Long *l = calloc(1, sizeof *l);
    if (!l)
        die("out of memory");
    l->classes = relax_classes(plan->spec);
    l->model = l->classes->inner;
    l->automaton = automaton_new(l->model);
    l->limits = limits;
    l->count = group->count;
    uint32_t pending[64], pending_count = 0;
    for (uint32_t i = 0; i < group->count; i++) {
        uint32_t member = plan->members.at[group->first + i];
        SpecCall call;
        plan_call(plan, member, &call);
        const Operation *operation = &plan->history->operations.at[member];
        bool returned = operation->returned != HISTORY_PENDING;
        l->op[i] = (Op){.label = automaton_label(l->automaton, &call),
                        .called = operation->called,
                        .returned = returned ? operation->returned : LINEARIZE_PENDING,
                        .class = relax_class_of(plan->spec, call.method)};
        l->op[i].reads_only = automaton_reads_only(l->automaton, l->op[i].label);
        if (!returned && pending_count < COUNT_OF(pending))
            pending[pending_count++] = i;
    }
    /* every choice of pending operations that happened, none of them first */
    for (uint64_t happened = 0; pending_count <= most_pending && happened >> pending_count == 0;
         happened++) {
        for (uint32_t i = 0; i < group->count; i++)
            l->op[i].takes_part = l->op[i].returned != LINEARIZE_PENDING;
        for (uint32_t i = 0; i < pending_count; i++)
            l->op[pending[i]].takes_part = happened >> i & 1;
        start(l);
        Node node = {.state = automaton_initial(l->automaton), .left = l->part_count};
        result.reason = NULL;
        result.verdict = decide_without_content(l);
        if (result.verdict == VERDICT_INCONCLUSIVE)
            l->reason = linearize_end_wanted(limits);
        if (result.verdict == VERDICT_INCONCLUSIVE && !l->reason)
            result.verdict = search(l, &node) ? VERDICT_HOLDS : VERDICT_VIOLATED;
        if (l->reason) {
            result.verdict = VERDICT_INCONCLUSIVE;
            result.reason = l->reason;
        }
        if (result.verdict != VERDICT_VIOLATED)
            break;
    }
    result.configurations = l->configurations;
    automaton_free(l->automaton);
    interner_free(&l->seen);
    hashmap_free(&l->puts);
    vec_free(&l->code);
    free(l);
    return result;
}
