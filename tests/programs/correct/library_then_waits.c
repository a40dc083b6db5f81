// expect: holds
// executions: 1
/* A function that keeps state of its own (setlocale) makes the program be run again and again
 * instead of restored; the loop that waits is recognised all the same. The only complete execution
 * in which nobody goes round for nothing: the load sees the store. */
#include <assert.h>
#include <locale.h>
#include <pthread.h>
#include <stdatomic.h>

static atomic_int flag;
static int data;

static void *writer(void *unused)
{
    (void)unused;
    data = 42;
    atomic_store_explicit(&flag, 1, memory_order_release);
    return NULL;
}

int main(void)
{
    pthread_t thread;
    setlocale(LC_ALL, "C");
    pthread_create(&thread, NULL, writer, NULL);
    while (!atomic_load_explicit(&flag, memory_order_acquire))
        ;
    assert(data == 42);
    pthread_join(thread, NULL);
    return 0;
}
