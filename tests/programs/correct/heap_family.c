// expect: holds
// malloc, calloc, realloc, aligned_alloc, posix_memalign, strdup in threads; all freed.
#include <assert.h>
#include <pthread.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
static void *work(void *arg)
{
    int *a = malloc(4 * sizeof *a), *b = calloc(4, sizeof *b);
    void *c = aligned_alloc(64, 128), *d = NULL;
    char *e = strdup("heddle");
    for (int i = 0; i < 4; i++) {
        assert(b[i] == 0);
        a[i] = i;
    }
    a = realloc(a, 8 * sizeof *a);
    assert(a[3] == 3);
    a[7] = 7;
    a = realloc(a, 2 * sizeof *a);
    assert(a[1] == 1);
    assert((uintptr_t)c % 64 == 0);
    assert(posix_memalign(&d, 32, 32) == 0 && (uintptr_t)d % 32 == 0);
    assert(strcmp(e, "heddle") == 0);
    free(a);
    free(b);
    free(c);
    free(d);
    free(e);
    free(NULL);
    return arg;
}
int main(void)
{
    pthread_t t, u;
    pthread_create(&t, NULL, work, NULL);
    pthread_create(&u, NULL, work, NULL);
    pthread_join(t, NULL);
    pthread_join(u, NULL);
    return 0;
}
