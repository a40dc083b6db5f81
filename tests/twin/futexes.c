/* futexes.c: an ordinary threaded program that performs a text of accesses and of futex calls, for
 * tests/helpers/futex_twin.c, which interleaves the same text. HEDDLE_TWIN_PROGRAM has one word a
 * thread, separated by blanks; letters with the digit of a cell each: W V Z  store 1, 2, 0; R load;
 * A  add 1; s t u  wait while the cell is 0, 1, 2, once; k K  wake one, all; L  wait until the cell
 * is not zero; D U  lock and unlock a mutex as Drepper's. Everything is seq_cst. There are two
 * cells. */
#define EXAMPLE "D0U0 D0U0"
#include "texts.h"
#include <errno.h>
#include <linux/futex.h>
#include <limits.h>
#include <sys/syscall.h>
#include <unistd.h>

static atomic_int cells[2];

static int wait_while(atomic_int *cell, int value)
{
    return syscall(SYS_futex, cell, FUTEX_WAIT_PRIVATE, value, NULL, NULL, 0) ? errno : 0;
}

static int wake(atomic_int *cell, int count)
{
    return (int)syscall(SYS_futex, cell, FUTEX_WAKE_PRIVATE, count, NULL, NULL, 0);
}

static void lock(atomic_int *cell)
{
    int seen = 0;
    if (atomic_compare_exchange_strong(cell, &seen, 1))
        return;
    if (seen != 2)
        seen = atomic_exchange(cell, 2);
    while (seen) {
        wait_while(cell, 2);
        seen = atomic_exchange(cell, 2);
    }
}

static void unlock(atomic_int *cell)
{
    if (atomic_fetch_sub(cell, 1) != 1) {
        atomic_store(cell, 0);
        wake(cell, 1);
    }
}

static int step(char what, atomic_int *cell)
{
    switch (what) {
    case 'W':
    case 'V':
    case 'Z':
        atomic_store(cell, what == 'W' ? 1 : what == 'V' ? 2 : 0);
        return 0;
    case 'R':
        return atomic_load(cell);
    case 'A':
        return atomic_fetch_add(cell, 1);
    case 's':
    case 't':
    case 'u':
        return wait_while(cell, what - 's');
    case 'k':
        return wake(cell, 1);
    case 'K':
        return wake(cell, INT_MAX);
    case 'L':
        while (!atomic_load(cell))
            wait_while(cell, 0);
        return 0;
    case 'D':
        lock(cell);
        return 0;
    case 'U':
        unlock(cell);
        return 0;
    default:
        abort();
    }
}

static long perform(const char *word)
{
    long seen = 1;
    for (const char *at = word; *at && *at != ' '; at += 2)
        seen = seen * 31 + step(at[0], &cells[at[1] - '0']);
    return seen;
}
