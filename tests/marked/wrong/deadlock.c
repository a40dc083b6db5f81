// expect: violated deadlock
// The program itself waits for ever, not in a call.
#include <heddle.h>
#include <pthread.h>
#include <semaphore.h>
static sem_t never;
int main(void)
{
    sem_init(&never, 0, 0);
    HD_BEGIN("x", "f");
    HD_END(HD_VOID);
    sem_wait(&never);
    return 0;
}
