/* Interval orders. Events (calls and returns) are walked in their order; a configuration is the
 * next return that no choice was made for, the state of the specification, and which of the
 * operations that are open there have been linearized. An operation is linearized just in time:
 * when some open operation has to return and is not in the order yet, one of the open ones is put
 * into it.
 *
 * Complete: in any linearization, let each operation move to just before the first return at
 * which it, or one that stands behind it in the order, has to be there; the order stays the same
 * and every point stays inside its interval. So only sequences of open operations that end with
 * the returning one need be tried at each return, and this is what the search enumerates.
 *
 * Reductions, each exact:
 *
 * - Open operations are numbered by slots that are reused after a return, so a mask has as many
 *   bits as operations overlap, not as many as there are: one word up to 64 of them, whatever the
 *   length.
 *
 * - An operation whose label never changes the state (a read, a failed compare-and-set) is
 *   linearized as soon as it is open and the state allows it, and never else. In a linearization
 *   that has it later, moving it here leaves every state as it was.
 *
 * - A pending operation that would leave the state as it is, is not taken; and of pending
 *   operations with the same label the first called goes first (both stay open for ever, so they
 *   can be exchanged). A pending operation that only reads is left out.
 *
 * - Of completed operations with the same label that are open together, the one that returns first
 *   goes first: both are open here and until the first return, so they can be exchanged. So
 *   increments of a counter, or operations on a lock, are tried once, not once for each subset.
 *
 * - Facts about direct succession (chain.h) leave out what contradicts them. They are only given
 *   where the state tells which operation changed each cell last, so the memo need not know it.
 *
 * - Operations that can go first without loss (turns.h) do, and those that must (deque.h).
 *
 * - The memo (memo.h) lets a configuration answer for those that used up more pending operations.
 */
#include "judge/linear/linearize_internal.h"
#include <stdlib.h>
#include <string.h>

Linearizer *linearizer_new(void)
{
    Linearizer *linearizer = calloc(1, sizeof *linearizer);
    if (!linearizer)
        die("out of memory");
    return linearizer;
}

void linearizer_free(Linearizer *z)
{
    if (!z)
        return;
    memo_free(&z->memo);
    vec_free(&z->events);
    vec_free(&z->slots);
    vec_free(&z->slot_ops);
    vec_free(&z->twins);
    vec_free(&z->siblings);
    vec_free(&z->frames);
    vec_free(&z->masks);
    vec_free(&z->fixed);
    vec_free(&z->order);
    vec_free(&z->kept);
    vec_free(&z->ends);
    vec_free(&z->sort);
    vec_free(&z->last);
    vec_free(&z->by_label);
    quasi_free(z->quasi);
    vec_free(&z->steps);
    free(z);
}

size_t linearizer_memory(const Linearizer *z)
{
    return memo_memory(&z->memo) + z->events.capacity * sizeof(uint32_t) * 4 +
           z->frames.capacity * sizeof(LinearizeFrame) + z->masks.capacity * sizeof(uint64_t) +
           (z->quasi ? quasi_memory(z->quasi) : 0);
}

bool linearize_over_limit(Linearizer *z, const LinearizeProblem *problem,
                          const LinearizeLimits *limits)
{
    if (limits->configurations && z->configurations >= limits->configurations) {
        z->reason = "configurations";
        return true;
    }
    if (z->configurations % 1024)
        return false;
    z->reason = linearize_end_wanted(limits);
    if (z->reason)
        return true;
    if (limits->memory) {
        size_t used = linearizer_memory(z) + automaton_memory(problem->automaton) +
                      values_memory(automaton_spec(problem->automaton)->values);
        /* tables double: what is there now may be twice that after the next entry */
        if (used + memo_memory(&z->memo) > limits->memory) {
            z->reason = "memory";
            return true;
        }
    }
    return false;
}

bool linearize_ends_well(const LinearizeProblem *problem, uint32_t state)
{
    if (!automaton_accepts(problem->automaton, state))
        return false;
    return problem->stuck == LINEARIZE_NONE ||
           automaton_waits(problem->automaton, state, problem->stuck);
}

static inline bool bit(const uint64_t *mask, uint32_t slot)
{
    return mask[slot / 64] >> (slot % 64) & 1;
}

