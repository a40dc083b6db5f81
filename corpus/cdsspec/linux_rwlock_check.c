/* -DTRY  the lock is held; one sets it free and tries to get it, another tries, too. Both may fail: the second one has
 *        taken the bias for a moment, just when the first looks */
#include <heddle.h>
#include "linux_rwlock.h"
static struct rwlock lock;
static int shared;
#ifdef TRY
HD_INIT { rwlock_init(&lock); rwlock_write_lock(&lock); }
HD_OP(unlock) { rwlock_write_unlock(&lock); return HD_INT(shared); }
HD_OP(try) { return HD_BOOL(rwlock_write_trylock(&lock)); }
#else
HD_INIT { rwlock_init(&lock); }
HD_OP(get)
{
    rwlock_read_lock(&lock);
    int now = shared;
    rwlock_read_unlock(&lock);
    return HD_INT(now);
}
HD_OP(increment)
{
    rwlock_write_lock(&lock);
    int before = shared++;
    rwlock_write_unlock(&lock);
    return HD_INT(before);
}
#endif
