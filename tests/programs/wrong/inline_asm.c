// expect: inconclusive
// only if: defined __x86_64__
// A locked instruction in inline assembly is invisible to the checker: it must say so.
#include <pthread.h>
static int x;
static void *work(void *arg) { __asm__ volatile("lock; incl %0" : "+m"(x)); return arg; }
int main(void)
{
    pthread_t t, u;
    pthread_create(&t, NULL, work, NULL);
    pthread_create(&u, NULL, work, NULL);
    pthread_join(t, NULL);
    pthread_join(u, NULL);
    return 0;
}