static inline void set_bit(uint64_t *mask, uint32_t slot)
{
    mask[slot / 64] |= (uint64_t)1 << (slot % 64);
}

static inline void clear_bit(uint64_t *mask, uint32_t slot)
{
    mask[slot / 64] &= ~((uint64_t)1 << (slot % 64));
}

/* Undoes the walk back to EVENT: which operations are open depends on nothing else. */
static void rewind_to(Linearizer *z, uint32_t event)
{
    while (z->at > event) {
        uint32_t e = z->events.at[--z->at], op = e / 2;
        if (e & 1) {
            set_bit(z->open, z->slots.at[op]);
            z->slot_ops.at[z->slots.at[op]] = op;
        } else {
            clear_bit(z->open, z->slots.at[op]);
        }
    }
}

/* Where the specification is relaxed, states and steps are those of quasi.h; QUASI is NULL where it
 * is not. */
static inline QuasiPlace place_of(const Linearizer *z, const uint64_t *mask, size_t words)
{
    return (QuasiPlace){.at = z->at,
                        .open = z->open,
                        .mask = mask,
                        .words = words,
                        .slots = z->slots.at,
                        .slot_ops = z->slot_ops.at};
}

static inline bool reads_only(const LinearizeProblem *problem, const Quasi *quasi, uint32_t op)
{
    return quasi ? quasi_reads_only(quasi, op)
                 : automaton_reads_only(problem->automaton, problem->ops[op].label);
}

static inline bool allows_read(const LinearizeProblem *problem, Quasi *quasi, uint32_t state,
                               uint32_t op)
{
    if (quasi)
        return quasi_allows_read(quasi, state, op);
    size_t count;
    const uint32_t *next =
        automaton_step(problem->automaton, state, problem->ops[op].label, &count);
    ASSERT(!count || (count == 1 && next[0] == state));
    return count > 0;
}

/* Walks over all that needs no choice: calls, returns of operations in the order already, reads
 * that the state allows. MASK is the configuration's, changed in place. */
static inline void settle(Linearizer *z, const LinearizeProblem *problem, Quasi *quasi,
                          uint64_t *mask, uint32_t state, size_t words)
{
    uint32_t end = (uint32_t)z->events.count;
    for (;;) {
        for (; z->at < end; z->at++) {
            uint32_t e = z->events.at[z->at], op = e / 2, slot = z->slots.at[op];
            if (!(e & 1)) {
                set_bit(z->open, slot);
                z->slot_ops.at[slot] = op;
            } else if (bit(mask, slot)) {
                clear_bit(mask, slot);
                clear_bit(z->open, slot);
            } else {
                break;
            }
        }
        for (size_t w = 0; w < words; w++)
            for (uint64_t left = z->open[w] & ~mask[w] & ~z->optional[w]; left; left &= left - 1) {
                uint32_t slot = (uint32_t)(w * 64) + (uint32_t)__builtin_ctzll(left);
                uint32_t op = z->slot_ops.at[slot];
                if (reads_only(problem, quasi, op) && allows_read(problem, quasi, state, op)) {
                    set_bit(mask, slot);
                    vec_push(&z->order, op);
                }
            }
        if (z->at == end || !bit(mask, z->slots.at[z->events.at[z->at] / 2]))
            return;
    }
}

void linearize_keep_dead_end(Linearizer *z, uint32_t state)
{
    for (size_t i = 0; i < z->ends.count; i++)
        if (z->ends.at[i].state == state)
            return;
    if (z->ends.count >= z->ends_wanted)
        return;
    LinearizeKept end = {state, (uint32_t)z->kept.count, (uint32_t)z->order.count};
    vec_push(&z->ends, end);
    for (size_t i = 0; i < z->order.count; i++)
        vec_push(&z->kept, z->order.at[i]);
}

