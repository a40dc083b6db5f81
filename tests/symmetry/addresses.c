/* addresses.c: two or three equal threads, of which somebody looks at where the memory of equal
 * threads lies. -DHOW=NAME chooses how. Each assertion fails if the threads come in another order
 * than that of their numbers (of which the addresses are), or if they come in that: all of them are
 * violated, and none shows in the one order alone in which a search that takes these threads for
 * interchangeable would let them come. -DSTORAGE: what they look at is thread-local; its addresses
 * are in the opposite order. */
#define _GNU_SOURCE
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define HEAP 1
#define STACK 2
#define HASH_OF_HEAP 3
#define HASH_OF_STACK 4
#define LOCAL_THREAD 5
#define SENT_TO_MAIN 6
#define SENT_TO_OTHER 7
#define SORTED 8
#define LOCKS 9
#define INDEX 10
#define WRITTEN 11
#define XORED 12
#define ADDED 13
#define PARTS 14
#define BYTES 15
#define PRINTED 16
#define TAGGED 17
#define WAITED 18
#define RETRIED 19
#define THIRD 20
#define FREED 21

typedef struct Block {
    pthread_mutex_t mutex;
    _Atomic(struct Block *) next;
    unsigned number;
} Block;

static atomic_int turn, table[4];
static _Atomic(Block *) sent[3];
static atomic_uintptr_t sum;
static Block *boxes[3];
static char text[64];

#ifdef STORAGE
static _Thread_local Block storage;
#define BELOW(a, b) ((a) > (b))
#else
#define BELOW(a, b) ((a) < (b))
#endif

static unsigned slot(const void *address)
{
    return (unsigned)((uintptr_t)address >> 32) & 3;
}

static void *work(void *unused)
{
    Block local, *other = NULL;
    Block *own =
        HOW == STACK || HOW == SENT_TO_OTHER || HOW == HASH_OF_STACK ? &local : malloc(sizeof *own);
    int k = 0;
#ifdef STORAGE
    own = &storage;
#endif
    if (HOW != HEAP && HOW != STACK && HOW != XORED && HOW != ADDED && HOW != WAITED)
        k = atomic_fetch_add(&turn, 1);
#if HOW == HEAP || HOW == STACK
    if (!atomic_compare_exchange_strong(&sent[0], &other, own))
        assert(BELOW(other, own));
#elif HOW == HASH_OF_HEAP
    if (k == 1)
        assert(slot(own) != 1);
#elif HOW == HASH_OF_STACK
    if (k == 1)
        assert(((uintptr_t)&local >> 23 & 3) != 1);
#elif HOW == LOCAL_THREAD
    static _Thread_local int private;
    static _Atomic(int *) first;
    int *none = NULL;
    if (!atomic_compare_exchange_strong(&first, &none, &private))
        assert(none > &private);
#elif HOW == SENT_TO_MAIN || HOW == SORTED
    boxes[k] = own;
#elif HOW == SENT_TO_OTHER
    atomic_store(&sent[k], own);
    other = atomic_load(&sent[1 - k]);
    if (k == 0 && other)
        assert(BELOW(own, other));
#elif HOW == LOCKS
    pthread_mutex_init(&own->mutex, NULL);
    own->number = (unsigned)k;
    atomic_store(&sent[k], own);
    other = atomic_load(&sent[1 - k]);
    if (other) {
        Block *low = BELOW(own, other) ? own : other, *high = low == own ? other : own;
        pthread_mutex_lock(&low->mutex);
        pthread_mutex_lock(&high->mutex);
        assert(low->number == 0);
        pthread_mutex_unlock(&high->mutex);
        pthread_mutex_unlock(&low->mutex);
    }
#elif HOW == INDEX
    atomic_fetch_add(&table[slot(own)], k + 1);
    if (k == 1)
        assert(atomic_load(&table[1]) != 2);
#elif HOW == WRITTEN
    own->number = slot(own);
    atomic_store(&sent[k], own);
#elif HOW == XORED
    if (!atomic_fetch_xor(&sum, (uintptr_t)own))
        assert((atomic_load(&sum) >> 32 & 3) != 2);
#elif HOW == ADDED
    if (atomic_fetch_add(&sum, (uintptr_t)own) == 0)
        assert((atomic_load(&sum) >> 32 & 3) != 2);
#elif HOW == PARTS
    boxes[k] = own;
    unsigned half;
    memcpy(&half, (char *)&boxes[k] + 4, sizeof half);
    if (k == 1)
        assert((half & 3) != 1);
#elif HOW == BYTES
    static unsigned char copy[2][8];
    for (int i = 0; i < 8; i++)
        copy[k][i] = (unsigned char)((uintptr_t)own >> 8 * i);
    if (k == 1)
        assert((copy[1][4] & 3) != 1);
#elif HOW == PRINTED
    char mine[32];
    snprintf(mine, sizeof mine, "%p", (void *)own);
    if (k == 0)
        memcpy(text, mine, sizeof mine);
#elif HOW == TAGGED
    uintptr_t before = atomic_exchange(&sum, (uintptr_t)own | (uintptr_t)1 << 63);
    if (before)
        assert((before >> 32 & 3) == 1);
#elif HOW == WAITED
    if (atomic_compare_exchange_strong(&sent[0], &other, own)) {
        while ((other = atomic_load(&sent[0])) == own)
            ;
        assert(other != (Block *)64);
    } else {
        atomic_store(&sent[0], BELOW(other, own) ? (Block *)128 : (Block *)64);
    }
#elif HOW == RETRIED /* a failed attempt is made again unless the address is lower */
    other = atomic_load(&sent[0]);
    while (!atomic_compare_exchange_strong(&sent[0], &other, own))
        if (BELOW(own, other) && k == 1)
            abort();
#elif HOW == THIRD
    atomic_store(&sent[k], own);
    if (k == 2 && atomic_load(&sent[0]) && atomic_load(&sent[1]))
        assert(!BELOW(atomic_load(&sent[1]), atomic_load(&sent[0])));
#elif HOW == FREED
    if (k == 1 && slot(own) == 1)
        free(own);
    boxes[k] = own;
#endif
    return unused;
}

#if HOW == SORTED
static int compare(const void *a, const void *b)
{
    uintptr_t x = *(const uintptr_t *)a, y = *(const uintptr_t *)b;
    return x < y ? -1 : x > y;
}
#endif

static void look(void)
{
#if HOW == SENT_TO_MAIN
    assert(BELOW(boxes[0], boxes[1]));
#elif HOW == SORTED
    Block *first = boxes[0];
    qsort(boxes, 2, sizeof *boxes, compare);
    assert(boxes[0] == first);
#elif HOW == WRITTEN
    assert(atomic_load(&sent[0])->number < atomic_load(&sent[1])->number);
#elif HOW == PRINTED
    void *first;
    sscanf(text, "%p", &first);
    assert(slot(first) == 1);
#elif HOW == FREED
    boxes[1]->number = 1;
#endif
}

int main(void)
{
    enum { COUNT = HOW == THIRD ? 3 : 2 };
    pthread_t threads[COUNT];
    for (int i = 0; i < COUNT; i++)
        pthread_create(&threads[i], NULL, work, NULL);
    for (int i = 0; i < COUNT; i++)
        pthread_join(threads[i], NULL);
    look();
    return 0;
}
