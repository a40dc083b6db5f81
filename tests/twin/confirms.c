/* confirms.c: an ordinary threaded program that performs a text of accesses and of loops which read
 * a cell, read others, and confirm that the first one has not changed: every shape near what
 * guest/explore/reduce/confirm/confirm.h decides. HEDDLE_TWIN_PROGRAM has one word a thread,
 * separated by blanks. Accesses are a letter and the digit of a cell: W V T Z  store 1, 2, 3, 0
 * (release; w v t z: relaxed)   R r  load (acquire; relaxed) A a  add 1 (acq_rel; relaxed) K
 * compare-exchange 0 to 1, once I J U  store 1, 2, 0 (seq_cst)                          N B  load,
 * add 1 (seq_cst) F    a seq_cst fence                                    E    a release fence
 * (digits ignored) P Q  publish: write plain memory of its own, 1 or (Q) what the cell holds, and
 * store (release) a number for it A loop has eight letters: L l S  its first read acquires, is
 * relaxed, or all its accesses are seq_cst; then the cell x      that is confirmed, and the cell y
 * that is read between how y is read: n not at all; a acquire; r relaxed; f relaxed, then an
 * acquire fence; b acquire, then the third cell; d twice; m by a compare-exchange that expects 3
 * and writes 1; e g not at all, but a seq_cst or release fence; k so, too, after plain memory was
 * written; p acquire, leaving it behind where the next round overwrites it; q looking there before
 * if it is not zero; h acquire, then the third cell if it is not zero. If x is a number for
 *          published memory and was read by an acquire: o what that holds is left behind where the
 *          next round overwrites it; i so, but it looks there before if that is 2; u as o, then y
 *          is read (acquire); j as u, but it looks there before if y is 2
 *   a digit: leave the loop if y was that, before anything is confirmed; - never
 *   how x is confirmed: a by an acquiring load; r by a relaxed one; c by a compare-exchange that
 *          adds 1; z by one that writes 0; e by an exchange for 1, if x was 0; b by an acquiring
 *          load, and by a compare-exchange after that; 3 by two loads and a compare-exchange
 *   a digit: b and 3 end without the compare-exchange if y was that; - never
 *   what follows: - nothing; w a store of 2 to y; a adds 1 to x
 * So has an attempt to leave, as the owner of an MCS lock makes it
 * (guest/explore/reduce/confirm/doomed.h): M m    its reads acquire or are relaxed; then the cell x
 * that is exchanged for a value of its own first, and the cell y that is read then how y is read: a
 * b d as above a digit: 1 only if y was zero, - always: a compare-exchange of x from its own value
 * to 0 what follows if that fails: w waits until y is not zero; z until the third cell is not; x
 * until x is zero; b until y or the third cell is not zero; g until y is not zero, and then it
 *          reads y and so on again; e nothing
 *   the value of its own: o that of no other thread; 1
 *   what follows: - nothing; w a store of 2 to y
 * And so has a retry, which goes on with what its compare-exchange has found:
 *   H h  its first read acquires or is relaxed; then the cell x, and a digit that is ignored
 *   when it looks at the memory that x is a number for: o in each round, before the
 *          compare-exchange; i once, before the first; n not at all
 *   a digit: after a failed one, leave if the memory of what it has found holds that; - never
 *   what the compare-exchange does: c adds 1; z writes 0
 *   two letters that are ignored
 * There are three cells. */
#define EXAMPLE "L01a-c-- A0W1"
#include "texts.h"

#define RELAXED memory_order_relaxed
#define ACQUIRE memory_order_acquire
#define RELEASE memory_order_release
#define SEQ_CST memory_order_seq_cst

static atomic_int cells[3];

/* The letters, by value: a loop reads no plain memory, whose values could be others' business. */
typedef struct Loop {
    char first, x, y, between, early, confirm, late, after;
    int place; /* in the text */
} Loop;

static int load(atomic_int *cell, char order)
{
    return order == 's'   ? atomic_load_explicit(cell, SEQ_CST)
           : order == 'a' ? atomic_load_explicit(cell, ACQUIRE)
                          : load_relaxed(cell);
}

static int exchange_if(atomic_int *cell, int found, int wanted, char order)
{
    if (order == 's')
        return atomic_compare_exchange_strong(cell, &found, wanted);
    return atomic_compare_exchange_strong_explicit(cell, &found, wanted, memory_order_acq_rel,
                                                   ACQUIRE);
}

/* A place whose address is known elsewhere is never dead for the liveness table. */
__attribute__((noinline)) static int leave_behind(int *place, int value)
{
    int old = *place;
    *place = value;
    return old;
}

