// A thread waits for a and looks at b beside it. tests/suites/37_random.sh explores it with a runtime in which hopeless does not
// ask who knows newer values: then no execution comes to its end, and the assertion seems to hold.
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
static atomic_int a, b, ended;
static void *wait_for_a(void *arg)
{
    while (!atomic_load(&a))
        (void)atomic_load(&b);
    atomic_store(&ended, 1);
    return arg;
}
static void *set_b(void *arg) { atomic_store(&b, 2); return arg; }
static void *set_a(void *arg) { atomic_store(&a, 2); return arg; }
int main(void)
{
    pthread_t t[3];
    pthread_create(&t[0], NULL, wait_for_a, NULL);
    pthread_create(&t[1], NULL, set_b, NULL);
    pthread_create(&t[2], NULL, set_a, NULL);
    pthread_join(t[0], NULL);
    pthread_join(t[1], NULL);
    pthread_join(t[2], NULL);
    assert(!atomic_load(&ended));
    return 0;
}
