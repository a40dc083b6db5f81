/* roundup.h: the method of Round-Up (Zhang, Wang, Yu, Chattopadhyay, Wang: Round-Up: Runtime
 * Verification of Quasi Linearizability for Concurrent Data Structures, IEEE Transactions on
 * Software Engineering; Algorithms 1 and 2), as the paper has it: all sequentializations of a
 * history, of each all K-quasi permutations, each looked up in the specification. The slow twin of
 * relax(spec, Q) with slot semantics, and what bench/roundup.sh measures against.
 *
 * Algorithm 2 as printed does not give the permutations of the paper's own examples. Three
 * corrections, each of them necessary (the counts of Tables III and V come out with all three
 * only): line 36  s.done <- s.done U {ev}   (or backtracking forgets what was tried) line 59  ev !=
 * p.select            (not "ev not in p.done": an event that was tried before is still to come)
 *   line 60  lateness + 1              (not lateness--; the text says "increased by 1")
 * Algorithm 1, lines 17 to 19, takes one of the first two overlapping calls to be the first; with
 * three threads that loses the orders in which the third call is first (the paper's tests have
 * two). Here each call whose invocation stands before the first response may be the first;
 * roundup_sequentializations_printed() is the printed form. */
#ifndef HEDDLE_TESTS_ROUNDUP_H
#define HEDDLE_TESTS_ROUNDUP_H
#include "reference.h"

enum { ROUNDUP_MOST = 24 };
typedef struct RoundupList { /* sequences of COUNT small numbers each */
    int length;
    Vec(int) at;
} RoundupList;

static size_t roundup_count(const RoundupList *list)
{
    return list->length ? list->at.count / (size_t)list->length : 1;
}

static void roundup_add(RoundupList *list, const int *sequence)
{
    for (int i = 0; i < list->length; i++)
        vec_push(&list->at, sequence[i]);
}

/* ---- Algorithm 1: sequentializations ---- */

/* Events of a history: 2 * call, 2 * call + 1 for its response. PRINTED: lines 17 to 19 as printed.
 */
static void roundup_sequentialize(const int *events, int count, bool printed, int *done, int length,
                                  RoundupList *list)
{
    if (!count) {
        roundup_add(list, done);
        return;
    }
    int open = 0; /* invocations before the first response */
    while (open < count && events[open] % 2 == 0)
        open++;
    if (printed)
        open = MIN(open, 2);
    for (int first = 0; first < open; first++) {
        int rest[2 * ROUNDUP_MOST], left = 0, call = events[first] / 2;
        for (int i = 0; i < count; i++)
            if (events[i] / 2 != call)
                rest[left++] = events[i];
        done[length] = call;
        roundup_sequentialize(rest, left, printed, done, length + 1, list);
    }
}

typedef struct RoundupEvent {
    int time, event;
} RoundupEvent;
static int roundup_by_time(const void *a, const void *b)
{
    const RoundupEvent *x = a, *y = b;
    return x->time != y->time ? (x->time < y->time ? -1 : 1) : x->event % 2 - y->event % 2;
}

static RoundupList roundup_sequentializations(const RefOp *ops, int n, bool printed)
{
    RoundupEvent timed[2 * ROUNDUP_MOST];
    int events[2 * ROUNDUP_MOST], done[ROUNDUP_MOST];
    for (int i = 0; i < n; i++) {
        timed[2 * i] = (RoundupEvent){ops[i].called, 2 * i};
        timed[2 * i + 1] = (RoundupEvent){ops[i].returned, 2 * i + 1};
    }
    qsort(timed, 2 * (size_t)n, sizeof *timed, roundup_by_time);
    for (int i = 0; i < 2 * n; i++)
        events[i] = timed[i].event;
    RoundupList list = {.length = n};
    roundup_sequentialize(events, 2 * n, printed, done, 0, &list);
    return list;
}

/* ---- Algorithm 2: K-quasi permutations of 0 .. n-1 ---- */

enum { ROUNDUP_ABSENT = -99 };
typedef struct RoundupState { /* lateness by event; ROUNDUP_ABSENT: not in the set */
    int enabled[ROUNDUP_MOST], newly_enabled[ROUNDUP_MOST];
    bool done[ROUNDUP_MOST];
    int select;
} RoundupState;

static int roundup_pick(const RoundupState *s, int n, int k)
{
    for (int ev = 0; ev < n; ev++) /* must-select event */
        if (s->enabled[ev] == k)
            return s->done[ev] ? -1 : ev;
    for (int ev = 0; ev < n; ev++)
        if (s->enabled[ev] != ROUNDUP_ABSENT && !s->done[ev])
            return ev;
    return -1;
}

