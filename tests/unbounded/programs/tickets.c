/* A ticket lock for ever, whose tickets are HD_TICKET. M1: nobody is let in after the first one, so that the other waits
 * for ever: to look at a ticket that nobody has given out is not to write. M2: nobody has written the first half of a word
 * whose other half, a ticket, is read. */
// run: => holds
// run: --model=tso => holds
// run: -DM1 => violated livelock
// run: -DM1 -O2 => violated livelock
// run: -DM1 --model=tso => violated livelock
// run: -DM2 => violated uninitialised-read
#include <heddle.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
static atomic_uint next = HD_TICKET(0), serving = HD_TICKET(0);
static struct pair {
    atomic_uint count;
    unsigned ticket;
} *pair;
static void *enter(void *unused)
{
    for (;;) {
        unsigned mine = atomic_fetch_add(&next, 1);
        while (atomic_load(&serving) != mine)
            ;
#ifdef M1
        return unused;
#endif
        atomic_store(&serving, mine + 1);
    }
}
int main(void)
{
    pthread_t other;
#ifdef M2
    pair = malloc(sizeof *pair);
    pair->ticket = HD_TICKET(0);
    return pair->ticket == HD_TICKET(0) && atomic_load(&pair->count) == 1;
#endif
    pthread_create(&other, NULL, enter, NULL);
    enter(NULL);
    return pthread_join(other, NULL);
}