/* By place in the text, so that no two threads write one; read only by who has acquired it. */
static int published[sizeof text];
#define PUBLISHED 64 /* the numbers are its multiples: read-modify-writes may add to them */

/* Leaves what is published behind if FOUND is a number for it; returns that, or 0. OLD becomes what
 * was there before. */
static int leave_published(Loop loop, int *left, int found, int *old)
{
    *old = 0;
    if (loop.first == 'l' || found < PUBLISHED)
        return 0;
    int content = published[found / PUBLISHED];
    *old = leave_behind(left, content);
    return content;
}

static int read_between(Loop loop, char order, int *left, int found)
{
    static int kept[sizeof text]; /* by place, so that no two threads share one */
    atomic_int *y = &cells[loop.y - '0'];
    int seen, old, expected = 3;
    switch (loop.between) {
    case 'o':
        return leave_published(loop, left, found, &old);
    case 'i':
        seen = leave_published(loop, left, found, &old);
        return seen == 2 ? seen + 4 * old : seen;
    case 'u':
        seen = leave_published(loop, left, found, &old);
        return seen + 4 * load(y, order);
    case 'j':
        seen = leave_published(loop, left, found, &old);
        expected = load(y, order);
        return seen + 4 * expected + (expected == 2 ? 16 * old : 0);
    case 'n':
        return 8;
    case 'a':
        return load(y, order);
    case 'r':
        return load(y, order == 's' ? 's' : 'r');
    case 'f':
        seen = load(y, 'r');
        atomic_thread_fence(ACQUIRE);
        return seen;
    case 'b':
        seen = load(y, order);
        return seen + 4 * load(&cells[3 - (loop.x - '0') - (loop.y - '0')], order);
    case 'h':
        seen = load(y, order);
        return seen ? seen + 4 * load(&cells[3 - (loop.x - '0') - (loop.y - '0')], order) : 0;
    case 'd':
        seen = load(y, order);
        return seen + 4 * load(y, order);
    case 'k':
        kept[loop.place] = found;
        atomic_thread_fence(RELEASE);
        return 8;
    case 'e':
        atomic_thread_fence(SEQ_CST);
        return 8;
    case 'g':
        atomic_thread_fence(RELEASE);
        return 8;
    case 'p':
        seen = load(y, order);
        leave_behind(left, seen);
        return seen;
    case 'q':
        seen = load(y, order);
        expected = leave_behind(left, seen);
        return seen ? seen + 4 * expected : 0;
    case 'm':
        return atomic_compare_exchange_strong_explicit(y, &expected, 1, RELEASE, ACQUIRE)
                   ? 7
                   : expected;
    default:
        abort();
    }
}

static int confirm(Loop loop, char order, int found, int seen)
{
    atomic_int *x = &cells[loop.x - '0'];
    switch (loop.confirm) {
    case 'a':
        return load(x, order) == found;
    case 'r':
        return load(x, order == 's' ? 's' : 'r') == found;
    case 'c':
        return exchange_if(x, found, found + 1, order);
    case 'z':
        return exchange_if(x, found, 0, order);
    case 'e':
        return !found && !atomic_exchange_explicit(x, 1, memory_order_acq_rel);
    case '3':
        if (load(x, order) != found)
            return 0;
        /* fallthrough */
    case 'b':
        if (load(x, order) != found)
            return 0;
        if (loop.late != '-' && (seen & 3) == loop.late - '0')
            return 1;
        return exchange_if(x, found, found + 1, order);
    default:
        abort();
    }
}

static void publish(char what, atomic_int *cell, int place)
{
    published[place] = what == 'P' ? 1 : load(cell, 'r') & 3;
    atomic_store_explicit(cell, place * PUBLISHED, RELEASE);
}

static int perform_access(char what, int n)
{
    atomic_int *cell = &cells[n];
    const char *stores = "zwvtZWVT", *found = strchr(stores, what);
    const char *strong = "UIJ", *strongly = strchr(strong, what);
    int expected = 0;
    if (found && found - stores < 4)
        store_relaxed(cell, (int)(found - stores));
    else if (found)
        atomic_store_explicit(cell, (int)(found - stores) - 4, RELEASE);
    else if (strongly)
        atomic_store_explicit(cell, (int)(strongly - strong), SEQ_CST);
    else if (what == 'N')
        return load(cell, 's');
    else if (what == 'B')
        return atomic_fetch_add_explicit(cell, 1, SEQ_CST);
    else if (what == 'R' || what == 'r')
        return load(cell, what == 'R' ? 'a' : 'r');
    else if (what == 'A')
        return atomic_fetch_add_explicit(cell, 1, memory_order_acq_rel);
    else if (what == 'a')
        return atomic_fetch_add_explicit(cell, 1, RELAXED);
    else if (what == 'K')
        return atomic_compare_exchange_strong_explicit(cell, &expected, 1, memory_order_acq_rel,
                                                       ACQUIRE);
    else if (what == 'F')
        atomic_thread_fence(SEQ_CST);
    else if (what == 'E')
        atomic_thread_fence(RELEASE);
    else
        abort();
    return 0;
}

