// expect: holds
// Without specifications. Which calls are made depends on what earlier ones gave: a lock by compare and swap, and a counter under it.
#include <heddle.h>
#include <pthread.h>
#include <stdatomic.h>
static atomic_int owner, count;
static bool try_lock(int me)
{
    HD_BEGIN(&owner, "cas", HD_INT(0), HD_INT(me));
    int none = 0;
    bool mine = atomic_compare_exchange_strong(&owner, &none, me);
    HD_END(HD_BOOL(mine));
    return mine;
}
static void *worker(void *number)
{
    int me = (int)(long)number;
    if (try_lock(me)) {
        HD_BEGIN(&count, "add", HD_INT(1));
        atomic_store(&count, atomic_load(&count) + 1); /* nobody else is here */
        HD_END(HD_VOID);
        HD_BEGIN(&owner, "write", HD_INT(0));
        atomic_store(&owner, 0);
        HD_END(HD_VOID);
    } else {
        HD_BEGIN(&count, "read");
        int seen = atomic_load(&count);
        HD_END(HD_INT(seen));
    }
    return NULL;
}

int main(void)
{
    pthread_t t, u;
    pthread_create(&t, NULL, worker, (void *)1);
    pthread_create(&u, NULL, worker, (void *)2);
    pthread_join(t, NULL);
    pthread_join(u, NULL);
    return 0;
}
