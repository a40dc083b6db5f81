/* search.c: sets of one access, then of two, then of three. Of a set, the strongest assignment is
 * asked for first: where that is violated, nothing below can hold. The others come by rank (the sum
 * of the strengths), so that everything weaker than an assignment was decided before it: one that
 * is asked for and holds is minimal. A place without which even the strongest program is violated
 * is part of every set. */
#include "tool/cli/repair/search.h"
#include <string.h>
#include "record/operations.h"

bool repair_at_least(unsigned a, unsigned b)
{
    if (a == b || b == ORDER_RELAXED || a == ORDER_SEQ_CST)
        return true;
    if (a == ORDER_ACQ_REL)
        return b != ORDER_SEQ_CST;
    return a == ORDER_ACQUIRE && b == ORDER_CONSUME;
}

static unsigned strength(unsigned order)
{
    static const uint8_t strengths[] = {
        [ORDER_RELAXED] = 0, [ORDER_CONSUME] = 0, [ORDER_ACQUIRE] = 1,
        [ORDER_RELEASE] = 1, [ORDER_ACQ_REL] = 2, [ORDER_SEQ_CST] = 3};
    return strengths[order];
}

void repair_levels(RepairPlace *place, bool reads, bool writes)
{
    static const uint8_t orders[] = {ORDER_ACQUIRE, ORDER_RELEASE, ORDER_ACQ_REL, ORDER_SEQ_CST};
    place->level_count = 0;
    for (size_t i = 0; i < COUNT_OF(orders); i++) {
        bool fits = (reads || orders[i] == ORDER_RELEASE || orders[i] == ORDER_SEQ_CST) &&
                    (writes || orders[i] == ORDER_ACQUIRE || orders[i] == ORDER_SEQ_CST);
        if (fits && orders[i] != place->present && repair_at_least(orders[i], place->present))
            place->levels[place->level_count++] = orders[i];
    }
}

static uint8_t strongest_of(const RepairPlace *place)
{
    return place->level_count ? place->levels[place->level_count - 1] : place->present;
}

unsigned repair_changed(const RepairSearch *search, const uint8_t *assignment)
{
    unsigned changed = 0;
    for (unsigned i = 0; i < search->count; i++)
        changed += assignment[i] != search->places[i].present;
    return changed;
}

static uint8_t *unchanged(const RepairSearch *search)
{
    uint8_t *fresh = arena_alloc(search->arena, search->count + 1);
    for (unsigned i = 0; i < search->count; i++)
        fresh[i] = search->places[i].present;
    return fresh;
}

static const uint8_t *copy_of(const RepairSearch *search, const uint8_t *assignment)
{
    return memcpy(arena_alloc(search->arena, search->count + 1), assignment, search->count);
}

/* --- what is known ---------------------------------------------------------------------------- */

static bool above(const RepairSearch *search, const uint8_t *a, const uint8_t *b)
{
    for (unsigned i = 0; i < search->count; i++)
        if (!repair_at_least(a[i], b[i]))
            return false;
    return true;
}

static bool known_to_hold(const RepairSearch *search, const uint8_t *assignment)
{
    for (size_t i = 0; i < search->holding.count; i++)
        if (above(search, assignment, search->holding.at[i]))
            return true;
    return false;
}

static bool known_violated(const RepairSearch *search, const uint8_t *assignment)
{
    for (size_t i = search->violated.count; i-- > 0;)
        if (above(search, search->violated.at[i], assignment))
            return true;
    return false;
}

static void learn(RepairSearch *search, const uint8_t *assignment, Verdict verdict)
{
    if (verdict == VERDICT_HOLDS && !known_to_hold(search, assignment))
        vec_push(&search->holding, assignment);
    if (verdict != VERDICT_VIOLATED || known_violated(search, assignment))
        return;
    size_t kept = 0;
    for (size_t i = 0; i < search->violated.count; i++)
        if (!above(search, assignment, search->violated.at[i]))
            search->violated.at[kept++] = search->violated.at[i];
    search->violated.count = kept;
    vec_push(&search->violated, assignment);
}

typedef struct Batch {
    Vec(const uint8_t *) at;
    Vec(Verdict) verdicts;
} Batch;

static bool is_over(const RepairSearch *search)
{
    return search->over && search->over(search->context);
}

/* Decides all of BATCH, whose elements are not known yet, and learns them. */
static void decide(RepairSearch *search, Batch *batch)
{
    vec_clear(&batch->verdicts);
    for (size_t i = 0; i < batch->at.count; i++)
        vec_push(&batch->verdicts, VERDICT_INCONCLUSIVE);
    if (!batch->at.count)
        return;
    if (is_over(search))
        return;
    search->ask(search->context, batch->at.at, batch->at.count, batch->verdicts.at);
    for (size_t i = 0; i < batch->at.count; i++)
        learn(search, batch->at.at[i], batch->verdicts.at[i]);
}

