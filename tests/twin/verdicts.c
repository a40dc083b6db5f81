/* verdicts.c: an ordinary threaded program that performs a text of verdicts.h, which it finds in
 * HEDDLE_TWIN_PROGRAM. Explored by Heddle it must get the verdict that verdicts_judge.c derives. */
#include "verdicts.h"
#include <assert.h>
#include <heddle.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>

static VtProgram program; /* read only once main runs */
static int cells[VT_CELLS];
static int *blocks[VT_BLOCKS]; /* accessed atomically */
static pthread_mutex_t mutexes[VT_MUTEXES] = {PTHREAD_MUTEX_INITIALIZER, PTHREAD_MUTEX_INITIALIZER};

static void run_on_block(const VtOp *op, int *registers)
{
    int unused, *block = __atomic_load_n(&blocks[op->about], __ATOMIC_SEQ_CST);
    if (!block && op->code != 'n')
        return;
    switch (op->code) {
    case 'F':
    case 'f':
        free(block + (op->code == 'f'));
        return;
    case 'x':
        block[VT_ITEMS] = 1;
        return;
    case 'n':
        block[0] = 1;
        return;
    case 'h':
        registers[op->target] = __atomic_load_n(&block[op->number], __ATOMIC_SEQ_CST);
        return;
    case 'H':
        __atomic_store_n(&block[op->number], 1, __ATOMIC_SEQ_CST);
        return;
    case 'g':
        unused = block[op->number]; /* what malloc left there has no meaning */
        (void)unused;
        return;
    default:
        block[op->number] = 1;
    }
}

static void run_on_mutex(const VtOp *op, int *registers)
{
    pthread_mutex_t *mutex = &mutexes[op->about];
    switch (op->code) {
    case 'L':
        pthread_mutex_lock(mutex);
        return;
    case 'U':
        pthread_mutex_unlock(mutex);
        return;
    case 'T':
        registers[op->target] = pthread_mutex_trylock(mutex) == 0;
        return;
    case 'D':
        pthread_mutex_destroy(mutex);
        return;
    default:
        pthread_mutex_init(mutex, NULL);
    }
}

static void run_one(const VtOp *op, int *registers)
{
    int *cell = &cells[op->about % VT_CELLS], expected = op->number;
    switch (op->code) {
    case 'l':
        registers[op->target] = __atomic_load_n(cell, __ATOMIC_SEQ_CST);
        return;
    case 's':
        __atomic_store_n(cell, op->number, __ATOMIC_SEQ_CST);
        return;
    case 'a':
        registers[op->target] = __atomic_fetch_add(cell, op->number, __ATOMIC_SEQ_CST);
        return;
    case 'c':
        registers[op->target] = __atomic_compare_exchange_n(cell, &expected, 2, false,
                                                            __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST);
        return;
    case 'W':
        while (__atomic_load_n(cell, __ATOMIC_SEQ_CST) != op->number)
            ;
        return;
    case 'E':
        exit(op->number);
    case 'r':
        registers[op->target] = *cell;
        return;
    case 'w':
        *cell = op->number;
        return;
    case 'C':
        registers[op->target] = (int)heddle_choose((unsigned)op->number);
        return;
    case 'M':
        __atomic_store_n(&blocks[op->about], malloc(VT_ITEMS * sizeof(int)), __ATOMIC_SEQ_CST);
        return;
    case 'Z':
        __atomic_store_n(&blocks[op->about], calloc(VT_ITEMS, sizeof(int)), __ATOMIC_SEQ_CST);
        return;
    case 'A':
        assert(registers[op->target] != op->number);
        return;
    case 'L':
    case 'U':
    case 'T':
    case 'D':
    case 'I':
        run_on_mutex(op, registers);
        return;
    default:
        run_on_block(op, registers);
    }
}

static void *run(void *data)
{
    int thread = (int)(long)data, registers[VT_REGISTERS] = {0};
    pthread_t threads[VT_THREADS];
    bool made[VT_THREADS] = {false};
    for (long i = 1; thread == 0 && i < program.threads; i++)
        if (!program.late[i])
            made[i] = pthread_create(&threads[i], NULL, run, (void *)i) == 0;
    for (int i = 0; i < program.length[thread]; i++) {
        const VtOp *op = &program.op[thread][i];
        if (!vt_enabled(op, registers))
            continue;
        if (op->code == 'B') {
            made[op->about] =
                pthread_create(&threads[op->about], NULL, run, (void *)(long)op->about) == 0;
        } else if (op->code != 'J') {
            run_one(op, registers);
        } else if (made[op->about]) {
            pthread_join(threads[op->about], NULL);
            made[op->about] = false;
        }
    }
    for (int i = 1; i < program.threads; i++)
        if (made[i])
            pthread_join(threads[i], NULL);
    return NULL;
}

/* Before main, so that reading the text is no part of what is explored. */
__attribute__((constructor)) static void read_program(void)
{
    const char *text = getenv("HEDDLE_TWIN_PROGRAM");
    if (!text || !vt_parse(text, &program)) {
        fprintf(stderr, "verdicts: HEDDLE_TWIN_PROGRAM is no program\n");
        _Exit(2);
    }
}

int main(void)
{
    run((void *)0);
    _Exit(0);
}