static void roundup_first_run(RoundupState *stack, int n, int k)
{
    for (int i = 0; i < n; i++)
        for (int ev = 0; ev < n; ev++) {
            stack[i].enabled[ev] = stack[i].newly_enabled[ev] = ROUNDUP_ABSENT;
            stack[i].done[ev] = ev == i;
        }
    for (int ev = 0; ev < n; ev++) {
        stack[ev].select = ev;
        for (int i = ev, lateness = 0;; i--, lateness--) {
            stack[i].enabled[ev] = lateness;
            if (lateness == -k || i == 0) {
                stack[i].newly_enabled[ev] = lateness;
                break;
            }
        }
    }
}

static void roundup_update(RoundupState *s, const RoundupState *p, int n)
{
    for (int ev = 0; ev < n; ev++) {
        s->enabled[ev] = ROUNDUP_ABSENT;
        if (p->enabled[ev] != ROUNDUP_ABSENT && ev != p->select)
            s->enabled[ev] = p->enabled[ev] + 1;
        if (s->newly_enabled[ev] != ROUNDUP_ABSENT)
            s->enabled[ev] = s->newly_enabled[ev];
    }
}

static RoundupList roundup_permutations(int n, int k)
{
    static RoundupState stack[ROUNDUP_MOST];
    int sequence[ROUNDUP_MOST];
    RoundupList list = {.length = n};
    roundup_first_run(stack, n, k);
    for (int i = 0; i < n; i++)
        sequence[i] = i;
    roundup_add(&list, sequence);
    for (;;) {
        int s = n - 1;
        while (s >= 0 && roundup_pick(&stack[s], n, k) < 0)
            s--;
        if (s < 0)
            return list;
        for (int i = s + 1; i < n; i++)
            memset(stack[i].done, 0, sizeof stack[i].done);
        for (; s < n; s++) {
            int ev = roundup_pick(&stack[s], n, k);
            if (ev < 0)
                break; /* two events are due: no permutation; with the three corrections it does not
                          happen */
            stack[s].select = ev;
            stack[s].done[ev] = true;
            sequence[s] = ev;
            if (s + 1 < n)
                roundup_update(&stack[s + 1], &stack[s], n);
        }
        if (s == n)
            roundup_add(&list, sequence);
    }
}

/* ---- the check ---- */

static bool roundup_legal(int model, const RefOp *ops, const int *sequence, int n)
{
    RefState state = ref_initial(model);
    for (int i = 0; i < n; i++) {
        RefOutcome out[MOST_STATE];
        int count = ref_outcomes(model, &ops[sequence[i]], &state, out), k = 0;
        while (k < count && out[k].result != ops[sequence[i]].result)
            k++;
        if (k == count)
            return false;
        state = out[k].state;
    }
    return true;
}

typedef struct RoundupResult {
    bool holds;
    uint64_t sequentializations, permutations; /* looked at */
} RoundupResult;

/* The operations of class 0 and 1 (CLASS of each) are permuted by at most FACTOR among their own
 * places; others stay. ALL: look at every permutation, as the paper's counts do, even after one was
 * found to be legal. */
UNUSED static RoundupResult roundup_check(int model, const RefOp *ops, int n, const int *class,
                                          const int *factor, bool all)
{
    RoundupResult result = {0};
    RoundupList phi = roundup_sequentializations(ops, n, false);
    int in_class[2] = {0, 0};
    for (int i = 0; i < n; i++)
        if (class[i] >= 0)
            in_class[class[i]]++;
    for (size_t s = 0; s < roundup_count(&phi) && (all || !result.holds); s++) {
        const int *rho = phi.at.at + s * (size_t)n;
        int member[2][ROUNDUP_MOST], count[2] = {0, 0};
        for (int i = 0; i < n; i++)
            if (class[rho[i]] >= 0)
                member[class[rho[i]]][count[class[rho[i]]]++] = rho[i];
        result.sequentializations++;
        RoundupList psi[2]; /* of this sequentialization: made anew, as in line 6 */
        for (int c = 0; c < 2; c++)
            psi[c] = roundup_permutations(in_class[c], factor[c]);
        for (size_t a = 0; a < roundup_count(&psi[0]) && (all || !result.holds); a++)
            for (size_t b = 0; b < roundup_count(&psi[1]) && (all || !result.holds); b++) {
                const int *order[2] = {psi[0].at.at + a * (size_t)in_class[0],
                                       psi[1].at.at + b * (size_t)in_class[1]};
                int next[2] = {0, 0}, permuted[ROUNDUP_MOST];
                for (int i = 0; i < n; i++) {
                    int c = class[rho[i]];
                    permuted[i] = c < 0 ? rho[i] : member[c][order[c][next[c]++]];
                }
                result.permutations++;
                result.holds = roundup_legal(model, ops, permuted, n) || result.holds;
            }
        vec_free(&psi[0].at);
        vec_free(&psi[1].at);
    }
    vec_free(&phi.at);
    return result;
}
#endif
