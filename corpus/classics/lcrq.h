/* LCRQ (A. Morrison, Y. Afek, Fast Concurrent Queues for x86 Processors, PPoPP 2013): a list of rings. In a ring
 * puts and gets draw numbers by fetch-and-add and meet in the cell of that number, which is changed by a
 * compare-and-swap of sixteen bytes; a ring in which a put finds no place is closed, and another one is appended.
 *
 * -DNO_SECOND_LOOK  a ring is left although an element came in after it had been found empty (the erratum)
 * -DNOT_PASSED      a get that comes before the put of its number leaves no mark in the cell */
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#define CELLS 2
#define EMPTY UINT64_MAX
#define TOP ((uint64_t)1 << 63) /* of the tail: closed; of a cell: unsafe */
struct cell {
    uint64_t index, value;
};
struct ring {
    _Atomic struct cell cells[CELLS];
    _Atomic uint64_t head, tail;
    _Atomic(struct ring *) next;
};
static _Atomic(struct ring *) first, last;

static struct ring *ring_new(void)
{
    struct ring *ring = aligned_alloc(_Alignof(struct ring), sizeof *ring);
    for (uint64_t i = 0; i < CELLS; i++)
        atomic_init(&ring->cells[i], ((struct cell){i, EMPTY}));
    atomic_init(&ring->head, 0);
    atomic_init(&ring->tail, 0);
    atomic_init(&ring->next, NULL);
    return ring;
}

static bool ring_put(struct ring *ring, uint64_t value)
{
    for (int tries = 1;; tries++) {
        uint64_t number = atomic_fetch_add(&ring->tail, 1);
        if (number & TOP)
            return false;
        _Atomic struct cell *cell = &ring->cells[number % CELLS];
        struct cell old = atomic_load(cell), new = {number, value};
        if (old.value == EMPTY && (old.index & ~TOP) <= number &&
            (!(old.index & TOP) || atomic_load(&ring->head) <= number) &&
            atomic_compare_exchange_strong(cell, &old, new))
            return true;
        if ((int64_t)(number - atomic_load(&ring->head)) >= CELLS || tries == 3) {
            atomic_fetch_or(&ring->tail, TOP);
            return false;
        }
    }
}

/* Lets the tail catch up with the head. */
static void ring_repair(struct ring *ring)
{
    for (;;) {
        uint64_t tail = atomic_load(&ring->tail), head = atomic_load(&ring->head);
        if (atomic_load(&ring->tail) != tail)
            continue;
        if (head <= (tail & ~TOP) || (tail & TOP) ||
            atomic_compare_exchange_strong(&ring->tail, &tail, head))
            return;
    }
}

static bool ring_get(struct ring *ring, uint64_t *value)
{
    for (;;) {
        uint64_t number = atomic_fetch_add(&ring->head, 1);
        _Atomic struct cell *cell = &ring->cells[number % CELLS];
        struct cell old = atomic_load(cell);
        while ((old.index & ~TOP) <= number) {
            struct cell passed = {(old.index & TOP) | (number + CELLS), EMPTY};
            struct cell unsafe = {old.index | TOP, old.value};
            if (old.value == EMPTY) {
#ifdef NOT_PASSED
                break;
#endif
                if (atomic_compare_exchange_strong(cell, &old, passed))
                    break;
            } else if ((old.index & ~TOP) == number) {
                if (atomic_compare_exchange_strong(cell, &old, passed)) {
                    *value = old.value;
                    return true;
                }
            } else if (atomic_compare_exchange_strong(cell, &old, unsafe)) {
                break;
            }
        }
        if ((atomic_load(&ring->tail) & ~TOP) <= number + 1) {
            ring_repair(ring);
            return false;
        }
    }
}

static void queue_put(uint64_t value)
{
    for (;;) {
        struct ring *ring = atomic_load(&last), *next = atomic_load(&ring->next), *none = NULL;
        if (next) {
            atomic_compare_exchange_strong(&last, &ring, next);
            continue;
        }
        if (ring_put(ring, value))
            return;
        next = ring_new();
        ring_put(next, value);
        if (atomic_compare_exchange_strong(&ring->next, &none, next)) {
            atomic_compare_exchange_strong(&last, &ring, next);
            return;
        }
        free(next);
    }
}

static bool queue_get(uint64_t *value)
{
    for (;;) {
        struct ring *ring = atomic_load(&first);
        if (ring_get(ring, value))
            return true;
        struct ring *next = atomic_load(&ring->next);
        if (!next)
            return false;
#ifndef NO_SECOND_LOOK
        if (ring_get(ring, value))
            return true;
#endif
        atomic_compare_exchange_strong(&first, &ring, next);
    }
}
