// expect: holds
// args: --model=tso
// On a machine with TSO the same program is right.
#include <assert.h>
#include <pthread.h>
static volatile int data, flag;
static void *writer(void *arg) { data = 42; flag = 1; return arg; }
static void *reader(void *arg) { if (flag) assert(data == 42); return arg; }
int main(void)
{
    pthread_t t, u;
    pthread_create(&t, NULL, writer, NULL);
    pthread_create(&u, NULL, reader, NULL);
    pthread_join(t, NULL);
    pthread_join(u, NULL);
    return 0;
}
