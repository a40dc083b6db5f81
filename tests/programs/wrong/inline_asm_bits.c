// expect: violated assertion
// args: --model=sc
// only if: defined __x86_64__
// The lock of correct/inline_asm_bits.c, but the threads take two neighbouring bits:
// both are in the critical section at once.
#include <assert.h>
#include <pthread.h>
static unsigned words[5];
static int count;

static int test_and_set_bit(int number, unsigned *array)
{
    int was;
    __asm__ volatile("lock; btsl %2, %0" : "+m"(*array), "=@ccc"(was) : "r"(number) : "memory");
    return was;
}

static void *add(void *argument)
{
    int bit = argument ? 130 : 131;
    while (test_and_set_bit(bit, words))
        ;
    count++;
    return NULL;
}

int main(void)
{
    pthread_t threads[2];
    pthread_create(&threads[0], NULL, add, NULL);
    pthread_create(&threads[1], NULL, add, &count);
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
    assert(count == 2);
    return 0;
}
