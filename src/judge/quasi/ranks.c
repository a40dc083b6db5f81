/* Let p be a serial order of the history and p' what the specification allows (relax.h). Both have
 * the same places for puts and for takes. Number the places of the puts E1, E2, ..., and those of
 * the takes D1, D2, ...; what finds nothing is among the takes. In p' the r-th put and the r-th
 * take that finds something have the same element. p is given by an order of the puts, one of the
 * takes, and by how the two are merged. The search goes through the ranks: at rank r it reads the
 * put at Er in p and writes one to p' (debts.h), reads a take and writes the take of that element;
 * between, it reads takes and writes what finds nothing.
 *
 * Merging. The two orders can be merged if edges between them make no cycle; of two chains, a cycle
 * has one edge Ej -> Da and one Db -> Ei with i <= j and a <= b. The edges are:
 *  - real time. Two of these make no cycle: Db returns before Ei is called, Ei is called before Ej
 *    returns (i <= j), Ej returns before Da is called, Da is called before Db returns (a <= b).
 *  - Er -> the place where p' takes the r-th element. It makes a cycle if a put among the first r
 *    is called after the return of a take at that place or behind it.
 *  - the place where p' finds nothing -> E(s + 1), if s were taken by then. It makes a cycle if a
 *    put that is not among the first s returns before the call of a take up to that place.
 *  - kooo: the put of an element in p -> its take in p. If the put is read first, the two edges
 *    before exclude its cycles. If the take is read first, the first return of a take that was not
 *    read by then is remembered: the puts up to that one must be called before it; and no place
 *    where nothing is found may come between.
 * Def4 leaves free how classes are merged: there are no edges at all.
 *
 * Calls after the end (kooo). They stand behind all others in p. Those that put are not needed: let
 * the last one of them, f, put at rank r of p'. Exchange it with the put at r + 1, and the takes of
 * both. What stands behind in p and goes back in p' by that is no more displaced than the one it is
 * exchanged with was; the take of f is a call after the end (if a take of the history has the same
 * value, the first of the two that p' puts is the history's, so that f is not meant), and whose
 * result it is may be chosen. So f comes to the last rank, and its take, which what finds nothing
 * may overtake as well, to the last place: both can be left out. Those that take have any result,
 * and are all alike (MORE); they are read in the order in which they are promised, so one that was
 * not promised is never of use.
 *
 * Takes that find nothing are alike, too (NOTHING): what is late longest is written first, what is
 * promised longest is kept first, and a promise is made only if nothing is late. */
#include "judge/quasi/ranks.h"
#include "base/interner.h"
#include <stdlib.h>
#include <string.h>

#define WIDEST 64u
#define NOTHING (UINT32_MAX - 1) /* labels of takes; others are their index */
#define MORE (UINT32_MAX - 2)
#define NEVER UINT32_MAX
#define MOST_OWED (2 * DEBTS_LARGEST + 2)

typedef struct Side { /* the puts, or the takes, in the order of their calls */
    Vec(uint32_t) ops;
    uint32_t factor;
    uint32_t nothing; /* those that find nothing */
} Side;

typedef struct Head {
    uint32_t first;   /* all operations of the side before this one are read, */
    uint64_t mask;    /* and those of this set: bit i is first + i */
    uint32_t count;   /* read in all */
    uint32_t nothing; /* of these, find nothing */
    Debts debts;      /* labels are indexes in the side, or NOTHING, MORE */
} Head;

typedef struct RankState {
    Head put, take;
    uint32_t rank, more;      /* ranks given; calls after the end that were read */
    uint32_t owed_count;      /* kooo: taken in p, but not put yet */
    uint64_t owed[MOST_OWED]; /* element << 32 | the first return of the takes left then */
} RankState;

typedef struct Step { /* how a state was reached */
    uint32_t from;
    uint32_t put, take; /* the operations read, or NEVER */
    bool nothing;       /* p' finds nothing here */
} Step;

