// expect: violated assertion
// Each round of a loop allocates a new object, frees the last one, and counts in it: HOW 0 in its bytes, 1 in an object
// that it points to, 2 in its size, 3 in an atomic member.
// args: -DHOW=0
#include <assert.h>
#include <malloc.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#ifndef HOW
#define HOW 0
#endif
static atomic_int flag;
typedef struct Box {
    struct Box *inner;
    int n;
    atomic_int m;
} Box;

static Box *next(Box *old)
{
    Box *box = malloc(sizeof *box + (HOW == 2) * (old ? malloc_usable_size(old) - sizeof *box + 16 : 16));
    box->inner = HOW == 1 ? malloc(sizeof *box) : 0;
    box->n = HOW == 0 && old ? old->n + 1 : 0;
    atomic_init(&box->m, 0);
    if (HOW == 1)
        box->inner->n = old ? old->inner->n + 1 : 0;
    if (HOW == 3)
        atomic_store(&box->m, old ? atomic_load(&old->m) + 1 : 0);
    return box;
}

static int count(Box *box)
{
    if (HOW == 2)
        return (int)((malloc_usable_size(box) - sizeof *box) / 16) - 1;
    return HOW == 0 ? box->n : HOW == 1 ? box->inner->n : atomic_load(&box->m);
}

static void *wait(void *arg)
{
    Box *box = 0;
    while (!atomic_load(&flag)) {
        Box *new = next(box);
        if (box)
            free(box->inner), free(box);
        box = new;
        assert(count(box) < 4);
    }
    return arg;
}

static void *set(void *arg)
{
    atomic_store(&flag, 1);
    return arg;
}

int main(void)
{
    pthread_t a, b;
    pthread_create(&a, 0, wait, 0);
    pthread_create(&b, 0, set, 0);
    pthread_join(a, 0);
    pthread_join(b, 0);
    return 0;
}
