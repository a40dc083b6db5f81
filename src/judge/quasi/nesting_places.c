/* Where an operation can stand among those of its class: in p by real time, in p' by what is
 * decided, and the two at most the factor apart (nesting.c has the argument). */
#include "judge/quasi/nesting_internal.h"
#include <stdlib.h>
#include <string.h>

#define NEVER NESTING_NEVER
#define NEAR 24u    /* operations of a group that are looked at before and behind one */
#define LONGEST 16u /* interval of places that is looked at */

static void list_events(const Nesting *n, NestingGroup *group)
{
    for (uint32_t e = 0; e < 2 * group->count; e++) {
        const RanksOp *op = &n->ops[group->ops[e / 2]];
        uint32_t position = e & 1 ? op->returned : op->called, at = e;
        for (; at; at--) {
            const RanksOp *other = &n->ops[group->ops[group->events[at - 1] / 2]];
            if ((group->events[at - 1] & 1 ? other->returned : other->called) <= position)
                break;
            group->events[at] = group->events[at - 1];
        }
        group->events[at] = e;
    }
}

void nesting_load_group(Nesting *n, int g)
{
    NestingGroup *group = &n->group[g];
    for (uint32_t x = 0; x < n->count; x++) {
        if (n->ops[x].puts == g)
            continue;
        uint32_t at = group->count++;
        for (; at && n->ops[group->ops[at - 1]].called > n->ops[x].called; at--)
            group->ops[at] = group->ops[at - 1];
        group->ops[at] = x;
        group->members.word[x / 64] |= (uint64_t)1 << (x % 64);
    }
    for (uint32_t i = 0; i < group->count; i++) {
        NestingPlace *real = &n->real[group->ops[i]];
        *real = (NestingPlace){1, group->count};
        for (uint32_t j = 0; j < group->count; j++) {
            real->first += nesting_precedes(n, group->ops[j], group->ops[i]);
            real->last -= nesting_precedes(n, group->ops[i], group->ops[j]);
        }
    }
    list_events(n, group);
}

/* Places in p: each is behind those of all that return before its call. With that, for any two of
 * which one precedes the other, both bounds of its places are smaller. */
static void follow_time(const NestingGroup *group, NestingPlace *window)
{
    uint32_t behind = 0, ahead = NEVER;
    for (uint32_t e = 0; e < 2 * group->count; e++) {
        NestingPlace *w = &window[group->events[e] / 2];
        if (group->events[e] & 1)
            behind = MAX(behind, w->first);
        else
            w->first = MAX(w->first, behind + 1);
    }
    for (uint32_t e = 2 * group->count; e-- > 0;) {
        NestingPlace *w = &window[group->events[e] / 2];
        if (!(group->events[e] & 1))
            ahead = MIN(ahead, w->last);
        else if (ahead <= w->last)
            w->last = ahead ? ahead - 1 : 0;
    }
}

/* Places in p': each is behind those of all that are before it. Only near ones are looked at, as
 * bounds that are too wide do no harm. */
static void follow_pairs(const Nesting *n, const NestingGroup *group, NestingPlace *window)
{
    for (uint32_t i = 0; i < group->count; i++) {
        uint32_t x = group->ops[i], low = i > NEAR ? i - NEAR : 0;
        NestingPlace w = window[i];
        for (uint32_t j = low; j < group->count && j <= i + NEAR; j++) {
            if (nesting_has(&n->before[x], group->ops[j]))
                w.first = MAX(w.first, window[j].first + 1);
            else if (nesting_has(&n->after[x], group->ops[j]) && window[j].last <= w.last)
                w.last = window[j].last ? window[j].last - 1 : 0;
        }
        window[i] = w;
    }
}

static bool are_windows(const NestingGroup *group, const NestingPlace *window)
{
    for (uint32_t i = 0; i < group->count; i++)
        if (window[i].first > window[i].last)
            return false;
    return true;
}

static void sort_by_first(Nesting *n, const NestingGroup *group, const NestingPlace *window)
{
    for (uint32_t i = 0; i < group->count; i++) {
        uint32_t at = i;
        for (; at && window[n->order[at - 1]].first > window[i].first; at--)
            n->order[at] = n->order[at - 1];
        n->order[at] = i;
    }
}

/* The last place of an interval from FROM that has room for those only that must be there; 0 if
 * there is none, NEVER if more must be. THEY are in n->order from K on. */
