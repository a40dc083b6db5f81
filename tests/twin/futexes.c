/* futexes.c: an ordinary threaded program that performs a text of accesses and of futex calls, for
 * tests/helpers/futex_twin.c, which interleaves the same text. HEDDLE_TWIN_PROGRAM has one word a
 * thread, separated by blanks; letters with the digit of a cell each: W V Z  store 1, 2, 0; R load;
 * A  add 1; s t u  wait while the cell is 0, 1, 2, once; o  wait while it is 0, for a time; k j K
 * wake one, two, all; p q  wait while it is 0, for wakes with bit 1, bit 2; i I  wake one, all of
 * those that wait for bit 1, bit 2; m M  move one to the other cell, wake one and move the others;
 * x the same with one of each if the cell is 0; n  move one to where it is; y  add 1 to the other
 * cell and wake one here, one there if it was 0; L  wait until the cell is not zero; D U  lock and
 * unlock a mutex as Drepper's. These are for cells 0 and 1. Loops whose rounds for nothing write
 * what they have read, for cells 0 to 2: T  take what is in the cell, or in one of the two after
 * it, by exchanges for 0; B  the same of the two after it, of as many as the cell says (the queue
 * of Herlihy and Wing); X  exchange for 1 until it was 0; F  set bit 2 until it was not set; f
 * clear it; N  add 0 until the cell is not zero; E  read the cell, and the next one by an RMW,
 * until both are equal. Everything is seq_cst. HEDDLE_TWIN_WRONG, "PLACE SEEN", is an assertion: no
 * thread has seen this after the step at that place of the text. */
#include <assert.h>
#define EXAMPLE "D0U0 D0U0"
#define EACH_THREAD_ITS_OWN
#include "texts.h"
#include <errno.h>
#include <linux/futex.h>
#include <limits.h>
#include <stdio.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

static atomic_int cells[3];
static int wrong_place = -1;
static long wrong_seen;

__attribute__((constructor)) static void read_assertion(void)
{
    const char *wrong = getenv("HEDDLE_TWIN_WRONG");
    if (wrong)
        sscanf(wrong, "%d %ld", &wrong_place, &wrong_seen);
}

static int wait_while(atomic_int *cell, int value)
{
    return syscall(SYS_futex, cell, FUTEX_WAIT_PRIVATE, value, NULL, NULL, 0) ? errno : 0;
}

/* Results are less than 31: what a thread has seen tells all of them. */
static int wait_for_a_time(atomic_int *cell, int value)
{
    struct timespec time = {.tv_nsec = 1000};
    long error = syscall(SYS_futex, cell, FUTEX_WAIT_PRIVATE, value, &time, NULL, 0) ? errno : 0;
    return error == ETIMEDOUT ? 30 : (int)error;
}

static int wake(atomic_int *cell, int count)
{
    return (int)syscall(SYS_futex, cell, FUTEX_WAKE_PRIVATE, count, NULL, NULL, 0);
}

static int wait_for_bits(atomic_int *cell, int bits)
{
    return syscall(SYS_futex, cell, FUTEX_WAIT_BITSET_PRIVATE, 0, NULL, NULL, bits) ? errno : 0;
}

static int with_other(atomic_int *cell, int operation, int count, long second, int third)
{
    atomic_int *other = &cells[cell == cells];
    long result =
        syscall(SYS_futex, cell, operation | FUTEX_PRIVATE_FLAG, count, second, other, third);
    return result < 0 ? errno : (int)result;
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

/* Takes what is in one of the cells FIRST to LAST, counted from CELL; 0 if they are empty. */
static int take(atomic_int *cell, int first, int last)
{
    int found = 0;
    for (int i = first; i <= last && !found; i++)
        found = atomic_exchange(&cells[(cell - cells + i) % 3], 0);
    return found;
}

static int step_of_loop(char what, atomic_int *cell)
{
    int found = 0, next;
    switch (what) {
    case 'T':
        while (!(found = take(cell, 0, 2))) {
        }
        return found;
    case 'B':
        while (!found) {
            int range = atomic_load(cell);
            found = take(cell, 1, range < 2 ? range : 2);
        }
        return found;
    case 'X':
        while (atomic_exchange(cell, 1)) {
        }
        return 0;
    case 'F':
        while ((found = atomic_fetch_or(cell, 2)) & 2) {
        }
        return found;
    case 'f':
        return atomic_fetch_and(cell, ~2);
    case 'N':
        while (!(found = atomic_fetch_add(cell, 0))) {
        }
        return found;
    case 'E':
        do {
            found = atomic_load(cell);
            next = atomic_fetch_or(&cells[(cell - cells + 1) % 3], 0);
        } while (found != next);
        return found;
    default:
        abort();
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
    case 'o':
        return wait_for_a_time(cell, 0);
    case 'k':
    case 'j':
        return wake(cell, what == 'k' ? 1 : 2);
    case 'K':
        return wake(cell, INT_MAX);
    case 'p':
    case 'q':
        return wait_for_bits(cell, what == 'p' ? 1 : 2);
    case 'i':
        return (int)syscall(SYS_futex, cell, FUTEX_WAKE_BITSET_PRIVATE, 1, NULL, NULL, 1);
    case 'I':
        return (int)syscall(SYS_futex, cell, FUTEX_WAKE_BITSET_PRIVATE, INT_MAX, NULL, NULL, 2);
    case 'm':
        return with_other(cell, FUTEX_REQUEUE, 0, 1, 0);
    case 'M':
        return with_other(cell, FUTEX_REQUEUE, 1, INT_MAX, 0);
    case 'x':
        return with_other(cell, FUTEX_CMP_REQUEUE, 1, 1, 0);
    case 'n':
        return (int)syscall(SYS_futex, cell, FUTEX_REQUEUE_PRIVATE, 0, 1, cell, 0);
    case 'y':
        return with_other(cell, FUTEX_WAKE_OP, 1, 1, FUTEX_OP(FUTEX_OP_ADD, 1, FUTEX_OP_CMP_EQ, 0));
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
        return step_of_loop(what, cell);
    }
}

static long perform(const char *word)
{
    long seen = 1;
    for (const char *at = word; *at && *at != ' '; at += 2) {
        seen = seen * 31 + step(at[0], &cells[at[1] - '0']);
        assert(at - text != wrong_place || seen != wrong_seen);
    }
    return seen;
}
