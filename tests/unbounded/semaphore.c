/* A semaphore of at most two units on a futex. M1: the waker looks for sleepers before it gives the
 * unit. M2: only the change from nothing to something wakes, so that of two sleepers one sleeps on.
 * M3: sleepers are counted in four bits and never taken back, so that after 16 rounds nobody is
 * woken. */
// run: --unbounded=2 => holds
// run: --unbounded=3 => holds
// run: -DM1 --unbounded=2 => violated stuck
// run: -DM2 --unbounded=3 => violated stuck
// run: -DM3 --unbounded=2 => violated stuck
// run: HEDDLE_DEBUG=calls=3 -DM3 --unbounded=3 => holds
// run: HEDDLE_DEBUG=calls=1 -DM2 --unbounded=3 => holds
// run: HEDDLE_DEBUG=calls=2 -DM2 --unbounded=3 => violated stuck
#include <heddle.h>
#include <linux/futex.h>
#include <stdatomic.h>
#include <stddef.h>
#include <sys/syscall.h>
#include <unistd.h>
static atomic_int units, sleepers;
HD_OP(up)
{
#ifdef M1
    int wake = atomic_load(&sleepers);
#endif
    int had = atomic_load(&units);
    do
        if (had == 2)
            return HD_BOOL(0);
    while (!atomic_compare_exchange_strong(&units, &had, had + 1));
#ifndef M1
    int wake = atomic_load(&sleepers);
#endif
#ifdef M2
    wake = wake && had == 0;
#endif
#ifdef M3
    wake %= 16;
#endif
    if (wake)
        syscall(SYS_futex, &units, FUTEX_WAKE, 1, NULL, NULL, 0);
    return HD_BOOL(1);
}
HD_OP(down)
{
    for (;;) {
        int had = atomic_load(&units);
        while (had > 0)
            if (atomic_compare_exchange_strong(&units, &had, had - 1))
                return HD_VOID;
        atomic_fetch_add(&sleepers, 1);
        syscall(SYS_futex, &units, FUTEX_WAIT, 0, NULL, NULL, 0);
#ifdef M3 /* the sum, too, is kept in four bits, or it would grow for ever */
        for (int n = 16; !atomic_compare_exchange_strong(&sleepers, &n, 0) && n >= 16;)
            ;
#else
        atomic_fetch_sub(&sleepers, 1);
#endif
    }
}
