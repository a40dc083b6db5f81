/* A count of eight bits wraps round; letters are shown as such. */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>
static _Atomic uint8_t users = 65;
static _Atomic int8_t balance;
static _Atomic char grade = 'B';

static void *leave(void *unused)
{
    atomic_fetch_sub(&users, 66);
    atomic_fetch_sub(&balance, 1);
    atomic_store(&grade, 'C');
    return unused;
}

int main(void)
{
    pthread_t thread;
    pthread_create(&thread, NULL, leave, NULL);
    if (atomic_load(&grade) == 'C')
        assert(atomic_load(&users) <= 65 && atomic_load(&balance) == 0);
    pthread_join(thread, NULL);
}
