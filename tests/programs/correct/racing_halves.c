// expect: holds
// args: --model=sc
// Two threads race to write eight bytes; afterwards somebody looks at the halves, and finds what was written.
#include <assert.h>
#include <pthread.h>
static union { long whole; int half[2]; } shared;
static void *five(void *unused) { shared.whole = 5; return unused; }
static void *six(void *unused) { shared.whole = 6; return unused; }
int main(void)
{
    pthread_t first, second;
    pthread_create(&first, 0, five, 0);
    pthread_create(&second, 0, six, 0);
    pthread_join(first, 0);
    pthread_join(second, 0);
    assert(shared.half[0] == 5 || shared.half[0] == 6);
    shared.half[0] = 7;
    assert(shared.whole == 7 && shared.half[1] == 0);
}
