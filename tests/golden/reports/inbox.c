/* A node is linked before its flag is set up; compiled with -DLATE the receiver follows a pointer that
 * is not there yet. */
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

struct letter {
    atomic_bool read;
    int text;
};

static _Atomic(struct letter *) inbox;

static void *sender(void *unused)
{
    struct letter *letter = malloc(sizeof *letter);
    letter->text = 1;
#ifdef LATE
    atomic_store(&letter->read, 0);
#endif
    atomic_store(&inbox, letter);
    atomic_store(&letter->read, 0);
    return unused;
}

static void *receiver(void *unused)
{
    struct letter *letter = atomic_load(&inbox);
#ifndef LATE
    if (!letter)
        return unused;
#endif
    atomic_load(&letter->read);
    return unused;
}

int main(void)
{
    pthread_t a, b;
    pthread_create(&a, NULL, sender, NULL);
    pthread_create(&b, NULL, receiver, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
}
