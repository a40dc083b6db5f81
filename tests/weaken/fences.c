/* Message passing with fences: each is needed; the seq_cst one need only release. Two orders in one line, of which the
 * second publishes nothing that anyone reads. */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
static int data, more;
static atomic_int flag, second, third;
static void *writer(void *argument)
{
    data = 1;
    atomic_thread_fence(memory_order_seq_cst); // weaken: weaker fence seq_cst to release
    atomic_store_explicit(&flag, 1, memory_order_relaxed);
    more = 1;
    atomic_store_explicit(&second, 1, memory_order_release); atomic_store_explicit(&third, 1, memory_order_release); // weaken: needed store release; unneeded store release
    return argument;
}
static void *reader(void *argument)
{
    if (atomic_load_explicit(&flag, memory_order_relaxed)) {
        atomic_thread_fence(memory_order_acquire); // weaken: needed fence acquire
        assert(data == 1);
    }
    if (atomic_load_explicit(&second, memory_order_acquire)) // weaken: needed load acquire
        assert(more == 1);
    return argument;
}
int main(void)
{
    pthread_t w, r;
    pthread_create(&w, NULL, writer, NULL);
    pthread_create(&r, NULL, reader, NULL);
    pthread_join(w, NULL);
    pthread_join(r, NULL);
}