typedef struct Ranks {
    const RanksProblem *problem;
    Side puts, takes;
    Vec(uint32_t) put_of, take_of; /* by element: index in its side, or NEVER */
    bool timed, causal;
    uint32_t most_more;
    Interner states;
    uint64_t looks;  /* states that were taken from the stack */
    Vec(Step) steps; /* by state */
    Vec(uint32_t) stack;
    Vec(uint64_t) key;
    RankState from, paired, next;
    Step step;
    bool found, too_wide;
} Ranks;

static const RanksOp *op_of(const Ranks *r, const Side *side, uint32_t index)
{
    return &r->problem->ops[side->ops.at[index]];
}

static bool is_read(const Head *head, uint32_t index)
{
    return index < head->first ||
           (index - head->first < WIDEST && head->mask >> (index - head->first) & 1);
}

static void read_op(Ranks *r, const Side *side, Head *head, uint32_t index)
{
    if (index - head->first >= WIDEST) {
        r->too_wide = true;
        return;
    }
    head->mask |= (uint64_t)1 << (index - head->first);
    head->count++;
    head->nothing += op_of(r, side, index)->element == RANKS_NOTHING;
    while (head->mask & 1) {
        head->mask >>= 1;
        head->first++;
    }
}

/* The first return of an operation that is not read, or NEVER. */
static uint32_t first_return(const Ranks *r, const Side *side, const Head *head)
{
    uint32_t first = NEVER;
    for (uint32_t i = head->first; i < side->ops.count && op_of(r, side, i)->called < first; i++)
        if (!is_read(head, i))
            first = MIN(first, op_of(r, side, i)->returned);
    return first;
}

/* The last call of an operation that is read; 0 if there is none. */
static uint32_t last_call(const Ranks *r, const Side *side, const Head *head)
{
    uint32_t end = head->first;
    if (head->mask)
        end += WIDEST - (uint32_t)__builtin_clzll(head->mask);
    return end ? op_of(r, side, end - 1)->called : 0;
}

/* How many operations must be read before this one? */
static uint32_t left_before(const Ranks *r, const Side *side, const Head *head, uint32_t index)
{
    uint32_t left = 0, called = op_of(r, side, index)->called;
    for (uint32_t i = head->first; i < index; i++)
        left += !is_read(head, i) && op_of(r, side, i)->returned < called;
    return left;
}

static uint32_t find(const DebtList *list, uint32_t label) /* the oldest, or NEVER */
{
    for (uint32_t i = list->count; i-- > 0;)
        if (debts_label(list->at[i]) == label)
            return i;
    return NEVER;
}

static uint32_t count_of(const DebtList *list, uint32_t label)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < list->count; i++)
        count += debts_label(list->at[i]) == label;
    return count;
}

/* Can all promises be kept in time, as far as the operations before them tell? */
static bool can_be_kept(const Ranks *r, const Side *side, const Head *head)
{
    const DebtList *promised = &head->debts.promised;
    for (uint32_t i = 0; i < promised->count; i++) {
        uint32_t label = debts_label(promised->at[i]), need = 0;
        if (label == MORE)
            need = (uint32_t)side->ops.count - head->count;
        else if (label != NOTHING)
            need = left_before(r, side, head, label);
        if (need >= side->factor - debts_age(promised->at[i]))
            return false;
    }
    return true;
}

static void copy_head(Head *to, const Head *from)
{
    to->first = from->first;
    to->mask = from->mask;
    to->count = from->count;
    to->nothing = from->nothing;
    debts_copy(&to->debts, &from->debts);
}

static void copy_state(RankState *to, const RankState *from)
{
    copy_head(&to->put, &from->put);
    copy_head(&to->take, &from->take);
    to->rank = from->rank;
    to->more = from->more;
    to->owed_count = from->owed_count;
    memcpy(to->owed, from->owed, from->owed_count * sizeof *from->owed);
}

static bool is_done(const Side *side, const Head *head)
{
    return head->count == side->ops.count && !head->debts.late.count && !head->debts.promised.count;
}

