#include "lock.h"

void lock_acquire(struct lock *lock)
{
    do
        while (atomic_load_explicit(&lock->taken, memory_order_relaxed))
            ;
    while (atomic_exchange_explicit(&lock->taken, 1, memory_order_acquire));
}

void lock_release(struct lock *lock)
{
#ifdef FIXED
    atomic_store_explicit(&lock->taken, 0, memory_order_release);
#else
    atomic_store_explicit(&lock->taken, 0, memory_order_relaxed);
#endif
}
