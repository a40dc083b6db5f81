// asks: run --memory=64M
// reason: asks for 100000000 bytes in one allocation, more than the memory limit allows
// advice: More memory: --memory=256M
// then: run @--memory
// better: holds
#include <pthread.h>
#include <stdlib.h>
static void *fill(void *unused)
{
    char *large = malloc(100000000);
    if (large)
        large[0] = 1;
    free(large);
    return unused;
}
int main(void)
{
    pthread_t thread;
    pthread_create(&thread, NULL, fill, NULL);
    fill(NULL);
    pthread_join(thread, NULL);
}