static void write_head(Ranks *r, const Head *head)
{
    vec_push(&r->key, (uint64_t)head->count << 32 | head->first);
    vec_push(&r->key, head->mask);
    vec_reserve(&r->key, r->key.count + DEBTS_WORDS);
    r->key.count += debts_write(&head->debts, r->key.at + r->key.count);
}

static const uint64_t *load_head(Head *head, const uint64_t *words)
{
    head->first = (uint32_t)words[0];
    head->count = (uint32_t)(words[0] >> 32);
    head->mask = words[1];
    debts_read(words + 2, &head->debts);
    return words + 2 + debts_words(words + 2);
}

/* Keeps a state that has not been seen before. */
static void save_state(Ranks *r, RankState *s)
{
    if (r->too_wide)
        return;
    vec_clear(&r->key);
    vec_push(&r->key, (uint64_t)s->take.nothing << 32 | s->rank);
    vec_push(&r->key, (uint64_t)s->more << 32 | s->owed_count);
    debts_sort(s->owed, s->owed_count);
    for (uint32_t i = 0; i < s->owed_count; i++)
        vec_push(&r->key, s->owed[i]);
    write_head(r, &s->put);
    write_head(r, &s->take);
    size_t known = r->states.entries.count;
    uint32_t number = interner_number(&r->states, r->key.at, r->key.count);
    if (number != known)
        return;
    vec_push(&r->steps, r->step);
    vec_push(&r->stack, number);
    r->found = is_done(&r->puts, &s->put) && is_done(&r->takes, &s->take);
}

static void load_state(Ranks *r, uint32_t number, RankState *s)
{
    size_t count;
    const uint64_t *key = interner_words(&r->states, number, &count);
    s->rank = (uint32_t)key[0];
    s->take.nothing = (uint32_t)(key[0] >> 32);
    s->owed_count = (uint32_t)key[1];
    s->more = (uint32_t)(key[1] >> 32);
    memcpy(s->owed, key + 2, s->owed_count * sizeof *key);
    load_head(&s->take, load_head(&s->put, key + 2 + s->owed_count));
    s->put.nothing = 0;
}

/* Is a take that finds nothing, other than the one read, left to be promised soon? */
static bool nothing_is_left(const Ranks *r, const Head *head, bool *soon)
{
    uint32_t promised = count_of(&head->debts.promised, NOTHING);
    bool left = r->takes.nothing - head->nothing > promised;
    *soon = false;
    for (uint32_t i = head->first; left && i < r->takes.ops.count && !*soon; i++) {
        if (is_read(head, i) || op_of(r, &r->takes, i)->element != RANKS_NOTHING)
            continue;
        if (left_before(r, &r->takes, head, i) >= r->takes.factor)
            break;
        *soon = true;
    }
    return left;
}

/* Writes LABEL, or if that is NEVER a call after the end, to the takes of r->next; LATE: the take
 * read was added to what is late. Keeps the state. */
static void write_take(Ranks *r, uint32_t label, bool late)
{
    Head *head = &r->next.take;
    bool promised = false, soon = true;
    uint32_t at = label == NEVER ? NEVER : find(&head->debts.late, label);
    if (label == NOTHING && late && at != NEVER && at && at + 1 == head->debts.late.count &&
        debts_label(head->debts.late.at[at - 1]) == NOTHING)
        at--; /* older than the one that was added */
    if (at != NEVER) {
        late = late && at + 1 != head->debts.late.count;
        debts_remove(&head->debts.late, at);
    } else {
        promised = true;
        if (label == NOTHING && !nothing_is_left(r, head, &soon))
            label = NEVER;
        if (label == NEVER) {
            label = MORE;
            soon = r->next.more + count_of(&head->debts.promised, MORE) < r->most_more;
        }
        if (!soon || !debts_add(&head->debts.promised, label))
            return;
    }
    if (debts_pass(&head->debts, late, promised, r->takes.factor) &&
        can_be_kept(r, &r->takes, head))
        save_state(r, &r->next);
}

/* Notes that ELEMENT is taken in p; false if more are owed than can be. LEAST: the first return of
 * the takes before. */
