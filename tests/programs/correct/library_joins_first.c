// expect: holds
/* The first thing that a thread does is to wait for another one: it must come out of that in every
 * execution, also when the program is run again. */
#include <assert.h>
#include <locale.h>
#include <pthread.h>
#include <stdatomic.h>

static atomic_int x;
static pthread_t first;

static void *writer(void *unused)
{
    (void)unused;
    atomic_store(&x, 1);
    atomic_store(&x, 2);
    return NULL;
}

static void *waiter(void *unused)
{
    (void)unused;
    pthread_join(first, NULL);
    assert(atomic_load(&x) == 2);
    return NULL;
}

int main(void)
{
    pthread_t second;
    setlocale(LC_ALL, "C");
    pthread_create(&first, NULL, writer, NULL);
    pthread_create(&second, NULL, waiter, NULL);
    atomic_load(&x);
    pthread_join(second, NULL);
    return 0;
}
