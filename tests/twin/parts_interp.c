/* interp.c: a threaded program that performs a program of text.h, given in the environment variable
 * HEDDLE_PARTS; HEDDLE_PARTS_BAD names an outcome at which an assertion fails. What its steps find,
 * and what memory holds in the end, is stored in `all.result`, so that it is part of the final
 * memory, which Heddle can list. */
#include "parts/text.h"
#include <assert.h>
#include <pthread.h>

#if defined __GNUC__ && !defined __clang__
#pragma GCC diagnostic ignored "-Wtsan"
#pragma GCC diagnostic ignored "-Winvalid-memory-model"
#endif

static struct {
    uint64_t result[PARTS_RESULTS][2]; /* at the lowest address of all that changes */
    _Alignas(16) unsigned char memory[16];
    uint32_t other;
} all = {{{PARTS_UNTOUCHED}}, {0}, 0};
static Program program;

#define RELAXED_TO_SEQ_CST(X, ...)                                                                 \
    X(__ATOMIC_RELAXED, __VA_ARGS__)                                                               \
    X(__ATOMIC_ACQUIRE, __VA_ARGS__)                                                               \
    X(__ATOMIC_RELEASE, __VA_ARGS__)                                                               \
    X(__ATOMIC_ACQ_REL, __VA_ARGS__) X(__ATOMIC_SEQ_CST, __VA_ARGS__)

#define ONE(order, type)                                                                           \
    case order:                                                                                    \
        switch (s->kind) {                                                                         \
        case 'l':                                                                                  \
            return __atomic_load_n((type *)at,                                                     \
                                   (order) == __ATOMIC_RELEASE || (order) == __ATOMIC_ACQ_REL      \
                                       ? __ATOMIC_RELAXED                                          \
                                       : (order));                                                 \
        case 's':                                                                                  \
            __atomic_store_n((type *)at, (type)s->value,                                           \
                             (order) == __ATOMIC_ACQUIRE || (order) == __ATOMIC_ACQ_REL            \
                                 ? __ATOMIC_RELAXED                                                \
                                 : (order));                                                       \
            return 0;                                                                              \
        case 'x':                                                                                  \
            return __atomic_exchange_n((type *)at, (type)s->value, order);                         \
        case 'a':                                                                                  \
            return __atomic_fetch_add((type *)at, (type)s->value, order);                          \
        default: {                                                                                 \
            type expected = (type)s->wanted;                                                       \
            __atomic_compare_exchange_n((type *)at, &expected, (type)s->value, 0, order,           \
                                        (order) == __ATOMIC_RELEASE   ? __ATOMIC_RELAXED           \
                                        : (order) == __ATOMIC_ACQ_REL ? __ATOMIC_ACQUIRE           \
                                                                      : (order));                  \
            return expected;                                                                       \
        }                                                                                          \
        }

#define SIZED(name, type)                                                                          \
    static Wide name(const Step *s, void *at)                                                      \
    {                                                                                              \
        switch (s->order) {                                                                        \
            RELAXED_TO_SEQ_CST(ONE, type)                                                          \
        }                                                                                          \
        abort();                                                                                   \
    }
SIZED(access_1, uint8_t)
SIZED(access_2, uint16_t)
SIZED(access_4, uint32_t)
SIZED(access_8, uint64_t)
SIZED(access_16, Wide)

static Wide perform(const Step *s)
{
    void *at = all.memory + s->offset;
    if (s->kind == 'f') {
        __atomic_thread_fence(__ATOMIC_SEQ_CST);
        return 0;
    }
    if (s->kind == 'L' || s->kind == 'S') {
        Step plain = *s;
        plain.kind = s->kind == 'L' ? 'l' : 's';
        return access_4(&plain, &all.other);
    }
    return s->size == 1   ? access_1(s, at)
           : s->size == 2 ? access_2(s, at)
           : s->size == 4 ? access_4(s, at)
           : s->size == 8 ? access_8(s, at)
                          : access_16(s, at);
}

static void keep(int slot, Wide value)
{
    __atomic_store_n(&all.result[slot][0], (uint64_t)value, __ATOMIC_RELAXED);
    __atomic_store_n(&all.result[slot][1], (uint64_t)(value >> 64), __ATOMIC_RELAXED);
}

/* An outcome that is to be called a violation: its words, separated by commas; or none. */
static int is_bad(const char *words)
{
    for (int i = 0; words && i < PARTS_RESULTS; i++)
        for (int k = 0; k < 2; k++) {
            char *end;
            if (strtoull(words, &end, 16) != __atomic_load_n(&all.result[i][k], __ATOMIC_RELAXED))
                return 0;
            words = end + 1;
        }
    return words != NULL;
}

static void *run(void *argument)
{
    int t = (int)(intptr_t)argument;
    Wide found[PARTS_STEPS];
    for (int i = 0; i < program.length[t]; i++)
        found[i] = perform(&program.step[t][i]);
    for (int i = 0; i < program.length[t]; i++)
        keep(t * PARTS_STEPS + i, found[i]);
    return NULL;
}

/* What memory holds when all threads have ended: looked at as one, or plainly and by halves, after
 * a plain write that changes nothing or without. */
static Wide final_memory(int variant)
{
    uint64_t halves[2];
    if (variant % 2) {
        volatile unsigned char byte = all.memory[9];
        all.memory[9] = byte;
    }
    if (variant / 2 % 2)
        return __atomic_load_n((Wide *)(void *)all.memory, __ATOMIC_RELAXED);
    memcpy(&halves[1], all.memory + 8, 8);
    memcpy(&halves[0], all.memory, 8);
    return (Wide)halves[1] << 64 | halves[0];
}

int main(void)
{
    pthread_t threads[PARTS_THREADS];
    program = parts_read(getenv("HEDDLE_PARTS"));
    for (size_t i = 0; i < PARTS_RESULTS; i++)
        all.result[i][0] = all.result[i][1] = PARTS_UNTOUCHED;
    for (int t = 0; t < program.threads; t++)
        pthread_create(&threads[t], NULL, run, (void *)(intptr_t)t);
    for (int t = 0; t < program.threads; t++)
        pthread_join(threads[t], NULL);
    keep(PARTS_RESULTS - 2, final_memory(program.length[0]));
    keep(PARTS_RESULTS - 1, __atomic_load_n(&all.other, __ATOMIC_RELAXED));
    assert(!is_bad(getenv("HEDDLE_PARTS_BAD")));
}
