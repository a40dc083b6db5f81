#include "judge/graph/ordering.h"
#include <string.h>
#include "base/hash.h"

static int64_t place_of(const OrderingPoint *point)
{
    return point->write >= 0 ? 2 * (int64_t)point->write : 2 * (int64_t)point->read + 1;
}

void ordering_close(Ordering *ordering)
{
    memcpy(ordering->after, ordering->next, sizeof(uint64_t) * ordering->count);
    for (uint32_t k = 0; k < ordering->count; k++)
        for (uint32_t i = 0; i < ordering->count; i++)
            if (ordering->after[i] >> k & 1)
                ordering->after[i] |= ordering->after[k];
}

void ordering_relate(Ordering *ordering, uint32_t calls, const OrderingPoint *points,
                     uint32_t count)
{
    ASSERT(calls <= ORDERING_MOST);
    ordering->count = calls;
    memset(ordering->next, 0, sizeof(uint64_t) * calls);
    for (uint32_t x = 0; x < count; x++)
        for (uint32_t y = 0; y < count; y++)
            if (points[x].location == points[y].location && points[x].call != points[y].call &&
                place_of(&points[x]) < place_of(&points[y]))
                ordering->next[points[x].call] |= (uint64_t)1 << points[y].call;
    ordering_close(ordering);
}

static bool stands_before(const OrderingPoint *x, const OrderingPoint *y)
{
    return x->location != y->location ? x->location < y->location : place_of(x) < place_of(y);
}

/* Shell's sort: qsort may allocate, and this runs inside the program under test. */
static void sort_points(OrderingPoint *points, uint32_t count)
{
    uint32_t gap = 1;
    while (gap < count / 3)
        gap = 3 * gap + 1;
    for (; gap; gap /= 3)
        for (uint32_t i = gap; i < count; i++) {
            OrderingPoint point = points[i];
            uint32_t place = i;
            for (; place >= gap && stands_before(&point, &points[place - gap]); place -= gap)
                points[place] = points[place - gap];
            points[place] = point;
        }
}

void ordering_relate_many(Ordering *ordering, uint32_t calls, OrderingPoint *points, uint32_t count)
{
    ASSERT(calls <= ORDERING_MOST);
    ordering->count = calls;
    memset(ordering->next, 0, sizeof(uint64_t) * calls);
    sort_points(points, count);
    for (uint32_t first = 0, end; first < count; first = end) {
        uint64_t earlier = 0,
                 here; /* calls with points at earlier places of the location, and here */
        for (end = first; end < count && points[end].location == points[first].location;
             earlier |= here) {
            int64_t place = place_of(&points[end]);
            for (here = 0; end < count && points[end].location == points[first].location &&
                           place_of(&points[end]) == place;
                 end++)
                here |= (uint64_t)1 << points[end].call;
            for (uint64_t left = earlier; left; left &= left - 1) {
                uint32_t call = (uint32_t)__builtin_ctzll(left);
                ordering->next[call] |= here & ~((uint64_t)1 << call);
            }
        }
    }
    ordering_close(ordering);
}

static bool is_before(const OrderingPoint *x, const OrderingPoint *y)
{
    if (x->location != y->location || (x->write >= 0 && x->write == y->write))
        return false; /* the rules are about two operations: calls may share one */
    bool reads_from = x->write >= 0 && y->read >= 0 && y->read == x->write;
    bool write_write = x->write >= 0 && y->write >= 0 && x->write < y->write;
    bool read_write = x->read >= 0 && y->write >= 0 && x->read < y->write;
    bool write_read = x->write >= 0 && y->read >= 0 && x->write < y->read;
    bool read_read = x->read >= 0 && y->read >= 0 && x->read < y->read;
    return reads_from || write_write || read_write || write_read || read_read;
}

void ordering_relate_slowly(Ordering *ordering, uint32_t calls, const OrderingPoint *points,
                            uint32_t count)
{
    *ordering = (Ordering){.count = calls};
    for (uint32_t i = 0; i < calls; i++)
        for (uint32_t j = 0; j < calls; j++)
            for (uint32_t x = 0; x < count; x++)
                for (uint32_t y = 0; y < count; y++)
                    if (i != j && points[x].call == i && points[y].call == j &&
                        is_before(&points[x], &points[y]))
                        ordering->next[i] |= (uint64_t)1 << j;
    memcpy(ordering->after, ordering->next, sizeof ordering->after);
    for (bool changed = true; changed;) {
        changed = false;
        for (uint32_t i = 0; i < calls; i++)
            for (uint32_t j = 0; j < calls; j++)
                for (uint32_t k = 0; k < calls; k++)
                    if ((ordering->after[i] >> k & 1) && (ordering->after[k] >> j & 1) &&
                        !(ordering->after[i] >> j & 1)) {
                        ordering->after[i] |= (uint64_t)1 << j;
                        changed = true;
                    }
    }
}

