/* interp.c: an ordinary threaded program that performs a program of the twin's language: exactly
 * its accesses and fences, with its memory orders as constants, and nothing else that threads
 * share and write. The text comes from the environment variable HEDDLE_TWIN_PROGRAM, or
 * from -DTWIN_PROGRAM='"..."'. Explored by Heddle it must show the executions that enumerate.c
 * derives from the axioms. */
#include "program.h"
#include <pthread.h>
#include <stdio.h>

#if defined __GNUC__ && !defined __clang__
#pragma GCC diagnostic ignored "-Winvalid-memory-model" /* C17 lets failure be the stronger one */
#pragma GCC diagnostic ignored "-Wtsan"                 /* our runtime knows fences */
#endif

static _Alignas(8) int cell[TWIN_LOCATIONS]; /* x first: locations in order of address */
static int *in_heap;                         /* of the heap; NULL: all locations are static */
static TwinProgram program;                  /* read only once main runs */

#define LOAD_ORDERS(X) X(RELAXED) X(CONSUME) X(ACQUIRE) X(SEQ_CST)
#define STORE_ORDERS(X) X(RELAXED) X(RELEASE) X(SEQ_CST)
#define ALL_ORDERS(X) X(RELAXED) X(CONSUME) X(ACQUIRE) X(RELEASE) X(ACQ_REL) X(SEQ_CST)

static int load(int *at, int order)
{
    switch (order) {
#define X(name)                                                                                    \
    case __ATOMIC_##name:                                                                          \
        return __atomic_load_n(at, __ATOMIC_##name);
        LOAD_ORDERS(X)
#undef X
    case TWIN_NA:
        return *at;
    }
    abort();
}
static void store(int *at, int value, int order)
{
    switch (order) {
#define X(name)                                                                                    \
    case __ATOMIC_##name:                                                                          \
        __atomic_store_n(at, value, __ATOMIC_##name);                                              \
        return;
        STORE_ORDERS(X)
#undef X
    case TWIN_NA:
        *at = value;
        return;
    }
    abort();
}
/* Several at once: structures of three sizes are assigned, others copied by a call. */
typedef struct Two {
    int item[2];
} Two;
typedef struct Three {
    int item[3];
} Three;
typedef struct Four {
    int item[4];
} Four;
static void copy(void *to, const void *from, int width)
{
    switch (width) {
    case 2:
        *(Two *)to = *(const Two *)from;
        return;
    case 3:
        *(Three *)to = *(const Three *)from;
        return;
    case 4:
        *(Four *)to = *(const Four *)from;
        return;
    default:
        memcpy(to, from, sizeof(int) * (size_t)width);
    }
}
static int exchange(int *at, int value, int order)
{
    switch (order) {
#define X(name)                                                                                    \
    case __ATOMIC_##name:                                                                          \
        return __atomic_exchange_n(at, value, __ATOMIC_##name);
        ALL_ORDERS(X)
#undef X
    }
    abort();
}
static int add(int *at, int value, int order)
{
    switch (order) {
#define X(name)                                                                                    \
    case __ATOMIC_##name:                                                                          \
        return __atomic_fetch_add(at, value, __ATOMIC_##name);
        ALL_ORDERS(X)
#undef X
    }
    abort();
}
#define PAIR(success, failure) ((success)*8 + (failure))
static int compare_exchange(int *at, int expected, int desired, int success, int failure)
{
    switch (PAIR(success, failure)) {
#define Y(on_success, on_failure)                                                                  \
    case PAIR(__ATOMIC_##on_success, __ATOMIC_##on_failure):                                       \
        __atomic_compare_exchange_n(at, &expected, desired, 0, __ATOMIC_##on_success,              \
                                    __ATOMIC_##on_failure);                                        \
        return expected;
#define X(on_success)                                                                              \
    Y(on_success, RELAXED) Y(on_success, CONSUME) Y(on_success, ACQUIRE) Y(on_success, SEQ_CST)
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
    case __ATOMIC_##name:                                                                          \
        __atomic_thread_fence(__ATOMIC_##name);                                                    \
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
        if (i->op == TWIN_FREE) {
            free(in_heap);
            continue;
        }
        if (i->op == TWIN_MOVE) {
            int *moved = realloc(in_heap, 2 * TWIN_BLOCK * sizeof *in_heap);
            (void)moved;
            continue;
        }
        int *at = in_heap && i->location < TWIN_BLOCK ? &in_heap[i->location] : &cell[i->location];
        int value = twin_value(i->value, registers), found = 0;
        if (i->width > 1) {
            int items[TWIN_LOCATIONS];
            for (int k = 0; k < i->width; k++)
                items[k] = value;
            if (i->op == TWIN_LOAD)
                copy(registers + i->destination, at, i->width);
            else
                copy(at, items, i->width);
            continue;
        }
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
        default:
            abort();
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

/* Before main, so that reading the text is no part of what is explored. */
__attribute__((constructor)) static void read_program(void)
{
#ifdef TWIN_PROGRAM
    const char *text = TWIN_PROGRAM;
#else
    const char *text = getenv("HEDDLE_TWIN_PROGRAM");
#endif
    const char *wrong = text ? twin_parse(text, &program) : "HEDDLE_TWIN_PROGRAM is not set";
    if (wrong) {
        fprintf(stderr, "interp: can't read the program at: %s\n", wrong);
        _Exit(2);
    }
    memcpy(cell, program.initial, sizeof cell);
}

int main(void)
{
    pthread_t threads[TWIN_THREADS];
    int registers[TWIN_REGISTERS] = {0};
    int count = program.threads; /* threads that do the same have the same argument */
    TwinBlock *argument[TWIN_THREADS];
    for (int i = 0; i < count; i++)
        argument[i] = i && !memcmp(&program.thread[i - 1], &program.thread[i], sizeof *argument[i])
                          ? argument[i - 1]
                          : &program.thread[i];
    if (program.heap) {
        in_heap = program.heap == TWIN_CALLOC ? calloc(TWIN_BLOCK, sizeof *in_heap)
                                              : malloc(TWIN_BLOCK * sizeof *in_heap);
        for (int i = 0; i < TWIN_BLOCK; i++)
            if (program.heap == TWIN_MALLOC || program.initial[i])
                in_heap[i] = program.initial[i];
    }
    run(&program.pre, registers);
    for (int i = 0; i < count; i++)
        pthread_create(&threads[i], NULL, thread, argument[i]);
    run(&program.mid, registers);
    for (int i = 0; i < count; i++)
        pthread_join(threads[i], NULL);
    run(&program.post, registers);
    _Exit(0); /* the list of exit handlers would be one more shared location */
}
