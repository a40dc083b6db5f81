// expect: violated specification
// says: spurious_trylock.c:21: @PostCondition __RET__ == free does not hold for Write_Trylock() = false of .*in the sequential history Write_Trylock() = true by .*, Write_Trylock() = false by .*, Write_Unlock() by .*, Write_Trylock() = false by 
// Linux's reader-writer lock: a write_trylock that fails has taken the bias for a moment, and another one that
// comes then fails although the lock is free.
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>

#define BIAS 0x100000
typedef struct { atomic_int word; } rwlock;

/** @Structure_Define:
    @DeclareVar: bool writer;
    @InitVar: writer = false;
    @Happens_Before: Write_Unlock -> Write_Trylock(Got) */

/** @Method: Write_Trylock
    @Ordering_Point_Set: Try_Point
    @HB_Condition: Got :: __RET__
    @SideEffect: bool free = !writer; if (__RET__) writer = true;
    @PostCondition: __RET__ == free */
static bool write_trylock(rwlock *l)
{
    int before = atomic_fetch_sub_explicit(&l->word, BIAS, memory_order_acquire);
    /** @Ordering_Point_Label_Check: true
        @Label: Try_Point */
    if (before == BIAS)
        return true;
    atomic_fetch_add_explicit(&l->word, BIAS, memory_order_relaxed);
    return false;
}

/** @Method: Write_Unlock
    @Ordering_Point_Set: Unlock_Point
    @PreCondition: writer
    @SideEffect: writer = false; */
static void write_unlock(rwlock *l)
{
    atomic_fetch_add_explicit(&l->word, BIAS, memory_order_release);
    /** @Ordering_Point_Label_Check: true
        @Label: Unlock_Point */
}

static rwlock l = {BIAS};
static void *user(void *unused)
{
    if (write_trylock(&l))
        write_unlock(&l);
    return unused;
}
int main(void)
{
    pthread_t a, b;
    pthread_create(&a, NULL, user, NULL);
    pthread_create(&b, NULL, user, NULL);
    user(NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    return 0;
}
