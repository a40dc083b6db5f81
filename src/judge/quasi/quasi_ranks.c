/* A history whose puts and takes are both relaxed is decided without the contents of the container
 * where it can be: a queue by ranks (ranks.h); a stack or a priority queue by pairs (nesting.h), if
 * these are contradictory without a guess. The search of quasi.c is left for what is uncertain, and
 * for dead ends to be shown. */
#include "judge/quasi/nesting.h"
#include "judge/quasi/quasi_internal.h"
#include "judge/quasi/ranks.h"

#define MOST_STATES 1000000u

static bool applies(const Quasi *q)
{
    bool puts_and_takes = q->turns_known && q->exchangeable && q->put_class != RELAX_NO_CLASS &&
                          q->take_class != RELAX_NO_CLASS && q->put_class != q->take_class;
    for (uint32_t i = 0; i < q->ops.count && puts_and_takes; i++)
        puts_and_takes =
            q->ops.at[i].class == (q->ops.at[i].move.puts ? q->put_class : q->take_class);
    return puts_and_takes;
}

static Verdict decide_by_pairs(Quasi *q, const LinearizeLimits *limits, const RanksOp *ops)
{
    Vec(uint32_t) priority = {0};
    bool is_stack = q->model->shape == SPEC_SHAPE_STACK;
    for (uint32_t e = 0; e < q->elements.count && !is_stack; e++) {
        uint32_t smaller = 0;
        for (uint32_t other = 0; other < q->elements.count; other++)
            smaller += value_compare(q->model->values, q->elements.at[other].value,
                                     q->elements.at[e].value) < 0;
        vec_push(&priority, smaller);
    }
    NestingProblem problem = {.ops = ops,
                              .limits = limits,
                              .count = q->problem->count,
                              .put_factor = q->classes->factor[q->put_class],
                              .take_factor = q->classes->factor[q->take_class],
                              .semantics = q->classes->semantics,
                              .priority = is_stack ? NULL : priority.at};
    Verdict verdict = nesting_decide(&problem, 0, &q->ranked);
    vec_free(&priority);
    return verdict;
}

static Verdict decide_by_ranks(Quasi *q, const LinearizeLimits *limits, const RanksOp *ops)
{
    RanksProblem problem = {.ops = ops,
                            .limits = limits,
                            .count = q->problem->count,
                            .put_factor = q->classes->factor[q->put_class],
                            .take_factor = q->classes->factor[q->take_class],
                            .semantics = q->classes->semantics};
    return ranks_decide(&problem, MOST_STATES, &q->ranked, &q->order);
}

void quasi_ranks_start(Quasi *q, const LinearizeLimits *limits)
{
    if (!applies(q))
        return;
    Vec(RanksOp) ops = {0};
    for (uint32_t i = 0; i < q->ops.count; i++) {
        const QuasiMove *move = &q->ops.at[i].move;
        vec_push(&ops, (RanksOp){.called = q->problem->ops[i].called,
                                 .returned = q->problem->ops[i].returned,
                                 .element = move->finds_nothing ? RANKS_NOTHING : move->element,
                                 .puts = move->puts});
    }
    if (q->model->shape == SPEC_SHAPE_QUEUE)
        q->decided = decide_by_ranks(q, limits, ops.at);
    else
        q->decided = decide_by_pairs(q, limits, ops.at);
    if (q->decided == VERDICT_VIOLATED && q->contradiction == LINEARIZE_NONE)
        quasi_note_contradiction(q, 0, LINEARIZE_NONE);
    vec_free(&ops);
}
