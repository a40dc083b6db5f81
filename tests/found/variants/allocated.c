/* An object goes from the thread that has allocated it to another one by a relaxed pointer: nothing orders the allocation
 * and the use. From 11 on something does: acquire, a lock, a fence, the creation of the thread. With an even V the user
 * is created first. */
#ifdef __cplusplus
#include <atomic>
using namespace std;
#define POINTER(type) atomic<type *>
#else
#include <stdatomic.h>
#define POINTER(type) _Atomic(type *)
#endif
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
struct node {
    atomic_int count;
    int plain;
    pthread_mutex_t lock;
};
static POINTER(struct node) shared;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
#define KIND ((V - 1) / 2)
static struct node *make(void)
{
#if KIND == 4
    struct node *n = (struct node *)aligned_alloc(64, 256);
#else
    struct node *n = (struct node *)malloc(sizeof *n);
#endif
#if KIND == 1
    atomic_init(&n->count, 0);
#endif
    return n;
}
static void use(struct node *n)
{
#if KIND == 0
    n->plain = 1;
#elif KIND == 1
    atomic_fetch_add_explicit(&n->count, 1, memory_order_relaxed);
#elif KIND == 2
    atomic_store(&n->count, 1);
#elif KIND == 3
    free(n);
#elif KIND == 4
    memset(&n->plain, 1, sizeof n->plain);
#else
    n->plain = 1;
    atomic_store_explicit(&n->count, 1, memory_order_relaxed);
#endif
}
static void *maker(void *a)
{
    struct node *n = make();
#if KIND == 5
    atomic_store_explicit(&shared, n, memory_order_release);
#elif KIND == 6
    pthread_mutex_lock(&lock);
    atomic_store_explicit(&shared, n, memory_order_relaxed);
    pthread_mutex_unlock(&lock);
#elif KIND == 7
    atomic_thread_fence(memory_order_release);
    atomic_store_explicit(&shared, n, memory_order_relaxed);
#else
    atomic_store_explicit(&shared, n, memory_order_relaxed);
#endif
    return a;
}
static void *user(void *a)
{
#if KIND == 5
    struct node *n = atomic_load_explicit(&shared, memory_order_acquire);
#elif KIND == 6
    pthread_mutex_lock(&lock);
    struct node *n = atomic_load_explicit(&shared, memory_order_relaxed);
    pthread_mutex_unlock(&lock);
#else
    struct node *n = atomic_load_explicit(&shared, memory_order_relaxed);
#endif
#if KIND == 7
    atomic_thread_fence(memory_order_acquire);
#endif
    if (n)
        use(n);
    return a;
}
int main(void)
{
    pthread_t threads[2];
#if KIND == 8
    maker(0);
#endif
    pthread_create(&threads[0], 0, V % 2 && KIND != 8 ? maker : user, 0);
    if (KIND != 8) {
        pthread_create(&threads[1], 0, V % 2 ? user : maker, 0);
        pthread_join(threads[1], 0);
    }
    pthread_join(threads[0], 0);
}