static void batch_free(Batch *batch)
{
    vec_free(&batch->at);
    vec_free(&batch->verdicts);
}

/* Decides one assignment. */
static Verdict decide_one(RepairSearch *search, const uint8_t *assignment)
{
    if (known_to_hold(search, assignment))
        return VERDICT_HOLDS;
    if (known_violated(search, assignment))
        return VERDICT_VIOLATED;
    Batch one = {0};
    vec_push(&one.at, copy_of(search, assignment));
    decide(search, &one);
    Verdict verdict = one.verdicts.at[0];
    batch_free(&one);
    return verdict;
}

/* --- the sets of one size --------------------------------------------------------------------- */

#define MOST_CHANGED 4

typedef struct Sized {
    RepairSearch *search;
    unsigned size;
    bool fences;   /* sets with at least one fence, else of accesses only */
    bool complete; /* every set was decided */
    Batch batch;   /* what is asked for next */
    unsigned chosen[MOST_CHANGED];
    unsigned rank; /* 0: the strongest assignment of each set; else the sum of strengths */
} Sized;

/* Adds one assignment to the batch unless it is decided. Everything weaker than one of a rank was
 * decided before: if it holds, and no set that was found is weaker, it is a set itself. */
static void wish(Sized *sized, const uint8_t *assignment)
{
    RepairSearch *search = sized->search;
    for (size_t i = 0; sized->rank && i < search->sets.count; i++)
        if (above(search, assignment, search->sets.at[i]))
            return;
    if (known_violated(search, assignment))
        return;
    if (!known_to_hold(search, assignment))
        vec_push(&sized->batch.at, copy_of(search, assignment));
    else if (sized->rank)
        vec_push(&search->sets, copy_of(search, assignment));
}

/* Every assignment to the chosen places, from number AT on, whose strengths add up to LEFT. */
static void wish_ranked(Sized *sized, uint8_t *assignment, unsigned at, unsigned left)
{
    if (at == sized->size) {
        if (!left)
            wish(sized, assignment);
        return;
    }
    unsigned number = sized->chosen[at];
    const RepairPlace *place = &sized->search->places[number];
    for (unsigned i = 0; i < place->level_count; i++)
        if (strength(place->levels[i]) <= left) {
            assignment[number] = place->levels[i];
            wish_ranked(sized, assignment, at + 1, left - strength(place->levels[i]));
        }
    assignment[number] = place->present;
}

/* The set that is chosen: its strongest assignment, or those of the rank. */
static void visit_set(Sized *sized)
{
    RepairSearch *search = sized->search;
    uint8_t *assignment = unchanged(search);
    unsigned fences = 0;
    for (unsigned i = 0; i < sized->size; i++) {
        assignment[sized->chosen[i]] = strongest_of(&search->places[sized->chosen[i]]);
        fences += search->places[sized->chosen[i]].fence;
    }
    if (sized->fences && !fences)
        return;
    if (!sized->rank) {
        wish(sized, assignment);
    } else if (!known_violated(search, assignment)) {
        for (unsigned i = 0; i < sized->size; i++)
            assignment[sized->chosen[i]] = search->places[sized->chosen[i]].present;
        wish_ranked(sized, assignment, 0, sized->rank);
    }
}

/* Chooses places number AT and following from FROM on, so that every essential one is among them,
 * and visits each set. */
static void each_set(Sized *sized, unsigned at, unsigned from)
{
    const RepairSearch *search = sized->search;
    unsigned end = sized->fences ? search->count : search->count - search->fences;
    if (at == sized->size) {
        for (unsigned i = from; !sized->fences && i < end; i++)
            if (search->essential[i])
                return;
        visit_set(sized);
        return;
    }
    for (unsigned i = from; i < end; i++) {
        if (search->places[i].level_count) {
            sized->chosen[at] = i;
            each_set(sized, at + 1, i + 1);
        }
        if (!sized->fences && search->essential[i])
            return; /* what comes later would lack this one */
    }
}

/* All sets of SIZE places. Returns whether all were decided. */
static bool search_size(RepairSearch *search, unsigned size, bool fences)
{
    Sized sized = {.search = search, .size = size, .fences = fences, .complete = true};
    unsigned highest = size * strength(ORDER_SEQ_CST);
    for (sized.rank = 0; sized.rank <= highest; sized.rank++) {
        if (is_over(search)) {
            sized.complete = false;
            break;
        }
        vec_clear(&sized.batch.at);
        each_set(&sized, 0, 0);
        decide(search, &sized.batch);
        for (size_t i = 0; i < sized.batch.at.count; i++) {
            sized.complete &= sized.batch.verdicts.at[i] != VERDICT_INCONCLUSIVE;
            if (sized.rank && sized.batch.verdicts.at[i] == VERDICT_HOLDS)
                vec_push(&search->sets, sized.batch.at.at[i]);
        }
    }
    batch_free(&sized.batch);
    return sized.complete;
}

