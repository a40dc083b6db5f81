// expect: violated nondeterminism
// output: the last call gives 0 in one run with atomic calls and 1 in another
// What the call gives depends on a flag that no call sets.
#include <heddle.h>
#include <pthread.h>
#include <stdatomic.h>
static atomic_int flag;
static void *setter(void *unused)
{
    flag = 1;
    return unused;
}
int main(void)
{
    pthread_t t;
    pthread_create(&t, NULL, setter, NULL);
    HD_BEGIN("flag", "read");
    int value = flag;
    HD_END(HD_INT(value));
    pthread_join(t, NULL);
    return 0;
}