/* Breadth first from each call that reaches itself. */
uint32_t ordering_cycle(const Ordering *ordering, uint32_t cycle[ORDERING_MOST])
{
    uint32_t best = 0;
    for (uint32_t start = 0; start < ordering->count; start++) {
        if (!(ordering->after[start] >> start & 1))
            continue;
        uint32_t queue[ORDERING_MOST], from[ORDERING_MOST], head = 0, tail = 0, last = start;
        uint64_t seen = 0;
        queue[tail++] = start;
        bool closed = false;
        while (head < tail && !closed) {
            uint32_t i = queue[head++];
            for (uint64_t left = ordering->next[i]; left && !closed; left &= left - 1) {
                uint32_t j = (uint32_t)__builtin_ctzll(left);
                if (j == start) {
                    closed = true;
                    last = i;
                } else if (!(seen >> j & 1)) {
                    seen |= (uint64_t)1 << j;
                    from[j] = i;
                    queue[tail++] = j;
                }
            }
        }
        uint32_t length = 1;
        for (uint32_t i = last; i != start; i = from[i])
            length++;
        if (best && length >= best)
            continue;
        best = length;
        for (uint32_t i = last; length-- > 0; i = i == start ? start : from[i])
            cycle[length] = i;
    }
    return best;
}

static void find_before(const Ordering *ordering, uint64_t before[ORDERING_MOST])
{
    for (uint32_t i = 0; i < ordering->count; i++)
        for (uint32_t j = 0; j < ordering->count; j++)
            if (ordering->after[i] >> j & 1)
                before[j] |= (uint64_t)1 << i;
}

typedef struct Search {
    const Ordering *ordering;
    OrderingVisitor *step;
    void *context;
    uint64_t before[ORDERING_MOST];
    uint32_t history[ORDERING_MOST];
} Search;

static bool extend(Search *search, uint64_t left, uint32_t length)
{
    for (uint64_t rest = left; rest; rest &= rest - 1) {
        uint32_t i = (uint32_t)__builtin_ctzll(rest);
        if (search->before[i] & left)
            continue;
        search->history[length] = i;
        OrderingStep step = search->step(search->context, search->history, length + 1);
        if (step == ORDERING_STOP)
            return false;
        if (step == ORDERING_ON && !extend(search, left & ~((uint64_t)1 << i), length + 1))
            return false;
    }
    return true;
}

bool ordering_histories(const Ordering *ordering, uint64_t members, OrderingVisitor *step,
                        void *context)
{
    Search search = {.ordering = ordering, .step = step, .context = context};
    find_before(ordering, search.before);
    return extend(&search, members, 0);
}

/* How many orders there are of a set of calls that is closed upwards: by its first call, each
 * smaller set counted once. */
#define COUNTED_SETS 4096u
typedef struct Counter {
    uint64_t before[ORDERING_MOST];
    uint64_t most;
    uint32_t used;
    struct {
        uint64_t set, count; /* set 0: free */
    } sets[COUNTED_SETS];
} Counter;

static uint64_t count_orders(Counter *counter, uint64_t left)
{
    if (!left)
        return 1;
    uint32_t slot = (uint32_t)(hash_mix(left) % COUNTED_SETS);
    while (counter->sets[slot].set && counter->sets[slot].set != left)
        slot = (slot + 1) % COUNTED_SETS;
    if (counter->sets[slot].set)
        return counter->sets[slot].count;
    uint64_t count = 0;
    for (uint64_t rest = left; rest && count < counter->most; rest &= rest - 1) {
        uint32_t i = (uint32_t)__builtin_ctzll(rest);
        if (counter->before[i] & left)
            continue;
        count = MIN(counter->most, count + count_orders(counter, left & ~((uint64_t)1 << i)));
        if (counter->used >= COUNTED_SETS / 2)
            count = counter->most; /* too many sets: there are many more orders */
    }
    for (slot = (uint32_t)(hash_mix(left) % COUNTED_SETS); counter->sets[slot].set;)
        slot = (slot + 1) % COUNTED_SETS;
    counter->sets[slot].set = left;
    counter->sets[slot].count = count;
    counter->used++;
    return count;
}

uint64_t ordering_count(const Ordering *ordering, uint64_t members, uint64_t most)
{
    Counter counter = {.most = most};
    find_before(ordering, counter.before);
    return count_orders(&counter, members);
}
