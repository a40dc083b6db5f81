/* Proof. Let p be a serial order, p' the run of the queue that allows it: p' has the puts of p,
 * permuted, in their places, and its takes, permuted, in theirs, none displaced by more than K of
 * its class (K = 0: in the same place). Say that a comes before b, a < b, if in both pairs of
 * operations, puts and takes, a is called and returns before b does (an element that is not taken
 * counts as taken after everything; for kooo, p may be continued by its take). The operations that
 * precede a's put in real time precede b's too, and those that b's put precedes are preceded by
 * a's: so if p has b's put first, the two can be exchanged in p without harm to real time. The same
 * goes for takes.
 *
 * p' puts and takes a and b in one order, since it is a queue. If that is b first, rename the two
 * in p', in which nobody sees the difference (a take that finds nothing does not see which elements
 * there are). Then, where p puts b first, exchange the two puts in p; where it takes b first, the
 * two takes. Now a is first in all four. Where p and p' had agreed, both were exchanged, or none
 * was; where they had not, one was, and the two are no longer crossed: no displacement has got
 * larger than the larger of the two was. And p is causal: of the two puts at places i < j and the
 * two takes at k < l, either i came before k and j before l, as it is now, or i before l and j
 * before k, and then i < j < k < l.
 *
 * All pairs at once: `<` is a partial order. Count the pairs a < b whose puts, or takes, stand in
 * the other order, in p and in p'. Exchanging a and b where b stands first puts the pair right; for
 * c between the two, c < b or a < c were wrong before wherever b < c or c < a are wrong after (b <
 * c implies a < c; c < a implies c < b). So the count goes down, and at the end no pair is wrong.
 */
#include "judge/linear/turns.h"
#include "judge/quasi/relax.h"

#define MOST_PAIRS 64u /* a member: facts are a help, not a duty */

static SpecRole role_of(const Spec *inner, const Plan *plan, uint32_t operation, SpecCall *call,
                        Value *value)
{
    plan_call(plan, operation, call);
    return inner->role(inner, call, value);
}

/* Are all puts in one class, or all in their places; and so all takes? SEEN: of the two, -2 if none
 * was seen, -1 for those in their places. */
static bool classes_fit(const Spec *spec, SpecRole role, uint16_t method, int seen[2])
{
    const RelaxClasses *classes = relax_classes(spec);
    if (!classes)
        return true;
    uint8_t class = relax_class_of(spec, method);
    int found = class == RELAX_NO_CLASS || classes->factor[class] == 0 ? -1 : class;
    int *known = &seen[role == SPEC_ROLE_PUT];
    if (*known == -2)
        *known = found;
    return *known == found;
}

/* Fills put and take, by element; LINEARIZE_NONE: not taken. */
static bool find_elements(Turns *turns, const Plan *plan, const PlanGroup *group)
{
    const RelaxClasses *classes = relax_classes(plan->spec);
    const Spec *inner = classes ? classes->inner : plan->spec;
    const uint32_t *members = vec_from(&plan->members, group->first);
    int seen[2] = {-2, -2};
    if (inner->shape != SPEC_SHAPE_QUEUE || !inner->role || plan->history->before ||
        plan->history->stuck || (classes && classes->semantics == RELAX_DEF4))
        return false;
    hashmap_clear(&turns->elements);
    vec_clear(&turns->put);
    vec_clear(&turns->take);
    for (int takes = 0; takes < 2; takes++)
        for (uint32_t i = 0; i < group->count; i++) {
            SpecCall call;
            Value value;
            SpecRole role = role_of(inner, plan, members[i], &call, &value);
            bool absent;
            if (plan->history->operations.at[members[i]].returned == HISTORY_PENDING ||
                role == SPEC_ROLE_OTHER || role == SPEC_ROLE_APPEND ||
                !classes_fit(plan->spec, role, call.method, seen))
                return false;
            if (role == SPEC_ROLE_EMPTY || (role == SPEC_ROLE_TAKE) != (takes == 1))
                continue;
            uint64_t *element = hashmap_put(&turns->elements, value.word, &absent);
            if (!takes) {
                if (!absent)
                    return false;
                *element = turns->put.count;
                vec_push(&turns->put, i);
                vec_push(&turns->take, LINEARIZE_NONE);
            } else if (absent || turns->take.at[*element] != LINEARIZE_NONE) {
                return false; /* the search will say so */
            } else {
                turns->take.at[*element] = i;
            }
        }
    return true;
}

static bool no_later(const LinearizeOp *ops, uint32_t x, uint32_t y)
{
    if (y == LINEARIZE_NONE)
        return true;
    return x != LINEARIZE_NONE && ops[x].called <= ops[y].called &&
           ops[x].returned <= ops[y].returned;
}

bool turns_find(Turns *turns, const Plan *plan, const PlanGroup *group, const LinearizeOp *ops)
{
    if (!find_elements(turns, plan, group))
        return false;
    vec_clear(&turns->first);
    vec_clear(&turns->earlier);
    vec_reserve(&turns->element_of, group->count + 1);
    uint32_t *element_of = turns->element_of.at; /* by member */
    for (uint32_t i = 0; i < group->count; i++)
        element_of[i] = LINEARIZE_NONE;
    for (uint32_t e = 0; e < turns->put.count; e++) {
        element_of[turns->put.at[e]] = e;
        if (turns->take.at[e] != LINEARIZE_NONE)
            element_of[turns->take.at[e]] = e;
    }
    for (uint32_t x = 0; x < group->count; x++) {
        vec_push(&turns->first, (uint32_t)turns->earlier.count);
        uint32_t b = element_of[x];
        if (b == LINEARIZE_NONE)
            continue;
        bool puts = turns->put.at[b] == x;
        /* members stand in the order of their calls: earlier ones that overlap are close by */
        for (uint32_t back = 1; back <= MIN(x, MOST_PAIRS); back++) {
            uint32_t y = x - back, a = element_of[y];
            if (a == LINEARIZE_NONE || ops[y].returned < ops[x].called ||
                (turns->put.at[a] == y) != puts ||
                !no_later(ops, turns->put.at[a], turns->put.at[b]) ||
                !no_later(ops, turns->take.at[a], turns->take.at[b]))
                continue;
            vec_push(&turns->earlier, y);
        }
    }
    vec_push(&turns->first, (uint32_t)turns->earlier.count);
    return true;
}

void turns_free(Turns *turns)
{
    hashmap_free(&turns->elements);
    vec_free(&turns->first);
    vec_free(&turns->earlier);
    vec_free(&turns->put);
    vec_free(&turns->take);
    vec_free(&turns->element_of);
}
