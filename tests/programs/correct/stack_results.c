// expect: holds
// args: --model=sc
// Requests lie on the stacks of the threads that make them, and so do their results: whoever finds the
// list empty serves it for all (the aggregator of TBB's priority queue). The results are plain writes into
// other threads' stacks, which backtracking must neither lose nor invent.
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>

struct op {
    atomic_int done;
    struct op *_Atomic next;
    int pops;
    int *element;
};
static struct op *_Atomic pending;
static atomic_int busy;
static int items[4], count; /* of whoever serves */

static void serve(void)
{
    while (atomic_load_explicit(&busy, memory_order_acquire))
        ;
    atomic_store_explicit(&busy, 1, memory_order_relaxed);
    struct op *list = atomic_exchange(&pending, NULL), *later = NULL;
    while (list) {
        struct op *op = list;
        list = atomic_load_explicit(&op->next, memory_order_relaxed);
        if (op->pops) {
            atomic_store_explicit(&op->next, later, memory_order_relaxed);
            later = op;
        } else {
            items[count++] = *op->element;
            atomic_store_explicit(&op->done, 1, memory_order_release);
        }
    }
    while (later) {
        struct op *op = later;
        later = atomic_load_explicit(&op->next, memory_order_relaxed);
        int found = count > 0;
        if (found)
            *op->element = items[--count];
        atomic_store_explicit(&op->done, found ? 1 : 2, memory_order_release);
    }
    atomic_store_explicit(&busy, 0, memory_order_release);
}

static void execute(struct op *op)
{
    struct op *seen = atomic_load_explicit(&pending, memory_order_relaxed);
    do
        atomic_store_explicit(&op->next, seen, memory_order_relaxed);
    while (!atomic_compare_exchange_strong(&pending, &seen, op));
    if (!seen)
        serve();
    else
        while (!atomic_load_explicit(&op->done, memory_order_acquire))
            ;
}

static void *push(void *unused)
{
    int value = 1;
    struct op op = {.pops = 0, .element = &value};
    execute(&op);
    return unused;
}

static void *pop(void *unused)
{
    int value = 7;
    struct op op = {.pops = 1, .element = &value};
    execute(&op);
    assert(value == (atomic_load(&op.done) == 1 ? 1 : 7));
    return unused;
}

int main(void)
{
    pthread_t a, b, c;
    pthread_create(&a, NULL, pop, NULL);
    pthread_create(&b, NULL, push, NULL);
    pthread_create(&c, NULL, push, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    pthread_join(c, NULL);
    assert(count <= 2);
    return 0;
}
