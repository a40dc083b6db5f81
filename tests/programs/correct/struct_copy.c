// expect: holds
// Structures copied into memory that is also accessed atomically: gcc calls the hook of the write, then
// that of the read, and copies after both.
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
struct one { long value; };
struct three { long first, value, last; };
static struct one *a, *b;
static struct three *c, *d;
static struct one *volatile where;
static volatile struct one from, to;
__attribute__((noinline)) static void copy_one(struct one *x, struct one *y) { *x = *y; }
__attribute__((noinline)) static void copy_three(struct three *x, struct three *y) { *x = *y; }
static long load(long *p) { return __atomic_load_n(p, __ATOMIC_RELAXED); }
static void *work(void *arg)
{
    __atomic_fetch_add(&a->value, 1, __ATOMIC_RELAXED);
    __atomic_fetch_add(&c->value, 1, __ATOMIC_RELAXED);
    return arg;
}
int main(void)
{
    struct one local = {3};
    pthread_t t;
    a = malloc(sizeof *a), b = malloc(sizeof *b), c = malloc(sizeof *c), d = malloc(sizeof *d);
    __atomic_store_n(&a->value, 5, __ATOMIC_RELAXED);
    __atomic_store_n(&c->value, 5, __ATOMIC_RELAXED);
    b->value = 7;
    *d = (struct three){1, 8, 2};
    copy_one(a, b);
    copy_three(c, d);
    assert(load(&a->value) == 7 && load(&c->value) == 8 && c->last == 2);
    copy_one(a, &local);
    assert(load(&a->value) == 3);
    copy_one(&local, b); /* and the other way round */
    assert(local.value == 7 && load(&b->value) == 7);
    copy_one(a, b); /* now both sides are atomic */
    assert(load(&a->value) == 7);
    from.value = 4;
    to = from;
    assert(to.value == 4 && from.value == 4);
    where = a;
    *where = *b;
    pthread_create(&t, NULL, work, NULL);
    pthread_join(t, NULL);
    assert(a->value == 8 && c->value == 9);
    copy_one(b, a);
    copy_three(d, c);
    assert(load(&b->value) == 8 && d->value == 9);
    free(a), free(b), free(c), free(d);
    return 0;
}
