// expect: holds
// Two threads use pages of their own that they map, grow and give back; their addresses are the same in every
// execution, and what the system maps is zero.
#define _GNU_SOURCE
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <sys/mman.h>

static atomic_int turns;

static int *map(size_t bytes)
{
    int *pages = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    assert(pages != MAP_FAILED && pages[0] == 0 && pages[1023] == 0);
    return pages;
}

static void *use(void *unused)
{
    int *pages = map(8192);
    pages[0] = 1;
    atomic_fetch_add(&turns, 1);
    pages = mremap(pages, 8192, 16384, MREMAP_MAYMOVE);
    assert(pages != MAP_FAILED && pages[0] == 1 && pages[4095] == 0);
    assert(!munmap(pages, 4096));
    pages[2048] = 2;
    assert(!munmap((char *)pages + 4096, 12288));
    return unused;
}

int main(void)
{
    pthread_t thread;
    pthread_create(&thread, NULL, use, NULL);
    use(NULL);
    pthread_join(thread, NULL);
    assert(turns == 2);
    return 0;
}