static int perform_loop(Loop loop)
{
    char order = loop.first == 'S' ? 's' : 'a';
    int left = 0;
    for (;;) {
        int found = load(&cells[loop.x - '0'], loop.first == 'l' ? 'r' : order);
        int seen = read_between(loop, order, &left, found);
        if (loop.early != '-' && (seen & 3) == loop.early - '0')
            return 100 + found * 16 + seen;
        if (!confirm(loop, order, found, seen))
            continue;
        if (loop.after == 'w')
            perform_access(order == 's' ? 'J' : 'V', loop.y - '0');
        else if (loop.after == 'a')
            perform_access(order == 's' ? 'B' : 'A', loop.x - '0');
        return found * 16 + seen;
    }
}

static int content_of(int found)
{
    return found < PUBLISHED ? 0 : published[found / PUBLISHED];
}

static int perform_retry(Loop loop)
{
    atomic_int *x = &cells[loop.x - '0'];
    int found = load(x, loop.first == 'H' ? 'a' : 'r'), seen = 0;
    int looks = loop.first == 'H' && loop.between != 'n';
    for (;;) {
        if (looks)
            seen = content_of(found);
        if (atomic_compare_exchange_strong_explicit(x, &found, loop.confirm == 'z' ? 0 : found + 1,
                                                    memory_order_acq_rel, ACQUIRE))
            return found * 16 + seen;
        looks = loop.between == 'o';
        if (loop.early != '-' && content_of(found) == loop.early - '0')
            return 100 + found * 16 + seen;
    }
}

/* Waits as LOOP says; returns what it saw. */
static int wait_to_leave(Loop loop, char order)
{
    atomic_int *x = &cells[loop.x - '0'], *y = &cells[loop.y - '0'];
    atomic_int *third = &cells[3 - (loop.x - '0') - (loop.y - '0')];
    int seen = 0;
    switch (loop.confirm) {
    case 'w':
    case 'g':
        while (!(seen = load(y, order))) {
        }
        return seen;
    case 'z':
        while (!(seen = load(third, order))) {
        }
        return seen;
    case 'x':
        while (load(x, order)) {
        }
        return 0;
    case 'b':
        while (!(seen = load(y, order)) && !(seen = load(third, order))) {
        }
        return seen;
    default:
        return 0;
    }
}

static int perform_leave(Loop loop, int own)
{
    char order = loop.first == 'M' ? 'a' : 'r';
    atomic_int *x = &cells[loop.x - '0'];
    own = loop.late == 'o' ? own : 1;
    int found = atomic_exchange_explicit(x, own, memory_order_acq_rel);
    int seen, left = 0;
    do {
        seen = read_between(loop, order, &left, found);
        if (loop.early != '-' && seen)
            break;
        if (exchange_if(x, own, 0, order))
            return 50 + found;
        seen = wait_to_leave(loop, order);
    } while (loop.confirm == 'g');
    if (loop.after == 'w')
        atomic_store_explicit(&cells[loop.y - '0'], 2, RELEASE);
    return found * 16 + seen;
}

static long perform(const char *word)
{
    long seen = 1;
    for (const char *at = word; *at && *at != ' ';) {
        int is_loop = strchr("LlSMmHh", *at) != NULL;
        if (is_loop) {
            Loop loop = {at[0], at[1], at[2], at[3], at[4], at[5], at[6], at[7], (int)(at - text)};
            seen = seen * 997 + (strchr("Mm", *at)   ? perform_leave(loop, 11 + (int)(at - text))
                                 : strchr("Hh", *at) ? perform_retry(loop)
                                                     : perform_loop(loop));
        } else if (*at == 'P' || *at == 'Q') {
            publish(*at, &cells[at[1] - '0'], 1 + (int)(at - text));
        } else {
            seen = seen * 997 + perform_access(at[0], at[1] - '0');
        }
        at += is_loop ? 8 : 2;
    }
    return seen;
}
