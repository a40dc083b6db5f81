// expect: violated assertion
// args: -mcx16 --model=tso
// The same as in correct/, but the exchange compares the pointer alone: a node is lost when the count
// that was read is older than the pointer. (It is stored by halves.)
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

static unsigned __int128 pair(Node *first, uint64_t count)
{
    return (unsigned __int128)count << 64 | (uintptr_t)first;
}

static void push(Node *node)
{
    unsigned __int128 old;
    do {
        uint64_t count = __atomic_load_n(&top.count, __ATOMIC_ACQUIRE);
        node->next = __atomic_load_n(&top.first, __ATOMIC_ACQUIRE);
        old = pair(node->next, count);
        __atomic_store_n(&top.count, count + 1, __ATOMIC_RELEASE);
    } while (!__atomic_compare_exchange_n(&top.first, &node->next, node, 0,
                                          __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE));
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
