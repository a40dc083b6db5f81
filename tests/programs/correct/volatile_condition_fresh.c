// expect: holds
// args: -O2
// clang stores the result of a comparison by one instruction (setg): a store alone, to memory that nothing has written.
#include <assert.h>
#include <pthread.h>
#include <stdlib.h>
struct flag { volatile unsigned char is_large; };
static struct flag *flag;
static int given = 5;
__attribute__((noinline)) static void put(struct flag *to, int number) { to->is_large = number > 4; }
static void *set(void *arg)
{
    put(flag, given);
    return arg;
}
int main(void)
{
    pthread_t t;
    flag = malloc(sizeof *flag);
    pthread_create(&t, NULL, set, NULL);
    pthread_join(t, NULL);
    assert(flag->is_large);
    free(flag);
    return 0;
}
