/* The program's own arguments, which it may also change: -- one two */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <string.h>

static atomic_int shared;

static void *store(void *unused)
{
    atomic_store(&shared, 1);
    return unused;
}

int main(int count, char **words)
{
    pthread_t thread;
    assert(count == 3 && !strcmp(words[1], "one") && !strcmp(words[2], "two") && !words[3]);
    words[1][0] = 'O';
    words[2] = words[0];
    pthread_create(&thread, NULL, store, NULL);
    atomic_store(&shared, 2);
    pthread_join(thread, NULL);
    return 0;
}
