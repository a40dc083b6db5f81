/* The zeroes of calloc and what realloc copies are writes of the thread that calls it. */
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
struct node {
    int value;
    atomic_int mark;
    char text[24];
};
static _Atomic(struct node *) head;
#define PUT(p, o) atomic_store_explicit(&head, p, memory_order_##o)
#define GET(o) atomic_load_explicit(&head, memory_order_##o)
static void *make(void *a)
{
    struct node *n = (struct node *)calloc(V == 3 ? 4 : 1, sizeof *n);
#if V == 5 || V == 6
    n = (struct node *)realloc((void *)n, 2 * sizeof *n);
#elif V == 8
    n->value = 1;
#elif V == 10
    free(n);
    n = (struct node *)malloc(sizeof *n);
    n->value = 0;
    n = (struct node *)realloc((void *)n, 3 * sizeof *n);
#endif
#if V == 1 || V == 6 || V == 7 || V == 9
    PUT(n, release);
#else
    PUT(n, relaxed);
#endif
    return a;
}
static void *use(void *a)
{
#if V == 1 || V == 6 || V == 9
    struct node *n = GET(acquire);
#else
    struct node *n = GET(relaxed);
#endif
    if (!n)
        return a;
#if V == 2
    n->text[23] = 1;
#elif V == 3
    return n[3].value ? a : 0;
#elif V == 4
    atomic_load_explicit(&n->mark, memory_order_relaxed);
#elif V == 9
    atomic_fetch_add(&n->mark, 1);
    n->value++;
#elif V == 11
    char copy[24];
    memcpy(copy, n->text, sizeof copy);
#else
    return n->value ? a : 0;
#endif
    return a;
}
int main(void)
{
    pthread_t a, b;
    pthread_create(&a, 0, make, 0);
    pthread_create(&b, 0, use, 0);
    pthread_join(a, 0);
    pthread_join(b, 0);
    return 0;
}