/* A new configuration: settled, then pushed unless it was visited. True if it ends the search. */
static inline bool enter(Linearizer *z, const LinearizeProblem *problem, Quasi *quasi,
                         uint32_t state, size_t words)
{
    uint64_t *mask = z->masks.at + z->frames.count * words * 2;
    settle(z, problem, quasi, mask, state, words);
    if (z->at == z->events.count && !quasi && linearize_ends_well(problem, state))
        return true;
    QuasiPlace place = place_of(z, mask, words);
    if (z->at > z->deepest)
        z->deepest = z->at;
    else if (z->at == z->deepest && z->ends_wanted)
        linearize_keep_dead_end(z, quasi ? quasi_automaton_state(quasi, &place, state) : state);
    if (memo_visit(&z->memo, z->at, state, mask, z->optional))
        return false;
    if (z->at == z->events.count && quasi && quasi_accepts(quasi, &place, state))
        return true;
    z->configurations++;
    /* Candidates: open, not linearized, able to change the state. Reads were settled. */
    uint64_t *left = mask + words;
    for (size_t w = 0; w < words; w++)
        left[w] = z->open[w] & ~mask[w];
    LinearizeFrame frame = {.event = z->at,
                            .state = state,
                            .order = (uint32_t)z->order.count,
                            .op = LINEARIZE_NONE,
                            .cell = LINEARIZE_NONE,
                            .steps = (uint32_t)z->steps.count,
                            .first = true};
    vec_push(&z->frames, frame);
    vec_reserve(&z->masks, (z->frames.count + 1) * words * 2);
    return false;
}

/* Do the known facts rule out that OP changes its cell next? */
static inline bool out_of_turn(const Linearizer *z, const LinearizeProblem *problem, uint32_t op)
{
    if (!problem->follows)
        return false;
    uint32_t last = z->last.at[problem->cells[op]], before = problem->follows[op];
    uint32_t after = last == LINEARIZE_START ? LINEARIZE_NONE : problem->leads[last];
    return (before != LINEARIZE_NONE && before != last) || (after != LINEARIZE_NONE && after != op);
}

/* Must another operation go first? Those that have returned are in the order; those called later
 * than the present place are only meant where the facts are certain. */
static inline bool others_first(const Linearizer *z, const LinearizeProblem *problem,
                                const uint64_t *mask, uint32_t op)
{
    if (!problem->earlier_first)
        return false;
    uint32_t now = LINEARIZE_PENDING; /* positions after this one are still to come */
    if (problem->earlier_certain && z->at < z->events.count)
        now = problem->ops[z->events.at[z->at] / 2].returned;
    for (uint32_t i = problem->earlier_first[op]; i < problem->earlier_first[op + 1]; i++) {
        uint32_t other = problem->earlier[i], slot = z->slots.at[other];
        if (problem->ops[other].called > now)
            return true;
        if (bit(z->open, slot) && z->slot_ops.at[slot] == other && !bit(mask, slot))
            return true;
    }
    return false;
}

/* Is another operation with the label of OP open that returns earlier, and not in the order? */
static inline bool sibling_first(const Linearizer *z, const LinearizeProblem *problem,
                                 const uint64_t *mask, uint32_t op, size_t words)
{
    if (!z->siblings.at[op])
        return false;
    const LinearizeOp *self = &problem->ops[op];
    for (size_t w = 0; w < words; w++)
        for (uint64_t left = z->open[w] & ~mask[w] & ~z->optional[w]; left; left &= left - 1) {
            const LinearizeOp *other =
                &problem->ops[z->slot_ops.at[w * 64 + (size_t)__builtin_ctzll(left)]];
            if (other->label == self->label && other->returned < self->returned &&
                other->optional == self->optional)
                return true;
        }
    return false;
}

/* The next operation that the top configuration may take, or LINEARIZE_NONE. The one that has to
 * return goes first, then those that will return, then pending ones. */
