// expect: holds
/* A round of the loop that is tried with another value (guest/explore/reduce/waiting/waiting.h, ghosts) calls getopt where the
 * thread itself did not: only if the first value that it saw was 2. What getopt noted must be taken back.
 * (Relaxed: all values are there when the loop begins, so that nothing is run again for another reason.) */
#include <assert.h>
#include <getopt.h>
#include <pthread.h>
#include <stdatomic.h>

static atomic_int turn, done;

static void *writer(void *unused)
{
    (void)unused;
    for (int i = 1; i < 4; i++)
        atomic_store_explicit(&turn, i, memory_order_relaxed);
    atomic_store_explicit(&done, 1, memory_order_relaxed);
    return NULL;
}

int main(void)
{
    char name[] = "name", a[] = "-a", b[] = "-b", c[] = "-c";
    char *words[] = {name, a, b, c, NULL};
    pthread_t thread;
    int first = 1, got = 0, seen;
    pthread_create(&thread, NULL, writer, NULL);
    while (!atomic_load_explicit(&done, memory_order_relaxed))
        ;
    while ((seen = atomic_load_explicit(&turn, memory_order_relaxed)) != 3) {
        if (seen == 2 && first)
            got = getopt(4, words, "abc");
        first = 0;
    }
    assert(got == 0 || got == 'a');
    assert(getopt(4, words, "abc") == (got ? 'b' : 'a'));
    pthread_join(thread, NULL);
    return 0;
}
