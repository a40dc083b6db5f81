/* Accesses that a compiler's instrumentation forgets, against a plain store of another thread. SMALL: a structure of
 * that many bytes is given to a function, by value in registers; RETURNED: a function returns one; LONG: a long double;
 * VECTOR: 32 bytes; HALF, UNALIGNED, CARRY, PAIR: operands of built-in functions. LOCKED: both threads hold a mutex.
 * SETJMP, LABELS, MANY: the function has more than one return from a call, jumps to the addresses of labels, or more than
 * 20,000 instructions. */
#include <pthread.h>
#include <setjmp.h>
#if defined VECTOR || defined HALF || defined UNALIGNED || defined CARRY
#include <immintrin.h>
#endif
#ifndef SMALL
#define SMALL 16
#endif
struct Small {
    char bytes[SMALL];
};
static union {
    _Alignas(64) struct Small small;
    long double number;
    int words[16];
} shared;
static struct Small *place = &shared.small;
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static volatile int sink;
#ifdef LOCKED
#define ENTER pthread_mutex_lock(&mutex)
#define LEAVE pthread_mutex_unlock(&mutex)
#else
#define ENTER (void)mutex
#define LEAVE
#endif

__attribute__((noinline)) void take(struct Small value)
{
    __asm__ volatile("" : : "r"(&value) : "memory");
}

__attribute__((noinline)) struct Small give(void)
{
    return *place;
}

static void *other(void *unused)
{
    ENTER;
#if defined RETURNED
    struct Small value = give();
    __asm__ volatile("" : : "r"(&value) : "memory");
#elif defined POINTER
    void (*volatile function)(struct Small) = take;
    function(*place);
#elif defined LONG
    shared.number = 3;
#elif defined VECTOR
    _mm256_storeu_si256((void *)&shared, _mm256_set1_epi32(3));
#elif defined HALF
    _mm_storeh_pi((void *)&shared, _mm_set1_ps(1));
#elif defined UNALIGNED
    sink = _mm_cvtsi128_si32(_mm_lddqu_si128((void *)&shared));
#elif defined CARRY
    sink = _addcarry_u64(1, 2, 3, (void *)&shared);
#else
#ifdef SETJMP
    static jmp_buf jump;
    if (setjmp(jump))
        return unused;
#elif defined LABELS
    static void *const labels[] = {&&one, &&two, &&three};
    goto *labels[sink];
two:
    sink = 0;
one:
#elif defined MANY
#define FOUR(statement) statement statement statement statement
    FOUR(FOUR(FOUR(FOUR(FOUR(FOUR(sink = sink;))))))
#endif
    take(*place);
#ifdef LABELS
three:
#endif
#endif
    LEAVE;
    return unused;
}

int main(void)
{
    pthread_t thread;
    pthread_create(&thread, 0, other, 0);
    ENTER;
    shared.small.bytes[0] = 1;
    LEAVE;
    pthread_join(thread, 0);
    return 0;
}
