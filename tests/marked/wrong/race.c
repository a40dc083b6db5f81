// expect: violated race
// A data race inside of a call is one.
#include <heddle.h>
#include <pthread.h>
static int count;
static void *adder(void *unused)
{
    HD_BEGIN(&count, "inc");
    count++;
    HD_END(HD_VOID);
    return unused;
}
int main(void)
{
    pthread_t t;
    pthread_create(&t, NULL, adder, NULL);
    adder(NULL);
    pthread_join(t, NULL);
    return 0;
}
