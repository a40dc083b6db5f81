// expect: violated race
// Two threads write the same word of a page that was mapped, without order; under sc (mapped_race_sc.c) the word is
// explored as if it were atomic, and the order in which main is last fails.
#include <assert.h>
#include <pthread.h>
#include <sys/mman.h>

static int *page;

static void *writer(void *unused)
{
    page[3] = 1;
    return unused;
}

int main(void)
{
    pthread_t thread;
    page = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    pthread_create(&thread, NULL, writer, NULL);
    page[3] = 2;
    pthread_join(thread, NULL);
    assert(page[3] == 1);
    return 0;
}
