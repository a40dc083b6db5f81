// expect: holds
// args: --model=tso
// executions: 4
// only if: defined __x86_64__
// The spin lock of old kernels: a loop with labels within one inline assembly. Either thread comes first; the other
// finds the lock free, or has to wait.
#include <assert.h>
#include <pthread.h>
static unsigned word = 1;
static int count;

static void lock(void)
{
    __asm__ volatile("1:\tlock; decl %0\n\t"
                     "jns 3f\n"
                     "2:\trep; nop\n\t"
                     "cmpl $0, %0\n\t"
                     "jle 2b\n\t"
                     "jmp 1b\n"
                     "3:"
                     : "+m"(word)
                     :
                     : "memory", "cc");
}

static void *add(void *argument)
{
    lock();
    count++;
    __asm__ volatile("movl $1, %0" : "+m"(word) : : "memory");
    return argument;
}

int main(void)
{
    pthread_t threads[2];
    for (int i = 0; i < 2; i++)
        pthread_create(&threads[i], NULL, add, &threads[i]);
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
    assert(count == 2);
    return 0;
}
