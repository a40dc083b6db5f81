// expect: holds
// Inline assembly in functions that nothing calls does not matter.
#include <pthread.h>
#include <stdatomic.h>
static atomic_int x;
__attribute__((unused)) static inline void never_called(int *p) { __asm__ volatile("lock; incl %0" : "+m"(*p)); }
__attribute__((unused)) static inline void nor_its_caller(int *p) { never_called(p); }
static void *work(void *arg) { x++; return arg; }
int main(void)
{
    pthread_t t;
    pthread_create(&t, NULL, work, NULL);
    x++;
    pthread_join(t, NULL);
    return 0;
}
