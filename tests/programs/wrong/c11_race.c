// expect: violated race
// C11 threads without the lock.
#include <threads.h>
static int x;
static int work(void *arg) { (void)arg; return x++; }
int main(void)
{
    thrd_t t, u;
    thrd_create(&t, work, NULL);
    thrd_create(&u, work, NULL);
    thrd_join(t, NULL);
    thrd_join(u, NULL);
    return 0;
}
