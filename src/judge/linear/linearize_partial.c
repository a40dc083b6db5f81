/* General partial orders: a configuration is the set of operations in the order, which is closed
 * under predecessors, and the state of the specification. An operation may come next if all its
 * predecessors are in. The reductions are those of linearize.c; reads move as early as their
 * predecessors and the state allow by the same argument. For pending operations of one label to be
 * exchangeable their predecessors must be ordered by inclusion, so there only equal sets count. */
#include "judge/linear/linearize_internal.h"
#include <string.h>

/* fixed: optional, required, then the rows of `before` are used in place. */
static inline bool within(const uint64_t *row, const uint64_t *mask, size_t words)
{
    for (size_t w = 0; w < words; w++)
        if (row[w] & ~mask[w])
            return false;
    return true;
}

static void prepare(Linearizer *z, const LinearizeProblem *problem, size_t words)
{
    vec_reserve(&z->fixed, words * 2);
    memset(z->fixed.at, 0, words * 2 * sizeof *z->fixed.at);
    z->optional = z->fixed.at;
    z->open = z->fixed.at + words; /* here: all operations that must be in the order */
    vec_reserve(&z->twins, problem->count + 1);
    for (uint32_t i = 0; i < problem->count; i++) {
        uint64_t here = (uint64_t)1 << (i % 64);
        z->twins.at[i] = LINEARIZE_NONE;
        if (problem->ops[i].returned != LINEARIZE_PENDING) {
            z->open[i / 64] |= here;
            continue;
        }
        z->optional[i / 64] |= here;
        for (uint32_t j = i; j-- > 0;)
            if (problem->ops[j].returned == LINEARIZE_PENDING &&
                problem->ops[j].label == problem->ops[i].label &&
                !memcmp(problem->before + i * words, problem->before + j * words,
                        words * sizeof(uint64_t))) {
                z->twins.at[i] = j;
                break;
            }
    }
}

static inline void settle(Linearizer *z, const LinearizeProblem *problem, uint64_t *mask,
                          uint32_t state, size_t words)
{
    bool again = true;
    while (again) {
        again = false;
        for (size_t w = 0; w < words; w++)
            for (uint64_t left = z->open[w] & ~mask[w]; left; left &= left - 1) {
                uint32_t op = (uint32_t)(w * 64) + (uint32_t)__builtin_ctzll(left);
                if (!automaton_reads_only(problem->automaton, problem->ops[op].label) ||
                    !within(problem->before + op * words, mask, words))
                    continue;
                size_t count;
                automaton_step(problem->automaton, state, problem->ops[op].label, &count);
                if (count) {
                    mask[w] |= (uint64_t)1 << (op % 64);
                    vec_push(&z->order, op);
                    again = true;
                }
            }
    }
}

static inline bool enter(Linearizer *z, const LinearizeProblem *problem, uint32_t state,
                         size_t words)
{
    uint64_t *mask = z->masks.at + z->frames.count * words * 2;
    settle(z, problem, mask, state, words);
    uint32_t placed = 0;
    bool all = true;
    for (size_t w = 0; w < words; w++) {
        placed += (uint32_t)__builtin_popcountll(mask[w] & z->open[w]);
        all = all && !(z->open[w] & ~mask[w]);
    }
    if (all && linearize_ends_well(problem, state))
        return true;
    if (placed > z->deepest)
        z->deepest = placed;
    else if (placed == z->deepest && z->ends_wanted)
        linearize_keep_dead_end(z, state);
    if (memo_visit(&z->memo, 0, state, mask, z->optional))
        return false;
    z->configurations++;
    uint64_t *left = mask + words;
    for (size_t w = 0; w < words; w++)
        left[w] = (z->open[w] | z->optional[w]) & ~mask[w];
    LinearizeFrame frame = {
        .state = state, .order = (uint32_t)z->order.count, .op = LINEARIZE_NONE};
    vec_push(&z->frames, frame);
    vec_reserve(&z->masks, (z->frames.count + 1) * words * 2);
    return false;
}

static inline uint32_t next_candidate(Linearizer *z, const LinearizeProblem *problem,
                                      uint64_t *left, const uint64_t *mask, size_t words)
{
    for (int optional = 0; optional < 2; optional++)
        for (size_t w = 0; w < words; w++) {
            uint64_t choice = left[w] & (optional ? z->optional[w] : z->open[w]);
            for (; choice; choice &= choice - 1) {
                uint32_t op = (uint32_t)(w * 64) + (uint32_t)__builtin_ctzll(choice);
                left[w] &= ~((uint64_t)1 << (op % 64));
                uint32_t twin = z->twins.at[op];
                if ((twin != LINEARIZE_NONE && !(mask[twin / 64] >> (twin % 64) & 1)) ||
                    automaton_reads_only(problem->automaton, problem->ops[op].label) ||
                    !within(problem->before + op * words, mask, words))
                    continue;
                return op;
            }
        }
    return LINEARIZE_NONE;
}

static inline Verdict search(Linearizer *z, const LinearizeProblem *problem,
                             const LinearizeLimits *limits, size_t words)
{
    vec_reserve(&z->masks, words * 4);
    memset(z->masks.at, 0, words * sizeof *z->masks.at);
    if (enter(z, problem, automaton_initial(problem->automaton), words))
        return VERDICT_HOLDS;
    while (z->frames.count) {
        LinearizeFrame *frame = &vec_last(&z->frames);
        uint64_t *mask = z->masks.at + (z->frames.count - 1) * words * 2, *left = mask + words;
        z->order.count = frame->order;
        if (frame->op == LINEARIZE_NONE) {
            frame->op = next_candidate(z, problem, left, mask, words);
            frame->successor = 0;
            if (frame->op == LINEARIZE_NONE) {
                z->frames.count--;
                continue;
            }
        }
        size_t count;
        uint32_t op = frame->op;
        const uint32_t *next =
            automaton_step(problem->automaton, frame->state, problem->ops[op].label, &count);
        if (frame->successor >= count) {
            frame->op = LINEARIZE_NONE;
            continue;
        }
        uint32_t state = next[frame->successor++];
        if (state == frame->state && problem->ops[op].returned == LINEARIZE_PENDING)
            continue;
        memcpy(mask + words * 2, mask, words * sizeof *mask);
        mask[words * 2 + op / 64] |= (uint64_t)1 << (op % 64);
        vec_push(&z->order, op);
        if (enter(z, problem, state, words))
            return VERDICT_HOLDS;
        if (linearize_over_limit(z, problem, limits))
            return VERDICT_INCONCLUSIVE;
    }
    return VERDICT_VIOLATED;
}

LinearizeResult linearize_partial(Linearizer *z, const LinearizeProblem *problem,
                                  const LinearizeLimits *limits)
{
    z->words = MAX(1u, history_row_words(problem->count));
    prepare(z, problem, z->words);
    memo_start(&z->memo, z->words);
    Verdict verdict =
        z->words == 1 ? search(z, problem, limits, 1) : search(z, problem, limits, z->words);
    return (LinearizeResult){.verdict = verdict,
                             .reason = z->reason,
                             .configurations = z->configurations,
                             .order = z->order.at,
                             .order_count = (uint32_t)z->order.count,
                             .blocked = LINEARIZE_NONE,
                             .settled = verdict == VERDICT_HOLDS ? 0 : z->deepest};
}