static inline uint32_t next_candidate(Linearizer *z, const LinearizeProblem *problem,
                                      const Quasi *quasi, LinearizeFrame *frame, uint64_t *left,
                                      const uint64_t *mask, size_t words)
{
    if (frame->first) {
        frame->first = false;
        if (frame->event < z->events.count) {
            uint32_t op = z->events.at[frame->event] / 2;
            clear_bit(left, z->slots.at[op]);
            if (!out_of_turn(z, problem, op) && !others_first(z, problem, mask, op))
                return op;
        }
    }
    for (int optional = 0; optional < 2; optional++)
        for (size_t w = 0; w < words; w++) {
            uint64_t choice = left[w] & (optional ? z->optional[w] : ~z->optional[w]);
            while (choice) {
                uint32_t slot = (uint32_t)(w * 64) + (uint32_t)__builtin_ctzll(choice);
                choice &= choice - 1;
                clear_bit(left, slot);
                uint32_t op = z->slot_ops.at[slot];
                if (optional && z->twins.at[op] != LINEARIZE_NONE && !bit(mask, z->twins.at[op]))
                    continue;
                if (reads_only(problem, quasi, op) || out_of_turn(z, problem, op) ||
                    others_first(z, problem, mask, op) ||
                    (!optional && !quasi && sibling_first(z, problem, mask, op, words)))
                    continue;
                return op;
            }
        }
    return LINEARIZE_NONE;
}

/* The operation that has to return here need not have happened: goes on without it. */
static inline bool skip_optional(Linearizer *z, const LinearizeProblem *problem, Quasi *quasi,
                                 size_t words, bool *ended)
{
    LinearizeFrame *frame = &vec_last(&z->frames);
    if (frame->skipped || frame->event == z->events.count ||
        !problem->ops[z->events.at[frame->event] / 2].optional)
        return false;
    frame->skipped = true;
    uint64_t *mask = z->masks.at + (z->frames.count - 1) * words * 2;
    memcpy(mask + words * 2, mask, words * sizeof *mask);
    clear_bit(z->open, z->slots.at[z->events.at[z->at++] / 2]);
    *ended = enter(z, problem, quasi, frame->state, words);
    return true;
}

/* The steps that the operation of a frame may take from its state. */
static inline const uint32_t *steps_of(Linearizer *z, const LinearizeProblem *problem, Quasi *quasi,
                                       LinearizeFrame *frame, const uint64_t *mask, size_t words,
                                       size_t *count)
{
    if (!quasi)
        return automaton_step(problem->automaton, frame->state, problem->ops[frame->op].label,
                              count);
    if (!frame->successor) {
        QuasiPlace place = place_of(z, mask, words);
        z->steps.count = frame->steps;
        quasi_steps(quasi, &place, frame->state, frame->op, &z->steps);
        frame->step_count = (uint32_t)z->steps.count - frame->steps;
    }
    z->steps.count = frame->steps + frame->step_count;
    *count = frame->step_count;
    return z->steps.at + frame->steps;
}

static inline Verdict search(Linearizer *z, const LinearizeProblem *problem, Quasi *quasi,
                             const LinearizeLimits *limits, size_t words)
{
    vec_reserve(&z->masks, words * 4);
    memset(z->masks.at, 0, words * sizeof *z->masks.at);
    if (enter(z, problem, quasi,
              quasi ? quasi_initial(quasi) : automaton_initial(problem->automaton), words))
        return VERDICT_HOLDS;
    while (z->frames.count) {
        LinearizeFrame *frame = &vec_last(&z->frames);
        uint64_t *mask = z->masks.at + (z->frames.count - 1) * words * 2, *left = mask + words;
        rewind_to(z, frame->event);
        z->order.count = frame->order;
        if (frame->cell != LINEARIZE_NONE) {
            z->last.at[frame->cell] = frame->last;
            frame->cell = LINEARIZE_NONE;
        }
        if (frame->op == LINEARIZE_NONE) {
            frame->op = next_candidate(z, problem, quasi, frame, left, mask, words);
            frame->successor = 0;
            if (frame->op == LINEARIZE_NONE) {
                bool ended = false;
                if (!skip_optional(z, problem, quasi, words, &ended))
                    z->frames.count--;
                if (ended)
                    return VERDICT_HOLDS;
                continue;
            }
        }
        size_t count;
        uint32_t op = frame->op;
        const uint32_t *next = steps_of(z, problem, quasi, frame, mask, words, &count);
        if (frame->successor >= count) {
            frame->op = LINEARIZE_NONE;
            continue;
        }
        uint32_t state = next[frame->successor++];
        if (frame->successor >= count)
            frame->op = LINEARIZE_NONE;
        if (state == frame->state && problem->ops[op].returned == LINEARIZE_PENDING)
            continue;
        memcpy(mask + words * 2, mask, words * sizeof *mask);
        set_bit(mask + words * 2, z->slots.at[op]);
        vec_push(&z->order, op);
        if (problem->follows) {
            frame->cell = problem->cells[op];
            frame->last = z->last.at[frame->cell];
            z->last.at[frame->cell] = op;
        }
        if (enter(z, problem, quasi, state, words))
            return VERDICT_HOLDS;
        if (linearize_over_limit(z, problem, limits))
            return VERDICT_INCONCLUSIVE;
    }
    return VERDICT_VIOLATED;
}