static bool note_taken(Ranks *r, uint32_t element, uint32_t least)
{
    RankState *s = &r->next;
    if (!r->causal || element == RANKS_NOTHING || is_read(&s->put, r->put_of.at[element]))
        return true;
    if (s->owed_count == MOST_OWED)
        return false;
    s->owed[s->owed_count++] = (uint64_t)element << 32 | least;
    return true;
}

/* Reads a take, or a call after the end if INDEX is NEVER, in r->paired, and writes LABEL. */
static void read_take(Ranks *r, uint32_t index, uint32_t label)
{
    bool writes_nothing = label == NOTHING, late = false;
    uint32_t mine = MORE, least = first_return(r, &r->takes, &r->paired.take);
    copy_state(&r->next, &r->paired);
    RankState *s = &r->next;
    if (index == NEVER) {
        s->more++;
    } else {
        const RanksOp *op = op_of(r, &r->takes, index);
        mine = op->element == RANKS_NOTHING ? NOTHING : index;
        read_op(r, &r->takes, &s->take, index);
        if (!note_taken(r, op->element, least))
            return;
    }
    if (writes_nothing && r->timed) {
        uint32_t called = index == NEVER ? NEVER - 1 : last_call(r, &r->takes, &s->take);
        if (first_return(r, &r->puts, &s->put) < called || (r->causal && s->owed_count))
            return;
    }
    uint32_t kept = find(&s->take.debts.promised, mine);
    if (kept != NEVER) {
        debts_remove(&s->take.debts.promised, kept);
    } else {
        if (index == NEVER || !debts_add(&s->take.debts.late, mine))
            return;
        late = true; /* and perhaps written at once */
    }
    r->step.take = index == NEVER ? NEVER : r->takes.ops.at[index];
    r->step.nothing = writes_nothing;
    write_take(r, label, late);
}

/* Reads each take that can be next, and writes LABEL. */
static void read_takes(Ranks *r, uint32_t label)
{
    const Head *head = &r->paired.take;
    uint32_t first = first_return(r, &r->takes, head), end = head->first;
    if (head->count == r->takes.ops.count) {
        read_take(r, NEVER, label);
        return;
    }
    while (end < r->takes.ops.count && op_of(r, &r->takes, end)->called < first)
        end++;
    for (uint32_t i = end; i-- > head->first && !r->found;)
        if (!is_read(head, i))
            read_take(r, i, label);
}

/* p' gets the put INDEX, and so its element the next rank; r->paired has the puts but for that. */
static void write_put(Ranks *r, uint32_t index, bool late, bool promised)
{
    RankState *s = &r->paired;
    uint32_t element = op_of(r, &r->puts, index)->element;
    if (!debts_pass(&s->put.debts, late, promised, r->puts.factor) ||
        !can_be_kept(r, &r->puts, &s->put))
        return;
    s->rank++;
    if (!is_done(&r->takes, &s->take)) {
        read_takes(r, r->take_of.at[element]);
        return;
    }
    if (r->take_of.at[element] != NEVER)
        return; /* taken before it was given a rank */
    r->step.take = NEVER;
    r->step.nothing = false;
    copy_state(&r->next, s);
    save_state(r, &r->next);
}

/* Makes r->paired: the state before, and the put read; if it was promised, that is kept, else *late
 * is set, and it is to be written or to be added to what is late. False if it can't be read here.
 */
static bool read_put(Ranks *r, uint32_t index, bool *late)
{
    RankState *s = &r->paired;
    uint32_t element = op_of(r, &r->puts, index)->element;
    copy_state(s, &r->from);
    read_op(r, &r->puts, &s->put, index);
    if (r->too_wide)
        return false;
    uint32_t called = last_call(r, &r->puts, &s->put);
    if (r->timed && called > first_return(r, &r->takes, &s->take))
        return false;
    for (uint32_t i = 0; i < s->owed_count; i++)
        if (s->owed[i] >> 32 == element) {
            if (called > (uint32_t)s->owed[i])
                return false;
            s->owed[i] = s->owed[--s->owed_count];
            break;
        }
    uint32_t kept = find(&s->put.debts.promised, index);
    *late = kept == NEVER;
    if (kept != NEVER)
        debts_remove(&s->put.debts.promised, kept);
    return true;
}

