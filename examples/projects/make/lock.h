/* A lock that spins. */
#ifndef LOCK_H
#define LOCK_H
#include <stdatomic.h>
struct lock {
    atomic_int taken;
};
void lock_acquire(struct lock *lock);
void lock_release(struct lock *lock);
#endif
