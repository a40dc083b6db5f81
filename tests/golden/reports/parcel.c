// A flag inside a parcel is set plainly, and the parcel handed over without release: the reader's access to
// the flag, an atomic one, races.
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

struct parcel {
    int opened;
};
static struct parcel *_Atomic post;

static void *send(void *arg)
{
    struct parcel *parcel = malloc(sizeof *parcel);
    parcel->opened = 0;
    atomic_store_explicit(&post, parcel, memory_order_relaxed);
    return arg;
}

static void *receive(void *arg)
{
    struct parcel *parcel = atomic_load_explicit(&post, memory_order_relaxed);
    if (parcel)
        __atomic_store_n(&parcel->opened, 1, __ATOMIC_RELEASE);
    return arg;
}

int main(void)
{
    pthread_t sender, receiver;
    pthread_create(&sender, NULL, send, NULL);
    pthread_create(&receiver, NULL, receive, NULL);
    pthread_join(sender, NULL);
    pthread_join(receiver, NULL);
    free(post);
    return 0;
}
