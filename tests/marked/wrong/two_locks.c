// expect: violated linearizability
// args: -DTRY
// A get that finds the lock taken says that the queue is empty: after put(1) in the same thread that is wrong.
#include <heddle.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
struct node {
    int value;
    _Atomic(struct node *) next;
};
static struct node first, *head = &first, *tail = &first;
static pthread_mutex_t head_lock = PTHREAD_MUTEX_INITIALIZER, tail_lock = PTHREAD_MUTEX_INITIALIZER;
static void put(int value)
{
    HD_BEGIN("queue", "put", HD_INT(value));
    struct node *node = calloc(1, sizeof *node);
    node->value = value;
    pthread_mutex_lock(&tail_lock);
    atomic_store_explicit(&tail->next, node, memory_order_release);
    tail = node;
    pthread_mutex_unlock(&tail_lock);
    HD_END(HD_VOID);
}
static int get(void)
{
    HD_BEGIN("queue", "get");
    int value = -1;
#ifdef TRY
    if (pthread_mutex_trylock(&head_lock) != 0) {
        HD_END(HD_NONE);
        return -1;
    }
#else
    pthread_mutex_lock(&head_lock);
#endif
    struct node *next = atomic_load_explicit(&head->next, memory_order_acquire);
    if (next) {
        value = next->value;
        head = next;
    }
    pthread_mutex_unlock(&head_lock);
    HD_END(next ? HD_INT(value) : HD_NONE);
    return value;
}
static void *one(void *unused)
{
    put(1);
    get();
    return unused;
}
static void *other(void *unused)
{
    get();
    put(2);
    return unused;
}
int main(void)
{
    pthread_t t, u;
    pthread_create(&t, NULL, one, NULL);
    pthread_create(&u, NULL, other, NULL);
    pthread_join(t, NULL);
    pthread_join(u, NULL);
    return 0;
}
