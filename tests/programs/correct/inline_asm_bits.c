// expect: holds
// args: --model=tso
// only if: defined __x86_64__
// A bit of an array of words as a lock, taken and given back by inline assembly as the Linux kernel has it:
// the number of the bit is in a register and lies beyond the first word.
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

static void clear_bit(int number, unsigned *array)
{
    __asm__ volatile("lock; btrl %1, %0" : "+m"(*array) : "r"(number) : "memory");
}

static void *add(void *argument)
{
    (void)argument;
    while (test_and_set_bit(130, words))
        __asm__ volatile("rep; nop" ::: "memory");
    count++;
    clear_bit(-30, words + 5); /* the same bit, counted from the end */
    return NULL;
}

int main(void)
{
    pthread_t threads[2];
    for (int i = 0; i < 2; i++)
        pthread_create(&threads[i], NULL, add, &threads[i]);
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
    assert(count == 2 && !words[0] && !words[3] && !words[4]);
    unsigned long wide[3] = {0}, *middle = wide + 1;
    __asm__ volatile("lock; btsq %1, %0" : "+m"(*middle) : "r"(-1L) : "memory");
    __asm__ volatile("lock; btcq %1, %0" : "+m"(*middle) : "r"(65L) : "memory");
    assert(wide[0] == 1ul << 63 && wide[1] == 0 && wide[2] == 2);
    return 0;
}
