/* Message passing. The release store and the acquire load make the data visible, without either it races. Nobody reads
 * `other', so its order is not needed; the load is stronger than it must be. */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
static int data;
static atomic_int flag, other;
static void *writer(void *argument)
{
    data = 1;
    atomic_store_explicit(&flag, 1, memory_order_release); // weaken: needed store release
    other = 1; // weaken: unneeded store seq_cst
    return argument;
}
static void *reader(void *argument)
{
    if (atomic_load(&flag)) // weaken: weaker load seq_cst to acquire
        assert(data == 1);
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
