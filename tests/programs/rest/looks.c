// Main's rest (src/guest/explore/reduce/rest.h): it joins its threads, loads atomic variables and ends. In the first execution
// nothing is wrong with what it sees; in a later one there is. tests/suites/36_rest.sh knows the answers.
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
static atomic_int x, y, z;
static atomic_int *block;
static int plain;
static void *add(void *arg)
{
    (void)arg;
#if WHAT == 0 /* always the same sum */
    atomic_fetch_add(&x, 1);
#elif WHAT == 1 /* a lost update, in some executions */
    atomic_store(&x, atomic_load(&x) + 1);
#elif WHAT == 2 /* the second value that main looks at depends on the order, the first one does not */
    atomic_fetch_add(&x, 1);
    atomic_store(&y, (int)(long)arg);
#elif WHAT == 3 /* which variable main looks at next depends on the one before; z stays as it is */
    atomic_store(&x, (int)(long)arg);
    atomic_fetch_add(&y, 1);
#elif WHAT == 6 /* a plain write, after all atomic ones */
    if (atomic_fetch_add(&y, 1) == 1)
        *(int *)&z = (int)(long)arg;
#elif WHAT == 7 /* whoever comes second frees what main looks at, if it is the first thread */
    if (atomic_fetch_add(&x, 1) == 1 && arg == (void *)1)
        free(block);
#elif WHAT == 8 /* plain memory beside what is loaded */
    if (atomic_fetch_add(&x, 1) == 0)
        plain = (int)(long)arg;
#elif WHAT == 10 /* main looks before it has joined the second thread; the first one has a choice */
    if (arg == (void *)2) {
        atomic_store_explicit(&y, 1, memory_order_relaxed);
        atomic_store_explicit(&z, 1, memory_order_relaxed);
        atomic_store_explicit(&z, 2, memory_order_relaxed);
    } else {
        (void)atomic_load_explicit(&y, memory_order_relaxed);
    }
#else
    atomic_fetch_add(&x, 1);
#endif
    return NULL;
}
static void *last(void *arg)
{
    atomic_store(&y, 1);
    if (WHAT == 5) /* the last value is as if it had not run */
        atomic_store(&y, 0);
    return arg;
}
/* Creates a thread if it comes first. WHAT == 5: main may look while that still runs. */
static void *creates(void *arg)
{
    pthread_t child;
    if (atomic_fetch_add(&x, 1) == 1)
        return arg;
    pthread_create(&child, NULL, last, NULL);
    if (WHAT == 4)
        pthread_join(child, NULL);
    return arg;
}
int main(void)
{
    pthread_t one, two;
    (void)plain;
    atomic_store(&y, 0);
    atomic_store(&z, 0);
    atomic_int *own = malloc(sizeof *own); /* main's rest must not read the global variable */
    atomic_store(own, 0);
    block = own;
    pthread_create(&one, NULL, add, (void *)1);
    pthread_create(&two, NULL, WHAT == 4 || WHAT == 5 ? creates : add, (void *)2);
    pthread_join(one, NULL);
    if (WHAT == 10)
        assert(atomic_load_explicit(&z, memory_order_relaxed) < 3);
    pthread_join(two, NULL);
#if WHAT == 0 || WHAT == 1
    assert(atomic_load(&x) == 2);
#elif WHAT == 2
    assert(atomic_load(&x) == 2 && atomic_load(&y) != 1);
#elif WHAT == 3
    assert(atomic_load(&x) == 2 ? atomic_load(&y) == 2 : atomic_load(&z) == 1);
#elif WHAT == 4 || WHAT == 5
    assert(atomic_load(&x) == 2 && atomic_load(&y) == 0);
#elif WHAT == 6
    assert(atomic_load(&y) == 2 && atomic_load(&z) != 1);
#elif WHAT == 7
    assert(atomic_load(&x) == 2 && atomic_load(own) == 0);
#elif WHAT == 8
    assert(atomic_load(&x) == 2 && plain != 2);
#elif WHAT == 9
    assert(atomic_load_explicit(&x, memory_order_relaxed) == 2 && atomic_load(&y) == 0 && atomic_load(&z) == 0);
#endif
    return 0;
}
