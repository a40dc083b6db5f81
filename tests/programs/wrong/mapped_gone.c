// expect: violated use-after-free
// A thread reads a page while main gives it back to the system: nothing orders the two.
#include <pthread.h>
#include <sys/mman.h>

static int *page;

static void *reader(void *unused)
{
    return page[0] ? NULL : unused;
}

int main(void)
{
    pthread_t thread;
    page = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    pthread_create(&thread, NULL, reader, NULL);
    munmap(page, 4096);
    pthread_join(thread, NULL);
    return 0;
}