static uint32_t find_full(Nesting *n, const NestingGroup *group, const NestingPlace *window,
                          uint32_t k)
{
    uint32_t from = window[n->order[k]].first, most = from + LONGEST, count = 0, full = 0;
    memset(n->held, 0, (LONGEST + 1) * sizeof *n->held);
    for (uint32_t j = k; j < group->count; j++) {
        const NestingPlace *w = &window[n->order[j]];
        if (w->first > most)
            break;
        if (w->last >= from && w->last <= most)
            n->held[w->last - from]++;
    }
    for (uint32_t place = from; place <= most; place++) {
        count += n->held[place - from];
        if (count > place + 1 - from)
            return NEVER;
        if (count == place + 1 - from)
            full = place;
    }
    return full;
}

/* Places in p' are different: if an interval is full, all others are before or behind it. Returns
 * false if there is no room. */
static bool follow_room(Nesting *n, const NestingGroup *group, NestingPlace *window)
{
    sort_by_first(n, group, window);
    for (uint32_t k = group->count; k-- > 0;) {
        uint32_t from = window[n->order[k]].first, full = find_full(n, group, window, k);
        if (full == NEVER)
            return false;
        for (uint32_t i = 0; full && i < group->count; i++) {
            NestingPlace *w = &window[i];
            if (w->first >= from && w->first <= full && w->last > full)
                w->first = full + 1;
            else if (w->last >= from && w->last <= full && w->first < from)
                w->last = from - 1;
        }
    }
    return true;
}

/* Is there an order of the group in p with every operation in its window? Jobs of length 1: the
 * earliest deadline goes first. follow_time has made windows such that this keeps real time. The
 * order is in n->order. */
static bool schedule_exists(Nesting *n, const NestingGroup *group, const NestingPlace *window)
{
    uint32_t start = 0;
    memset(n->placed, 0, group->count * sizeof *n->placed);
    for (uint32_t place = 1; place <= group->count; place++) {
        uint32_t best = NEVER;
        while (n->placed[start])
            start++;
        for (uint32_t i = start; i < group->count; i++)
            if (!n->placed[i] && window[i].first <= place &&
                (best == NEVER || window[i].last < window[best].last))
                best = i;
        if (best == NEVER || window[best].last < place)
            return false;
        n->placed[best] = true;
        n->order[place - 1] = best;
    }
    return true;
}

bool nesting_order_is_found(Nesting *n, NestingGroup *group)
{
    if (!nesting_places_fit(n, group))
        return false;
    for (uint32_t i = 0; i < group->count; i++) {
        uint32_t x = group->ops[n->order[i]];
        int64_t in_spec = nesting_count_both(n, &n->before[x], &group->members);
        if (llabs(in_spec - (int64_t)i) > (int64_t)group->factor)
            return false;
        for (uint32_t j = 0; j < i; j++)
            if (nesting_precedes(n, x, group->ops[n->order[j]]))
                return false;
    }
    return true;
}

/* Brings places in p and in p' together: they are at most the factor apart. */
static void follow_factor(const NestingGroup *group, const NestingPlace *from, NestingPlace *to)
{
    for (uint32_t i = 0; i < group->count; i++) {
        if (from[i].first > group->factor)
            to[i].first = MAX(to[i].first, from[i].first - group->factor);
        to[i].last = MIN(to[i].last, from[i].last + group->factor);
    }
}

bool nesting_places_fit(Nesting *n, NestingGroup *group)
{
    NestingPlace *in_spec = group->in_spec, *in_p = group->in_p;
    for (uint32_t i = 0; i < group->count; i++) {
        uint32_t x = group->ops[i];
        uint32_t before = nesting_count_both(n, &n->before[x], &group->members);
        uint32_t after = nesting_count_both(n, &n->after[x], &group->members);
        in_p[i] = n->real[x];
        in_spec[i] = (NestingPlace){before + 1, group->count - after};
    }
    for (int round = 0; round < 2; round++) {
        follow_time(group, in_p);
        follow_factor(group, in_p, in_spec);
        follow_pairs(n, group, in_spec);
        if (!are_windows(group, in_spec) || !follow_room(n, group, in_spec) ||
            !are_windows(group, in_spec))
            return false;
        follow_factor(group, in_spec, in_p);
    }
    follow_time(group, in_p);
    for (uint32_t i = 0; i < group->count; i++)
        for (uint32_t j = i > NEAR ? i - NEAR : 0; j < group->count && j <= i + NEAR; j++)
            if (i != j && in_spec[i].last <= in_spec[j].first &&
                !nesting_decide_pair(n, group->ops[i], group->ops[j]))
                return false;
    return are_windows(group, in_p) && schedule_exists(n, group, in_p);
}
