#include "guest/harness/leaks.h"
#include <stdio.h>
#include <string.h>
#include "base/vec.h"
#include "guest/explore/graph/finding.h"
#include "guest/explore/graph/graph.h"
#include "guest/explore/memory/heap.h"
#include "guest/explore/search/explore.h"
#include "guest/runtime/fiber.h"
#include "guest/runtime/image.h"

extern const char __executable_start[], etext[]; /* the program's code, by the linker */

static OutcomeMessage *told;

/* Returns whether the program allocated BLOCK, and not a library for itself (the buffer of a
 * stream). */
static bool is_own(const HeapBlock *block)
{
    return block->pc >= (uintptr_t)__executable_start && block->pc < (uintptr_t)etext;
}

static void count_block(HeapBlock *block, char *address, void *unused)
{
    (void)address;
    (void)unused;
    if (!heap_is_live(block) || !is_own(block))
        return;
    if (!told->leak_objects++)
        told->leak_pc = block->pc;
    told->leak_bytes += block->bytes;
}

/* One execution tells; looking at the heap after each would cost more than exploring. */
static void note_first(void)
{
    exploration.on_complete = NULL;
    told->leak_objects = told->leak_bytes = 0;
    for (int region = 0; region < MAX_THREADS; region++)
        heap_each(region, count_block, NULL);
}

/* ---- what nothing points to ---- */

typedef struct Node {
    const HeapBlock *block;
    uintptr_t from, end;
    bool own, reached;
} Node;
static Vec(Node) nodes;      /* live blocks, by their addresses */
static Vec(size_t) worklist; /* nodes that are reached, but not what they point to */

/* Atomic variables: memory need not hold their last values, and does while it is looked at. */
typedef struct Held {
    char *address;
    unsigned size;
    unsigned char bytes[16];
} Held;
static Vec(Held) held;
typedef struct Piece {
    uintptr_t from, end;
} Piece;
static Vec(Piece) pieces; /* of static memory */

static void add_piece(const char *from, size_t bytes)
{
    vec_push(&pieces, (Piece){(uintptr_t)from, (uintptr_t)from + bytes});
}

static bool is_memory(const Location *x)
{
    uintptr_t at = (uintptr_t)x->address;
    if (in_heap(x->address) || fiber_of_stack(x->address) >= 0 ||
        (fiber_own_storage && fiber_of_storage(x->address) >= 0))
        return true;
    for (size_t i = 0; i < pieces.count; i++)
        if (at >= pieces.at[i].from && at + x->size <= pieces.at[i].end)
            return true;
    return false;
}

static void put_last_values(void)
{
    vec_clear(&held);
    for (LocationId l = 1; l <= location_count; l++) {
        const Location *x = &locations[l];
        if (x->writes < 2 || x->size > sizeof held.at->bytes || !is_memory(x))
            continue;
        EventId last = x->co[x->writes - 1];
        uint64_t value[2] = {write_value(last, x), graph_value_high(last, x)};
        Held before = {.address = x->address, .size = x->size};
        memcpy(before.bytes, x->address, x->size);
        vec_push(&held, before);
        memcpy(x->address, value, x->size);
    }
}

static void put_back(void)
{
    for (size_t i = held.count; i-- > 0;)
        memcpy(held.at[i].address, held.at[i].bytes, held.at[i].size);
}

static void add_node(HeapBlock *block, char *address, void *region)
{
    if (!heap_is_live(block))
        return;
    uintptr_t from = (uintptr_t)address;
    bool own = *(int *)region < MAX_THREADS && is_own(block);
    vec_push(&nodes, (Node){block, from, from + MAX(block->bytes, 1u), own, !own});
    if (!own)
        vec_push(&worklist, nodes.count - 1);
}

/* The word at each address of 8 bytes may be a pointer. */
static void follow(const char *from, const char *end)
{
    for (const char *at = (const char *)(((uintptr_t)from + 7) & ~(uintptr_t)7); at + 8 <= end;
         at += 8) {
        uint64_t word;
        memcpy(&word, at, 8);
        word &= (UINT64_C(1) << 48) - 1;
        if (!in_heap((const void *)(uintptr_t)word))
            continue;
        size_t low = 0, high = nodes.count; /* the last one that begins at WORD or before */
        while (low < high) {
            size_t middle = (low + high) / 2;
            if (nodes.at[middle].from <= word)
                low = middle + 1;
            else
                high = middle;
        }
        if (!low || word >= nodes.at[low - 1].end || nodes.at[low - 1].reached)
            continue;
        nodes.at[low - 1].reached = true;
        vec_push(&worklist, low - 1);
    }
}

/* Main has returned: its locals are gone. Else it has called exit, in the midst of them. */
static bool has_locals(int thread)
{
    const Event *last = threads[thread].count ? last_event(thread) : NULL;
    return last && (last->kind != EVENT_END || (thread == 0 && last->pc));
}

static void follow_all(void)
{
    for (size_t i = 0; i < pieces.count; i++)
        follow((const char *)pieces.at[i].from, (const char *)pieces.at[i].end);
    for (int t = 0; t < MAX_THREADS; t++) {
        if (!(threads_created >> t & 1))
            continue;
        if (has_locals(t))
            follow(fibers[t].limit, fibers[t].base);
        if (fiber_own_storage && (t == 0 || has_locals(t))) {
            size_t bytes;
            const char *storage = fiber_storage(t, &bytes);
            follow(storage, storage + bytes);
        }
    }
    while (worklist.count) {
        const Node *node = &nodes.at[vec_pop(&worklist)];
        follow((const char *)node->from, (const char *)node->end);
    }
}

/* Ends the execution with a violation if there are nodes that nothing points to: names some. */
static void tell_lost(void)
{
    enum { NAMED = 3 };
    char text[256] = "";
    size_t used = 0;
    uint64_t objects = 0, bytes = 0;
    for (size_t i = 0; i < nodes.count; i++) {
        const Node *node = &nodes.at[i];
        if (node->reached)
            continue;
        bytes += node->block->bytes;
        if (objects++ < NAMED)
            used += (size_t)snprintf(text + used, sizeof text - used, "%s%p",
                                     objects > 1 ? ", " : "", (void *)node->from);
    }
    if (objects)
        op_violation(VIOLATION_LEAK, NULL,
                     "%s%s (%llu byte%s) %s never freed, and nothing points to %s any more", text,
                     objects > NAMED ? " and others" : "", (unsigned long long)bytes,
                     bytes == 1 ? "" : "s", objects == 1 ? "is" : "are",
                     objects == 1 ? "it" : "them");
}

void leaks_look(void)
{
    vec_clear(&nodes);
    vec_clear(&worklist);
    for (int region = 0; region <= MAX_THREADS; region++)
        heap_each(region, add_node, &region);
    put_last_values();
    follow_all();
    put_back();
    tell_lost();
}

void leaks_begin(LeakPolicy policy, OutcomeMessage *outcome, bool resumed)
{
    told = outcome;
    if (policy == LEAKS_ERROR) {
        if (exploration.on_complete || options.check.enabled) {
            op_warning("where calls are judged, --leaks=error is not looked at");
            return;
        }
        image_each(add_piece);
        exploration.on_complete = leaks_look;
    } else if (policy == LEAKS_NOTE && !exploration.on_complete && !resumed) {
        exploration.on_complete = note_first;
    }
}
