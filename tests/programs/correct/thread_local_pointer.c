// expect: holds
// The address of a thread-local may be handed to another thread while its owner lives.
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
static _Thread_local atomic_int mailbox;
static _Atomic(atomic_int *) published;
static void *owner(void *arg)
{
    atomic_store(&published, &mailbox);
    while (atomic_load(&mailbox) == 0)
        ;
    assert(atomic_load(&mailbox) == 3);
    return arg;
}
static void *sender(void *arg)
{
    atomic_int *to;
    while (!(to = atomic_load(&published)))
        ;
    assert(to != &mailbox);
    atomic_store(to, 3);
    return arg;
}
int main(void)
{
    pthread_t t, u;
    pthread_create(&t, NULL, owner, NULL);
    pthread_create(&u, NULL, sender, NULL);
    pthread_join(t, NULL);
    pthread_join(u, NULL);
    return 0;
}
