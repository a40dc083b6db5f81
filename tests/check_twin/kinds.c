// A counter under a lock, and beside it, in one of its operations only, something that is found out while a test is
// explored and changes how it goes on: what one test finds out must not be known in the next. KIND says what; BROKEN
// makes the lock let two in.
#include <heddle.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

static atomic_int lock;
static int counter;

#if KIND == 2
typedef struct Node {
    struct Node *next; // initialised plainly
    int value;
} Node;
static Node *top;
#elif KIND == 3
static union { // accessed in two sizes
    uint32_t word;
    uint8_t byte[4];
} parts;
#elif KIND == 4
static _Alignas(16) unsigned __int128 wide;
#endif

static void take(void)
{
#ifdef BROKEN
    if (!atomic_load(&lock)) {
        atomic_store(&lock, 1);
        return;
    }
#endif
    while (atomic_exchange(&lock, 1))
        ;
}
static void leave(void)
{
    atomic_store(&lock, 0);
}

#if KIND == 5
static void *idle(void *unused)
{
    return unused;
}
#endif

#if KIND == 1
static _Atomic(int *) asked; // a thread that waits has the other one tell it by a local variable
static void ask_and_answer(void)
{
    int answer = 0; // initialised plainly
    int *other = atomic_exchange(&asked, &answer);
    if (other)
        __atomic_store_n(other, 1, __ATOMIC_RELEASE);
    int *self = &answer;
    if (!atomic_compare_exchange_strong(&asked, &self, NULL))
        while (!__atomic_load_n(&answer, __ATOMIC_ACQUIRE))
            ;
}
#endif

HD_OP(push, int, v, 1)
{
#if KIND == 1
    ask_and_answer();
#elif KIND == 2
    Node *node = malloc(sizeof *node);
    node->value = v;
#elif KIND == 3
    __atomic_store_n(&parts.byte[1], 1, __ATOMIC_RELEASE);
#elif KIND == 4
    __atomic_load_n((uint64_t *)&wide, __ATOMIC_ACQUIRE);
#elif KIND == 5
    for (int i = 0; i < 15; i++) {
        pthread_t thread;
        pthread_create(&thread, NULL, idle, NULL);
        pthread_join(thread, NULL);
    }
#elif KIND == 6
    FILE *file = fopen("/dev/null", "w");
    if (file)
        fclose(file);
#endif
    take();
#if KIND == 2
    node->next = top;
    top = node;
#endif
    int sum = counter += v;
    leave();
    return HD_INT(sum);
}
HD_OP(pop)
{
#if KIND == 3
    if (__atomic_load_n(&parts.word, __ATOMIC_ACQUIRE) > 256)
        return HD_NONE;
#elif KIND == 4
    unsigned __int128 none = 0;
    __atomic_compare_exchange_n(&wide, &none, 1, 0, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE);
#endif
    take();
    int sum = counter;
#if KIND == 2
    Node *node = top;
    if (node)
        top = node->next;
#endif
    leave();
#if KIND == 2
    free(node);
#endif
    return HD_INT(sum);
}
