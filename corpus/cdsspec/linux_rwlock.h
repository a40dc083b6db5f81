/* The reader-writer spin lock of Linux 2.6 (arch/x86/include/asm/rwlock.h, spinlock.h) with the orders of C11: a
 * counter that begins at BIAS; a reader takes 1 from it, a writer BIAS.
 *
 * -DSPURIOUS_IS_WRONG  the specification that CDSSpec's authors wrote first: write_trylock fails only if the lock is
 *                      taken. It is false: another one that is about to fail has taken BIAS for a moment. */
#include <stdatomic.h>
#include <stdbool.h>

enum { BIAS = 0x100000 };

/** @Structure_Define:
    @DeclareVar: bool _writer; int _readers;
    @InitVar: _writer = false; _readers = 0;
    @Happens_Before:
        Read_Unlock -> Write_Lock
        Read_Unlock -> Write_Trylock(Write_Got)
        Write_Unlock -> Read_Lock
        Write_Unlock -> Write_Lock
        Write_Unlock -> Read_Trylock(Read_Got)
        Write_Unlock -> Write_Trylock(Write_Got) */
struct rwlock {
    atomic_int count;
};

static inline void rwlock_init(struct rwlock *lock)
{
    atomic_init(&lock->count, BIAS);
}

/** @Method: Read_Lock
    @Ordering_Point_Set: Read_Lock_Point
    @ID: lock
    @PreCondition: !_writer
    @SideEffect: _readers++; */
static inline void rwlock_read_lock(struct rwlock *lock)
{
    int before = atomic_fetch_sub_explicit(&lock->count, 1, memory_order_acquire);
    /** @Ordering_Point_Label_Check: before > 0
        @Label: Read_Lock_Point */
    while (before <= 0) {
        atomic_fetch_add_explicit(&lock->count, 1, memory_order_relaxed);
        while (atomic_load_explicit(&lock->count, memory_order_relaxed) <= 0)
            ;
        before = atomic_fetch_sub_explicit(&lock->count, 1, memory_order_acquire);
        /** @Ordering_Point_Label_Check: before > 0
            @Label: Read_Lock_Point */
    }
}

/** @Method: Write_Lock
    @Ordering_Point_Set: Write_Lock_Point
    @ID: lock
    @PreCondition: !_writer && _readers == 0
    @SideEffect: _writer = true; */
static inline void rwlock_write_lock(struct rwlock *lock)
{
    int before = atomic_fetch_sub_explicit(&lock->count, BIAS, memory_order_acquire);
    /** @Ordering_Point_Label_Check: before == BIAS
        @Label: Write_Lock_Point */
    while (before != BIAS) {
        atomic_fetch_add_explicit(&lock->count, BIAS, memory_order_relaxed);
        while (atomic_load_explicit(&lock->count, memory_order_relaxed) != BIAS)
            ;
        before = atomic_fetch_sub_explicit(&lock->count, BIAS, memory_order_acquire);
        /** @Ordering_Point_Label_Check: before == BIAS
            @Label: Write_Lock_Point */
    }
}

/** @Method: Read_Trylock
    @Ordering_Point_Set: Read_Trylock_Point
    @ID: lock
    @HB_Condition: Read_Got :: __RET__
    @PreCondition: !__RET__ || !_writer
    @SideEffect: if (__RET__) _readers++; */
static inline bool rwlock_read_trylock(struct rwlock *lock)
{
    int before = atomic_fetch_sub_explicit(&lock->count, 1, memory_order_acquire);
    /** @Ordering_Point_Label_Check: true
        @Label: Read_Trylock_Point */
    if (before > 0)
        return true;
    atomic_fetch_add_explicit(&lock->count, 1, memory_order_relaxed);
    return false;
}

#ifdef SPURIOUS_IS_WRONG
/** @Method: Write_Trylock
    @Ordering_Point_Set: Write_Trylock_Point
    @ID: lock
    @HB_Condition: Write_Got :: __RET__
    @PreCondition: __RET__ == (!_writer && _readers == 0)
    @SideEffect: if (__RET__) _writer = true; */
#else
/** @Method: Write_Trylock
    @Ordering_Point_Set: Write_Trylock_Point
    @ID: lock
    @HB_Condition: Write_Got :: __RET__
    @PreCondition: !__RET__ || (!_writer && _readers == 0)
    @SideEffect: if (__RET__) _writer = true; */
#endif
static inline bool rwlock_write_trylock(struct rwlock *lock)
{
    int before = atomic_fetch_sub_explicit(&lock->count, BIAS, memory_order_acquire);
    /** @Ordering_Point_Label_Check: true
        @Label: Write_Trylock_Point */
    if (before == BIAS)
        return true;
    atomic_fetch_add_explicit(&lock->count, BIAS, memory_order_relaxed);
    return false;
}

/** @Method: Read_Unlock
    @Ordering_Point_Set: Read_Unlock_Point
    @ID: lock
    @PreCondition: _readers > 0
    @SideEffect: _readers--; */
static inline void rwlock_read_unlock(struct rwlock *lock)
{
    atomic_fetch_add_explicit(&lock->count, 1, memory_order_release);
    /** @Ordering_Point_Label_Check: true
        @Label: Read_Unlock_Point */
}

/** @Method: Write_Unlock
    @Ordering_Point_Set: Write_Unlock_Point
    @ID: lock
    @PreCondition: _writer
    @SideEffect: _writer = false; */
static inline void rwlock_write_unlock(struct rwlock *lock)
{
    atomic_fetch_add_explicit(&lock->count, BIAS, memory_order_release);
    /** @Ordering_Point_Label_Check: true
        @Label: Write_Unlock_Point */
}
