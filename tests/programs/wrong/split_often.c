// expect: violated assertion
// A thousand and more words are written as a whole and read in halves, before two increments of which one is lost: what
// is known of each word is split, which must neither make the search begin again that often in a replay, nor lose anything.
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdlib.h>

enum { WORDS = 1200 };
static atomic_int count;

static void *work(void *unused)
{
    atomic_store(&count, atomic_load(&count) + 1);
    return unused;
}

int main(void)
{
    pthread_t t;
    uint64_t *words = malloc(WORDS * sizeof *words);
    uint32_t sum = 0;
    for (int i = 0; i < WORDS; i++) {
        words[i] = 1;
        sum += ((uint32_t *)words)[2 * i];
    }
    free(words);
    pthread_create(&t, 0, work, 0);
    work(0);
    pthread_join(t, 0);
    assert(count == 2 && sum == WORDS);
}