/* All ways to read put INDEX and to give the next rank. What is likely comes last: it is tried
 * first. */
static void try_put(Ranks *r, uint32_t index)
{
    DebtList *late = &r->paired.put.debts.late, *promised = &r->paired.put.debts.promised;
    const Head *head = &r->paired.put;
    bool is_late;
    r->step.put = r->puts.ops.at[index];
    if (!read_put(r, index, &is_late))
        return;
    for (uint32_t i = head->first; i < r->puts.ops.count && !r->found; i++) {
        if (is_read(head, i) || find(&r->from.put.debts.promised, i) != NEVER)
            continue;
        if (left_before(r, &r->puts, head, i) >= r->puts.factor)
            break;
        if (read_put(r, index, &is_late) && (!is_late || debts_add(late, index)) &&
            debts_add(promised, i))
            write_put(r, i, is_late, true);
    }
    for (uint32_t i = 0; i < r->from.put.debts.late.count && !r->found; i++) {
        uint32_t label = debts_label(r->from.put.debts.late.at[i]);
        if (!read_put(r, index, &is_late))
            return;
        debts_remove(late, i);
        if (!is_late || debts_add(late, index))
            write_put(r, label, is_late, false);
    }
    if (!r->found && read_put(r, index, &is_late) && is_late)
        write_put(r, index, false, false);
}

static void expand(Ranks *r)
{
    const Head *head = &r->from.put;
    uint32_t first = first_return(r, &r->puts, head), end = head->first;
    while (end < r->puts.ops.count && op_of(r, &r->puts, end)->called < first)
        end++;
    for (uint32_t i = end; i-- > head->first && !r->found;)
        if (!is_read(head, i))
            try_put(r, i);
    if (r->found || is_done(&r->takes, &r->from.take))
        return;
    r->step.put = NEVER;
    copy_state(&r->paired, &r->from);
    read_takes(r, NOTHING);
}

static void load(Ranks *r)
{
    const RanksProblem *problem = r->problem;
    vec_reserve(&r->put_of, problem->count + 1);
    vec_reserve(&r->take_of, problem->count + 1);
    for (uint32_t i = 0; i < problem->count; i++)
        r->put_of.at[i] = r->take_of.at[i] = NEVER;
    for (uint32_t i = 0; i < problem->count; i++) {
        const RanksOp *op = &problem->ops[i];
        Side *side = op->puts ? &r->puts : &r->takes;
        size_t at = side->ops.count;
        vec_push(&side->ops, i);
        for (; at && problem->ops[side->ops.at[at - 1]].called > op->called; at--)
            side->ops.at[at] = side->ops.at[at - 1];
        side->ops.at[at] = i;
        side->nothing += op->element == RANKS_NOTHING;
    }
    for (uint32_t i = 0; i < r->puts.ops.count; i++)
        r->put_of.at[op_of(r, &r->puts, i)->element] = i;
    for (uint32_t i = 0; i < r->takes.ops.count; i++)
        if (op_of(r, &r->takes, i)->element != RANKS_NOTHING)
            r->take_of.at[op_of(r, &r->takes, i)->element] = i;
}

static bool all_are_put(const Ranks *r)
{
    for (uint32_t e = 0; e < r->problem->count; e++)
        if (r->take_of.at[e] != NEVER && r->put_of.at[e] == NEVER)
            return false;
    return true;
}

/* An operation that was read on the way to a state. */
typedef struct Read {
    uint32_t op, rank; /* how many ranks were given then */
    uint32_t until;    /* the first return of this and those behind it */
    bool nothing;      /* p' finds nothing in its place */
} Read;
typedef Vec(Read) Reads;

