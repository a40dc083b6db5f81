// expect: holds
// args: --model=tso
// executions: 2
// only if: defined __x86_64__
// Inline assembly that leaves its result in memory by a condition, as clang has it for "=qm". Every condition is
// compared with what the processor leaves in a register; then two threads drop a reference, in two orders.
#include <assert.h>
#include <pthread.h>
static int references = 2, freed;

#define CONDITION(name)                                                                            \
    static void test_##name(int a, int b)                                                          \
    {                                                                                              \
        unsigned char in_memory = 7, in_register = 7;                                              \
        __asm__ volatile("cmpl %2, %1; set" #name " %0" : "=m"(in_memory) : "r"(a), "r"(b) : "cc"); \
        __asm__ volatile("cmpl %2, %1; set" #name " %0" : "=q"(in_register) : "r"(a), "r"(b) : "cc"); \
        assert(in_memory == in_register && in_memory < 2);                                         \
    }
#define CONDITIONS(X)                                                                              \
    X(o) X(no) X(b) X(ae) X(e) X(ne) X(be) X(a) X(s) X(ns) X(p) X(np) X(l) X(ge) X(le) X(g) X(nz) X(nge)
CONDITIONS(CONDITION)

static int drop(int *counter)
{
    unsigned char is_last;
    __asm__ volatile("lock; decl %0; sete %1" : "+m"(*counter), "=m"(is_last) : : "memory", "cc");
    return is_last;
}

static void *leave(void *argument)
{
    if (drop(&references))
        freed++;
    return argument;
}

int main(void)
{
    static const int values[] = {0, 1, -1, 0x7fffffff, -0x7fffffff - 1};
    for (int i = 0; i < 25; i++) {
#define CALL(name) test_##name(values[i / 5], values[i % 5]);
        CONDITIONS(CALL)
    }
    pthread_t threads[2];
    for (int i = 0; i < 2; i++)
        pthread_create(&threads[i], NULL, leave, &threads[i]);
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
    assert(freed == 1);
    return 0;
}