/* SHORTCUTS: may a contradiction that is seen at once be enough? */
static LinearizeResult run(Linearizer *z, const LinearizeProblem *problem,
                           const LinearizeLimits *limits, bool shortcuts)
{
    z->configurations = 0;
    z->reason = NULL;
    z->at_the_latest = false;
    vec_clear(&z->order);
    vec_clear(&z->frames);
    if (problem->before)
        return linearize_partial(z, problem, limits);
    linearize_sort_events(z, problem);
    linearize_assign_slots(z, problem);
    memo_start(&z->memo, z->words);
    vec_clear(&z->last);
    for (uint32_t i = 0; problem->follows && i < problem->cell_count; i++)
        vec_push(&z->last, LINEARIZE_START);
    z->at = 0;
    Verdict verdict;
    if (quasi_applies(problem)) {
        if (!z->quasi)
            z->quasi = quasi_new();
        vec_clear(&z->steps);
        quasi_start(z->quasi, problem, limits, z->events.at, z->events.count);
        const uint32_t *order;
        uint32_t last = quasi_contradiction(z->quasi), count;
        z->at_the_latest = last != LINEARIZE_NONE && shortcuts;
        z->configurations = quasi_ranked(z->quasi);
        if (shortcuts && quasi_order(z->quasi, &order, &count)) {
            verdict = VERDICT_HOLDS;
            for (uint32_t i = 0; i < count; i++)
                vec_push(&z->order, order[i]);
        } else if (z->at_the_latest) {
            verdict = VERDICT_VIOLATED;
            while (z->events.at[z->deepest] != last * 2 + 1)
                z->deepest++;
        } else {
            verdict = search(z, problem, z->quasi, limits, z->words);
        }
    } else { /* one word is the common case: let the compiler see it */
        verdict = z->words == 1 ? search(z, problem, NULL, limits, 1)
                                : search(z, problem, NULL, limits, z->words);
    }
    LinearizeResult result = {.verdict = verdict,
                              .reason = z->reason,
                              .configurations = z->configurations,
                              .order = z->order.at,
                              .order_count = (uint32_t)z->order.count,
                              .blocked = LINEARIZE_NONE};
    result.at_the_latest = z->at_the_latest;
    if (verdict != VERDICT_HOLDS) {
        if (z->deepest < z->events.count)
            result.blocked = z->events.at[z->deepest] / 2;
        for (uint32_t i = 0; i < z->deepest; i++)
            result.settled += z->events.at[i] & 1;
    }
    return result;
}

LinearizeResult linearize(Linearizer *linearizer, const LinearizeProblem *problem,
                          const LinearizeLimits *limits)
{
    linearizer->ends_wanted = 0;
    linearizer->deepest = 0;
    return run(linearizer, problem, limits, true);
}

size_t linearize_dead_ends(Linearizer *linearizer, const LinearizeProblem *problem,
                           const LinearizeLimits *limits, LinearizeResult *result,
                           LinearizeDeadEnd *dead_ends, size_t most)
{
    ASSERT(result->verdict == VERDICT_VIOLATED);
    vec_clear(&linearizer->kept);
    vec_clear(&linearizer->ends);
    if (result->at_the_latest) {
        linearizer->ends_wanted = 0;
        linearizer->deepest = 0;
        *result = run(linearizer, problem, limits, false);
    }
    linearizer->ends_wanted = most; /* deepest stays as the search before left it */
    run(linearizer, problem, limits, false);
    for (size_t i = 0; i < linearizer->ends.count; i++) {
        const LinearizeKept *end = &linearizer->ends.at[i];
        dead_ends[i] = (LinearizeDeadEnd){linearizer->kept.at + end->order, end->count, end->state};
    }
    return linearizer->ends.count;
}
