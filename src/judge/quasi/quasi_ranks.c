/* A history of a queue whose puts and takes are both relaxed is decided by ranks (ranks.h) where it
 * can be: the search of quasi.c is left for what is uncertain, and for dead ends to be shown. */
#include "judge/quasi/quasi_internal.h"
#include "judge/quasi/ranks.h"

#define MOST_STATES 1000000u

static bool applies(const Quasi *q)
{
    bool puts_and_takes = q->turns_known && q->exchangeable &&
                          q->model->shape == SPEC_SHAPE_QUEUE && q->put_class != RELAX_NO_CLASS &&
                          q->take_class != RELAX_NO_CLASS && q->put_class != q->take_class;
    for (uint32_t i = 0; i < q->ops.count && puts_and_takes; i++)
        puts_and_takes =
            q->ops.at[i].class == (q->ops.at[i].move.puts ? q->put_class : q->take_class);
    return puts_and_takes;
}

void quasi_ranks_start(Quasi *q)
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
    RanksProblem problem = {.ops = ops.at,
                            .count = q->problem->count,
                            .put_factor = q->classes->factor[q->put_class],
                            .take_factor = q->classes->factor[q->take_class],
                            .semantics = q->classes->semantics};
    q->decided = ranks_decide(&problem, MOST_STATES, &q->ranked, &q->order);
    if (q->decided == VERDICT_VIOLATED && q->contradiction == LINEARIZE_NONE)
        quasi_note_contradiction(q, 0, LINEARIZE_NONE);
    vec_free(&ops);
}
