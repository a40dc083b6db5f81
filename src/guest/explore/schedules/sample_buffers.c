#include "guest/explore/schedules/sample_buffers.h"
#include <string.h>
#include "base/hash.h"
#include "base/vec.h"

typedef struct Waiting {
    EventId store;
    int thread;
} Waiting;
static struct {
    Vec(Waiting) waiting; /* in the order in which they were made */
    HashMap in_memory;    /* by location: how many writes, if one ever waited there */
} buffers;

int sample_buffers_in_memory(const Location *x)
{
    const uint64_t *count = hashmap_find(&buffers.in_memory, (uint64_t)(x - locations));
    return count ? (int)*count : x->writes;
}

/* The store at place I of `buffers.waiting` reaches memory. */
static void reach_memory(size_t i)
{
    Event *e = &pool[buffers.waiting.at[i].store];
    Location *x = &locations[e->location];
    uint64_t *count = hashmap_find(&buffers.in_memory, e->location);
    graph_remove_co(x, event_id(e));
    graph_insert_co(x, (int)(*count)++, event_id(e));
    buffers.waiting.count--;
    memmove(buffers.waiting.at + i, buffers.waiting.at + i + 1,
            sizeof *buffers.waiting.at * (buffers.waiting.count - i));
}

void sample_buffers_flush_to(int t, const void *pc)
{
    size_t i = 0;
    while (i < buffers.waiting.count &&
           (buffers.waiting.at[i].thread != t ||
            pool[buffers.waiting.at[i].store].pc != (uint64_t)(uintptr_t)pc))
        i++;
    if (i == buffers.waiting.count)
        return;
    for (size_t k = 0, left = i + 1; left; left--)
        if (buffers.waiting.at[k].thread == t)
            reach_memory(k);
        else
            k++;
}

void sample_buffers_flush(int t)
{
    for (size_t k = 0; k < buffers.waiting.count;)
        if (t < 0 || buffers.waiting.at[k].thread == t)
            reach_memory(k);
        else
            k++;
}

void sample_buffers_wait(Event *e)
{
    bool absent;
    const Location *x = &locations[e->location];
    uint64_t *count = hashmap_put(&buffers.in_memory, e->location, &absent);
    if (absent)
        *count = (uint64_t)x->writes - 1;
    vec_push(&buffers.waiting, (Waiting){event_id(e), e->thread});
}

int sample_buffers_seen(const Location *x, int t)
{
    for (int p = x->writes - 1; p >= sample_buffers_in_memory(x); p--)
        if (pool[x->co[p]].thread == t)
            return p;
    return sample_buffers_in_memory(x) - 1;
}

void sample_buffers_note_write(const Event *e)
{
    uint64_t *count = hashmap_find(&buffers.in_memory, e->location);
    if (count)
        ++*count;
}

void sample_buffers_begin(void)
{
    buffers.waiting.count = 0;
    hashmap_clear(&buffers.in_memory);
}
