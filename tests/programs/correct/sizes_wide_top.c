// expect: holds
// args: -mcx16 --model=tso
// only if: defined __x86_64__
// The top of a stack, a pointer and a count, is changed by 16-byte compare-exchanges and read by
// 8-byte loads: a count that does not belong to the pointer makes the exchange fail.
#include <assert.h>
#include <pthread.h>
#include <stdint.h>

typedef struct Node {
    struct Node *next;
    int value;
} Node;
static struct {
    Node *first;
    uint64_t count;
} top __attribute__((aligned(16)));
static Node nodes[2];

#ifndef BY_HALVES
static unsigned __int128 pair(Node *first, uint64_t count)
{
    return (unsigned __int128)count << 64 | (uintptr_t)first;
}
#endif

static void push(Node *node)
{
    for (;;) {
        uint64_t count = __atomic_load_n(&top.count, __ATOMIC_ACQUIRE);
        node->next = __atomic_load_n(&top.first, __ATOMIC_ACQUIRE);
#ifdef BY_HALVES
        __atomic_store_n(&top.count, count + 1, __ATOMIC_RELEASE);
        Node *old = node->next;
        if (__atomic_compare_exchange_n(&top.first, &old, node, 0, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE))
            return;
#else
        unsigned __int128 old = pair(node->next, count);
        if (__atomic_compare_exchange_n((unsigned __int128 *)&top, &old, pair(node, count + 1), 0,
                                        __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE))
            return;
#endif
    }
}

static void *work(void *argument)
{
    nodes[1].value = 2;
    push(&nodes[1]);
    return argument;
}

int main(void)
{
    pthread_t thread;
    pthread_create(&thread, NULL, work, NULL);
    nodes[0].value = 1;
    push(&nodes[0]);
    pthread_join(thread, NULL);
    assert(top.count == 2 && top.first->value + top.first->next->value == 3);
}
