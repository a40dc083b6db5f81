// expect: violated assertion
// A plain access between two accesses of a thread to one location: by the letter of RC11 it is what makes T1's x = 1 and T2's
// z == 0 seq_cst-before each other (po|≠loc; hb; po|≠loc), so the outcome would be forbidden. Plain accesses that do not race
// are no events here: the outcome is that of the program without it, which RC11 allows (psc_bare_between.c), and so does a
// compiler that takes out y = 1, which nobody reads. With an atomic access there it is forbidden: tests/programs/correct.
#ifndef BETWEEN
static int y;
#define BETWEEN y = 1
#endif
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
static atomic_int x, z, a;
static int r1, r2, r3;
static void *first(void *p)
{
    atomic_store(&x, 1);
    BETWEEN;
    atomic_store_explicit(&x, 2, memory_order_release);
    return p;
}
static void *second(void *p)
{
    r1 = atomic_load_explicit(&x, memory_order_acquire);
    r2 = atomic_load(&z);
    return p;
}
static void *third(void *p)
{
    atomic_store(&z, 1);
    r3 = atomic_load(&x);
    return p;
}
int main(void)
{
    pthread_t t[3];
    void *(*const run[])(void *) = {first, second, third};
    for (int i = 0; i < 3; i++)
        pthread_create(&t[i], 0, run[i], 0);
    for (int i = 0; i < 3; i++)
        pthread_join(t[i], 0);
    (void)a;
    assert(!(r1 == 2 && r2 == 0 && r3 == 0));
}
