/* interp.c: an ordinary threaded program that performs a program of the twin's language: exactly
 * its atomic accesses and fences, with its memory orders as constants, and nothing else that
 * threads share and write. The text comes from the environment variable HEDDLE_TWIN_PROGRAM, or
 * from -DTWIN_PROGRAM='"..."'. Explored by Heddle it must show the executions that enumerate.c
 * derives from the axioms. */
#include "program.h"
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>

static atomic_int cell[TWIN_LOCATIONS]; /* x first: locations in order of address */
static TwinProgram program;             /* written before the threads start, read only afterwards */

#define LOAD_ORDERS(X) X(relaxed) X(consume) X(acquire) X(seq_cst)
#define STORE_ORDERS(X) X(relaxed) X(release) X(seq_cst)
#define ALL_ORDERS(X) X(relaxed) X(consume) X(acquire) X(release) X(acq_rel) X(seq_cst)

static int load(atomic_int *at, int order)
{
    switch (order) {
#define X(name)                                                                                    \
    case memory_order_##name:                                                                      \
        return atomic_load_explicit(at, memory_order_##name);
        LOAD_ORDERS(X)
#undef X
    }
    abort();
}
static void store(atomic_int *at, int value, int order)
{
    switch (order) {
#define X(name)                                                                                    \
    case memory_order_##name:                                                                      \
        atomic_store_explicit(at, value, memory_order_##name);                                     \
        return;
        STORE_ORDERS(X)
#undef X
    }
    abort();
}
static int exchange(atomic_int *at, int value, int order)
{
    switch (order) {
#define X(name)                                                                                    \
    case memory_order_##name:                                                                      \
        return atomic_exchange_explicit(at, value, memory_order_##name);
        ALL_ORDERS(X)
#undef X
    }
    abort();
}
static int add(atomic_int *at, int value, int order)
{
    switch (order) {
#define X(name)                                                                                    \
    case memory_order_##name:                                                                      \
        return atomic_fetch_add_explicit(at, value, memory_order_##name);
        ALL_ORDERS(X)
#undef X
    }
    abort();
}
#if defined __GNUC__ && !defined __clang__
#pragma GCC diagnostic ignored "-Winvalid-memory-model" /* C17 lets failure be the stronger one */
#endif
#define PAIR(success, failure) ((success)*8 + (failure))
static int compare_exchange(atomic_int *at, int expected, int desired, int success, int failure)
{
    switch (PAIR(success, failure)) {
#define Y(on_success, on_failure)                                                                  \
    case PAIR(memory_order_##on_success, memory_order_##on_failure):                               \
        atomic_compare_exchange_strong_explicit(at, &expected, desired, memory_order_##on_success, \
                                                memory_order_##on_failure);                        \
        return expected;
#define X(on_success)                                                                              \
    Y(on_success, relaxed) Y(on_success, consume) Y(on_success, acquire) Y(on_success, seq_cst)
        ALL_ORDERS(X)
#undef X
#undef Y
    }
    abort();
}
static void fence(int order)
{
    switch (order) {
#define X(name)                                                                                    \
    case memory_order_##name:                                                                      \
        atomic_thread_fence(memory_order_##name);                                                  \
        return;
        ALL_ORDERS(X)
#undef X
    }
    abort();
}

static void run(const TwinBlock *block, int *registers)
{
    for (int n = 0; n < block->length; n++) {
        const TwinInstruction *i = &block->code[n];
        if (!twin_enabled(i, registers))
            continue;
        atomic_int *at = &cell[i->location];
        int value = twin_value(i->value, registers), found = 0;
        switch (i->op) {
        case TWIN_LOAD:
            found = load(at, i->order);
            break;
        case TWIN_STORE:
            store(at, value, i->order);
            break;
        case TWIN_EXCHANGE:
            found = exchange(at, value, i->order);
            break;
        case TWIN_ADD:
            found = add(at, value, i->order);
            break;
        case TWIN_CAS:
            found = compare_exchange(at, twin_value(i->expected, registers), value, i->order,
                                     i->failure);
            break;
        case TWIN_FENCE:
            fence(i->order);
            break;
        }
        if (i->destination >= 0)
            registers[i->destination] = found;
    }
}

static void *thread(void *block)
{
    int registers[TWIN_REGISTERS] = {0};
    run(block, registers);
    return NULL;
}

int main(void)
{
    pthread_t threads[TWIN_THREADS];
    int registers[TWIN_REGISTERS] = {0};
#ifdef TWIN_PROGRAM
    const char *text = TWIN_PROGRAM;
#else
    const char *text = getenv("HEDDLE_TWIN_PROGRAM");
#endif
    const char *wrong = text ? twin_parse(text, &program) : "HEDDLE_TWIN_PROGRAM is not set";
    if (wrong) {
        fprintf(stderr, "interp: can't read the program at: %s\n", wrong);
        return 2;
    }
    for (int i = 0; i < TWIN_LOCATIONS; i++)
        if (program.initial[i])
            atomic_init(&cell[i], program.initial[i]);
    run(&program.pre, registers);
    for (int i = 0; i < program.threads; i++)
        pthread_create(&threads[i], NULL, thread, &program.thread[i]);
    for (int i = 0; i < program.threads; i++)
        pthread_join(threads[i], NULL);
    run(&program.post, registers);
    return 0;
}
