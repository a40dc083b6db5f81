/* mimalloc: a block that one thread allocates is freed by another while the first goes on allocating; freed blocks
 * come back, but no block is handed out twice, and its bytes are its owner's alone. */
#include <assert.h>
#include <mimalloc.h>
#include <pthread.h>

static void *freer(void *block)
{
    *(int *)block = 2;
    mi_free(block);
    return NULL;
}

int main(void)
{
    pthread_t thread;
    int *first = mi_malloc(8), *second = mi_malloc(8);
    assert(first && second && first != second);
    *first = *second = 1;
    assert(!pthread_create(&thread, NULL, freer, first));
    int *third = mi_malloc(8);
    assert(third && third != second);
    *third = 3;
    assert(*second == 1);
    mi_free(second);
    mi_collect(0);
    pthread_join(thread, NULL);
    assert(*third == 3);
    mi_free(third);
    return 0;
}
