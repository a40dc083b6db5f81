// expect: holds
/* A loop that only looks at a flag, as far as the program's memory shows: what ends it is kept by
 * getopt. Nobody sets the flag, and still nobody waits for ever. */
#include <assert.h>
#include <getopt.h>
#include <pthread.h>
#include <stdatomic.h>

static atomic_int flag, other;

static void *writer(void *unused)
{
    (void)unused;
    atomic_store(&other, 1);
    return NULL;
}

int main(void)
{
    char name[] = "name", a[] = "-a", b[] = "-b", c[] = "-c";
    char *words[] = {name, a, b, c, a, b, c, NULL};
    pthread_t thread;
    pthread_create(&thread, NULL, writer, NULL);
    while (!atomic_load(&flag))
        if (getopt(7, words, "abc") < 0)
            break;
    assert(!atomic_load(&flag));
    pthread_join(thread, NULL);
    return 0;
}