static void list_reads(const Ranks *r, uint32_t last, Reads *puts, Reads *takes)
{
    size_t count;
    for (uint32_t i = last; i; i = r->steps.at[i].from) {
        const Step *step = &r->steps.at[i];
        uint32_t rank = (uint32_t)interner_words(&r->states, i, &count)[0];
        if (step->put != NEVER)
            vec_push(puts, (Read){step->put, rank, NEVER, false});
        if (step->take != NEVER)
            vec_push(takes, (Read){step->take, rank, NEVER, step->nothing});
    }
    for (int side = 0; side < 2; side++) { /* they are listed backwards */
        Reads *reads = side ? takes : puts;
        for (size_t i = 0; i < reads->count; i++)
            reads->at[i].until =
                MIN(i ? reads->at[i - 1].until : NEVER, r->problem->ops[reads->at[i].op].returned);
        for (size_t i = 0; i < reads->count / 2; i++) {
            Read other = reads->at[i];
            reads->at[i] = reads->at[reads->count - 1 - i];
            reads->at[reads->count - 1 - i] = other;
        }
    }
}

static uint32_t until(const Reads *reads, size_t i)
{
    return i < reads->count ? reads->at[i].until : NEVER;
}

/* Merges the two orders: their edges make no cycle (see above), so one of the two can go on. */
static void merge(const Ranks *r, uint32_t last, RanksOrder *order)
{
    const RanksOp *ops = r->problem->ops;
    Reads puts = {0}, takes = {0};
    list_reads(r, last, &puts, &takes);
    Vec(bool) is_put = {0}; /* by element */
    vec_reserve(&is_put, r->problem->count + 1);
    memset(is_put.at, 0, r->problem->count);
    for (size_t e = 0, d = 0; e < puts.count || d < takes.count;) {
        const Read *take = d < takes.count ? &takes.at[d] : NULL;
        uint32_t element = take ? ops[take->op].element : RANKS_NOTHING;
        if (take && ops[take->op].called < until(&puts, e) && e >= take->rank &&
            (!r->causal || element == RANKS_NOTHING || is_put.at[element])) {
            ASSERT(!take->nothing || e == take->rank);
            vec_push(order, take->op);
            d++;
            continue;
        }
        ASSERT(e < puts.count && ops[puts.at[e].op].called < until(&takes, d));
        is_put.at[ops[puts.at[e].op].element] = true;
        vec_push(order, puts.at[e++].op);
    }
    vec_free(&puts);
    vec_free(&takes);
    vec_free(&is_put);
}

Verdict ranks_decide(const RanksProblem *problem, uint64_t most, uint64_t *states,
                     RanksOrder *order)
{
    Ranks r = {.problem = problem,
               .puts.factor = problem->put_factor,
               .takes.factor = problem->take_factor,
               .timed = problem->semantics != RELAX_DEF4,
               .causal = problem->semantics == RELAX_KOOO,
               .step = {0, NEVER, NEVER, false}};
    r.most_more = r.causal ? problem->take_factor : 0;
    load(&r);
    Verdict verdict = VERDICT_VIOLATED;
    if (all_are_put(&r)) {
        save_state(&r, &r.next); /* all zeroes: nothing is read */
        while (r.stack.count && !r.found && !r.too_wide && r.states.entries.count < most) {
            if (++r.looks % 1024 == 0 && linearize_end_wanted(problem->limits))
                break;
            r.step.from = vec_pop(&r.stack);
            load_state(&r, r.step.from, &r.from);
            expand(&r);
        }
        if (r.found)
            verdict = VERDICT_HOLDS;
        else if (r.stack.count || r.too_wide)
            verdict = VERDICT_INCONCLUSIVE;
    }
    if (states)
        *states += r.states.entries.count;
    if (r.found && order && r.timed)
        merge(&r, (uint32_t)r.states.entries.count - 1, order);
    vec_free(&r.puts.ops);
    vec_free(&r.takes.ops);
    vec_free(&r.put_of);
    vec_free(&r.take_of);
    interner_free(&r.states);
    vec_free(&r.steps);
    vec_free(&r.stack);
    vec_free(&r.key);
    return verdict;
}