/* --- the whole search ------------------------------------------------------------------------- */

/* Which accesses are part of every set? */
static void find_essential(RepairSearch *search)
{
    Batch batch = {0};
    Vec(unsigned) whose = {0};
    unsigned accesses = search->count - search->fences;
    for (unsigned i = 0; i < accesses; i++) {
        uint8_t *assignment = unchanged(search);
        for (unsigned k = 0; k < accesses; k++)
            if (k != i)
                assignment[k] = strongest_of(&search->places[k]);
        if (search->places[i].level_count) {
            vec_push(&batch.at, assignment);
            vec_push(&whose, i);
        }
    }
    decide(search, &batch);
    for (size_t i = 0; i < batch.at.count; i++)
        search->essential[whose.at[i]] = batch.verdicts.at[i] == VERDICT_VIOLATED;
    batch_free(&batch);
    vec_free(&whose);
}

/* From the strongest assignment down, one place after the other, as weak as it may be: one set that
 * is minimal, of whatever size. */
static void shrink(RepairSearch *search)
{
    unsigned accesses = search->count - search->fences;
    uint8_t *assignment = unchanged(search);
    for (unsigned i = 0; i < accesses; i++)
        assignment[i] = strongest_of(&search->places[i]);
    for (unsigned i = 0; i < accesses; i++) { /* none at all, then the weakest that is enough */
        uint8_t strongest = assignment[i];
        assignment[i] = search->places[i].present;
        if (strongest == assignment[i])
            continue;
        Verdict verdict = search->essential[i] ? VERDICT_VIOLATED : decide_one(search, assignment);
        if (verdict != VERDICT_HOLDS)
            assignment[i] = strongest;
    }
    for (unsigned i = 0; i < accesses; i++) {
        const RepairPlace *place = &search->places[i];
        uint8_t strongest = assignment[i];
        for (unsigned k = 0; strongest != place->present && k + 1 < place->level_count; k++) {
            assignment[i] = place->levels[k];
            if (decide_one(search, assignment) == VERDICT_HOLDS)
                break;
            assignment[i] = strongest;
        }
    }
    search->larger = true;
    vec_push(&search->sets, copy_of(search, assignment));
}

static void search_fences(RepairSearch *search)
{
    search->with_fences = search->fences > 0;
    for (unsigned size = 1; size <= 2 && search->fences; size++) {
        size_t before = search->sets.count;
        search->with_fences &= search_size(search, size, true);
        if (search->sets.count > before)
            return;
    }
}

/* Is SET violated as soon as one of its places is weaker? */
static bool is_minimal(const RepairSearch *search, const uint8_t *set)
{
    uint8_t *weaker = arena_alloc(search->arena, search->count + 1);
    memcpy(weaker, set, search->count);
    for (unsigned i = 0; i < search->count; i++) {
        const RepairPlace *place = &search->places[i];
        for (unsigned k = 0; k <= place->level_count && set[i] != place->present; k++) {
            weaker[i] = k ? place->levels[k - 1] : place->present;
            if (weaker[i] != set[i] && repair_at_least(set[i], weaker[i]) &&
                !known_violated(search, weaker))
                return false;
        }
        weaker[i] = set[i];
    }
    return true;
}

static void search_all(RepairSearch *search)
{
    unsigned accesses = search->count - search->fences;
    uint8_t *strongest = unchanged(search);
    /* nobody would look for a repair if it held as it is */
    learn(search, copy_of(search, strongest), VERDICT_VIOLATED);
    search->essential = arena_alloc(search->arena, search->count + 1);
    for (unsigned i = 0; i < accesses; i++)
        strongest[i] = strongest_of(&search->places[i]);
    search->strongest = accesses ? decide_one(search, strongest) : VERDICT_VIOLATED;
    if (search->strongest == VERDICT_HOLDS) {
        find_essential(search);
        bool decided = true;
        for (unsigned size = 1; size <= search->most; size++) {
            decided &= search_size(search, size, false);
            if (decided)
                search->decided = size;
            if (search->first && search->sets.count)
                return;
        }
        if (!search->sets.count)
            shrink(search);
    }
    bool may = search->strongest == VERDICT_HOLDS ||
               (search->strongest == VERDICT_VIOLATED && search->fences_anyway);
    if (may && (!search->sets.count || search->larger))
        search_fences(search);
}

void repair_search(RepairSearch *search)
{
    search_all(search);
    search->minimal = true;
    for (size_t i = 0; i < search->sets.count; i++)
        search->minimal &= is_minimal(search, search->sets.at[i]);
}

void repair_search_free(RepairSearch *search)
{
    vec_free(&search->sets);
    vec_free(&search->holding);
    vec_free(&search->violated);
}
