/* A release store in an object that heddle did not compile is a plain move in its machine code: under rc11 nobody can
 * tell, under tso and sc it needs not be told. */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

static int data;
static atomic_int flag;
void foreign_set(atomic_int *to);

static void *writer(void *unused)
{
    data = 1;
    foreign_set(&flag);
    return unused;
}

int main(void)
{
    pthread_t thread;
    pthread_create(&thread, NULL, writer, NULL);
    if (atomic_load_explicit(&flag, memory_order_acquire))
        assert(data == 1);
    pthread_join(thread, NULL);
    return 0;
}
