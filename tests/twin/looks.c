/* looks.c: an ordinary threaded program that performs a text of rounds and waits which look into
 * plain memory, so that what is left out of them may be all that races with another thread, or that
 * uses what another thread has freed. HEDDLE_TWIN_PROGRAM has one word a thread, separated by
 * blanks. There are four cells: 0 begins as a stack of two static nodes, 1 as one of two nodes of
 * the heap, 2 and 3 as 0; and two plain variables. Two letters:
 *   W V Z  store 1, 2, 0 (release; w v z: relaxed)         R r  load (acquire; relaxed)
 *   A a    add 1 (acq_rel; relaxed)                        K    compare-exchange 0 to 1, once
 *   F      a seq_cst fence (the digit is ignored)          X Y  write, read a plain variable
 *   ? !    skip what follows if the cell is 0 (acquire; relaxed)
 *   % &    skip what follows unless the cell is 0 (acquire; relaxed)
 *   d e f  read or write the node that was taken last, or free it, with one of the heap (ignored)
 *   m u    lock and unlock a mutex                         t    try it: skip what follows if it is
 *          taken, unlock it after that if not
 *   x y    store 1 to a plain variable, load it, relaxed   b    the barrier of all threads with a b
 * Four letters:
 *   Q q    wait until the cell is not zero (acquire; relaxed), looking in each round: how, and at
 *          which variable or cell (see below)
 *   S s    the same until it is zero
 *   T      try a mutex until it is free, looking so in each round that fails; and unlock it
 *   J I    look so under a mutex, or after it, until the cell is not zero, as it is seen under it
 *   O E    look so under a mutex, or with the cell exchanged for 1, in each round in which the
 *          cell, or the other one of 2 and 3, is zero
 *   D      look at a variable under a mutex until it is not zero, and so after each failing round
 *   G      exchange the cell for 1 until it was 0, looking so in each failing round; store 0
 *   P p    wait until the cell is not zero (acquire), having taken a mutex, or added 1 to the other
 *          one of 2 and 3 and taken it away again, before each look at the cell, and looking so
 *          after it
 *   N B    add 1 to the cell, look so (B: if it was not the last round), take 1 away, until the
 *          other one of 2 and 3 is not zero
 * Nine letters, a round that retries:
 *   L l    its first read acquires or is relaxed; H h so, too, but after a failure it goes on with
 *          what was found; then the cell x
 *   how it looks, and y: n not at all; r w it reads or writes variable y; a reads it by a relaxed
 *          load; R W N M it reads or writes the value, or the link, of the node in x; c C it reads
 *          or writes variable 0 if cell y is not zero
 *   what it does instead of trying: - nothing; z w it leaves or goes round if x is zero; o goes
 *          round if x is odd
 *   what the compare-exchange writes: z 0; n the link of the node; a one more; p P pushes a node of
 *          its own, or a fresh one of the heap; h pushes the one it has taken last
 *   its order: a acq_rel; q acquire; r release; x relaxed
 *   what follows: - nothing; r w reads or writes variable y; R W N reads the value of what was
 *          taken, or writes it, or its link; f frees it if it is of the heap
 *   and then: - nothing; u stores 0 to x (release); v so (relaxed); s adds 1 to x (release)
 * What memory holds in the end counts among what was returned. Without reductions, a thread ends
 * after LIMIT rounds of a loop, having done nothing more. */
#define EXAMPLE "L0R0zna-- L0N0znaW-"
#define CONCLUDES
#include "texts.h"

#define LIMIT 3

typedef struct Node Node;
struct Node {
    long value;
    Node *next;
};

static Node nodes[2] = {{1, &nodes[1]}, {2, NULL}};
static Node own_nodes[sizeof text]; /* by place in the text */
static atomic_long cells[4];
static long variables[2];
static pthread_mutex_t mutexes[2] = {PTHREAD_MUTEX_INITIALIZER, PTHREAD_MUTEX_INITIALIZER};
static pthread_barrier_t barrier;
static int is_limited;

#define RELAXED memory_order_relaxed
#define ACQUIRE memory_order_acquire
#define RELEASE memory_order_release

__attribute__((constructor)) static void prepare(void)
{
    const char *how = getenv("HEDDLE_DEBUG");
    is_limited = how && strstr(how, "no-reductions");
    const char *program = getenv("HEDDLE_TWIN_PROGRAM");
    unsigned count = 0; /* of threads with a b */
    for (const char *at = program; at && *at; at += strspn(at, " ")) {
        const char *b = strchr(at, 'b'), *end = at + strcspn(at, " ");
        count += b && b < end;
        at = end;
    }
    pthread_barrier_init(&barrier, NULL, count ? count : 1);
    Node *first = malloc(sizeof *first), *second = malloc(sizeof *second);
    *second = (Node){4, NULL};
    *first = (Node){3, second};
    atomic_init(&cells[0], (long)&nodes[0]);
    atomic_init(&cells[1], (long)first);
}

/* Read-modify-writes may have added to it. */
static Node *node_of(long value)
{
    return value < 4096 ? NULL : (Node *)(value & ~15L);
}

static int is_of_heap(const Node *node)
{
    return (node < nodes || node >= nodes + 2) &&
           (node < own_nodes || node >= own_nodes + sizeof text);
}

static long load(int cell, int acquires)
{
    return acquires ? atomic_load_explicit(&cells[cell], ACQUIRE)
                    : atomic_load_explicit(&cells[cell], RELAXED);
}

/* By value: a loop reads no plain memory but what it looks at. */
typedef struct Round {
    char kind, x, look, y, instead, what, order, then, last;
    int place; /* in the text */
} Round;

static long look(char how, int y, long found)
{
    Node *node = node_of(found);
    switch (how) {
    case 'r':
        return variables[y & 1];
    case 'w':
        variables[y & 1] = 1;
        return 0;
    case 'a':
        return __atomic_load_n(&variables[y & 1], __ATOMIC_RELAXED);
    case 'R':
        return node ? node->value : 0;
    case 'W':
        if (node)
            node->value = 5;
        return 0;
    case 'N':
        return node && node->next;
    case 'M':
        if (node)
            node->next = NULL;
        return 0;
    case 'c':
        return load(y, 1) ? variables[0] : 0;
    case 'C':
        if (load(y, 1))
            variables[0] = 1;
        return 0;
    default:
        return 0;
    }
}

static int exchange_if(int cell, long *found, long wanted, char order)
{
    switch (order) {
    case 'a':
        return atomic_compare_exchange_strong_explicit(&cells[cell], found, wanted,
                                                       memory_order_acq_rel, ACQUIRE);
    case 'q':
        return atomic_compare_exchange_strong_explicit(&cells[cell], found, wanted, ACQUIRE,
                                                       ACQUIRE);
    case 'r':
        return atomic_compare_exchange_strong_explicit(&cells[cell], found, wanted, RELEASE,
                                                       RELAXED);
    default:
        return atomic_compare_exchange_strong_explicit(&cells[cell], found, wanted, RELAXED,
                                                       RELAXED);
    }
}

typedef struct Thread {
    Node *held;
    int gave_up;
} Thread;

static Node *node_to_push(Round r, Thread *self)
{
    Node *node = NULL;
    if (r.what == 'p')
        node = &own_nodes[r.place];
    else if (r.what == 'P')
        node = malloc(sizeof *node);
    else if (r.what == 'h')
        return self->held;
    if (node)
        node->value = 7;
    return node;
}

static long after(Round r, int x, long found)
{
    long seen = 0;
    Node *node = node_of(found);
    if (strchr("rwRWN", r.then))
        seen = look(r.then == 'N' ? 'M' : r.then, r.y - '0', found);
    else if (r.then == 'f' && node && is_of_heap(node))
        free(node);
    if (r.last == 'u')
        atomic_store_explicit(&cells[x], 0, RELEASE);
    else if (r.last == 'v')
        atomic_store_explicit(&cells[x], 0, RELAXED);
    else if (r.last == 's')
        atomic_fetch_add_explicit(&cells[x], 1, RELEASE);
    return seen;
}

static long perform_round(Round r, Thread *self)
{
    int x = r.x - '0', y = r.y - '0', acquires = r.kind == 'L' || r.kind == 'H';
    int pushes = strchr("pPh", r.what) != NULL, goes_on = r.kind == 'H' || r.kind == 'h';
    Node *pushed = node_to_push(r, self);
    if (pushes && !pushed)
        return 0;
    long found = load(x, acquires);
    for (int left = is_limited ? LIMIT : -1;;) {
        if (left >= 0 && !left--) {
            self->gave_up = 1;
            return 0;
        }
        long seen = look(r.look, y, found), wanted = 0;
        if ((r.instead == 'w' && !found) || (r.instead == 'o' && (found & 1))) {
            found = load(x, acquires);
            continue;
        }
        if (r.instead == 'z' && !found)
            return 100 + seen;
        if (pushes) {
            pushed->next = node_of(found);
            wanted = (long)pushed;
        } else if (r.what == 'n') {
            wanted = node_of(found) ? (long)node_of(found)->next : 0;
        } else if (r.what == 'a') {
            wanted = found + 1;
        }
        if (exchange_if(x, &found, wanted, r.order)) {
            if (pushes)
                self->held = NULL;
            else
                self->held = node_of(found);
            return (found & 255) * 16 + seen * 3 + after(r, x, found);
        }
        if (!goes_on)
            found = load(x, acquires);
    }
}

/* Is the wait not over? FOUND becomes what is in the cell. */
static int goes_on(char kind, int n, int y, long *found)
{
    switch (kind) {
    case 'Q':
    case 'q':
        return !(*found = load(n, kind == 'Q'));
    case 'S':
    case 's':
        return (*found = load(n, kind == 'S')) != 0;
    case 'D':
        pthread_mutex_lock(&mutexes[n & 1]);
        *found = variables[n & 1];
        pthread_mutex_unlock(&mutexes[n & 1]);
        return !*found;
    case 'I':
        pthread_mutex_lock(&mutexes[y & 1]);
        *found = load(n, 1);
        pthread_mutex_unlock(&mutexes[y & 1]);
        return !*found;
    case 'G':
        return (*found = atomic_exchange_explicit(&cells[n], 1, ACQUIRE)) != 0;
    case 'P':
        pthread_mutex_lock(&mutexes[y & 1]);
        pthread_mutex_unlock(&mutexes[y & 1]);
        return !(*found = load(n, 1));
    case 'p':
        atomic_fetch_add_explicit(&cells[5 - n], 1, memory_order_acq_rel);
        atomic_fetch_sub_explicit(&cells[5 - n], 1, memory_order_acq_rel);
        return !(*found = load(n, 1));
    default:
        return pthread_mutex_trylock(&mutexes[n & 1]) != 0;
    }
}

/* A round of J, O, E, N or B. Returns whether the wait is over. */
static int perform_inside(char kind, int n, char how, int y, long *seen)
{
    int locks = kind == 'J' || kind == 'O', exchanges = kind == 'E';
    if (locks)
        pthread_mutex_lock(&mutexes[y & 1]);
    else if (exchanges)
        while (atomic_exchange_explicit(&cells[n], 1, ACQUIRE)) {
        }
    else
        atomic_fetch_add_explicit(&cells[n], 1, memory_order_acq_rel);
    long found = load(locks ? n : 5 - n, 1);
    if (kind == 'J' || kind == 'N' || !found)
        *seen = look(how, y, found);
    if (locks)
        pthread_mutex_unlock(&mutexes[y & 1]);
    else if (exchanges)
        atomic_store_explicit(&cells[n], 0, RELEASE);
    else
        atomic_fetch_sub_explicit(&cells[n], 1, memory_order_acq_rel);
    return found != 0;
}

static long perform_wait(char kind, int n, char how, int y, Thread *self)
{
    long seen = 0, found = 0;
    for (int left = is_limited ? LIMIT : -1;;) {
        if (left >= 0 && !left--) {
            self->gave_up = 1;
            return 0;
        }
        if (strchr("JOENB", kind)) {
            if (perform_inside(kind, n, how, y, &seen))
                return seen;
            continue;
        }
        if (!goes_on(kind, n, y, &found))
            break;
        seen = look(how, y, found);
    }
    if (kind == 'T')
        pthread_mutex_unlock(&mutexes[n & 1]);
    else if (kind == 'G')
        atomic_store_explicit(&cells[n], 0, RELEASE);
    return seen;
}

/* Sets SKIPS if the next operation is left out. */
static long perform_access(char what, int n, Thread *self, int *skips)
{
    long expected = 0;
    switch (what) {
    case 'W':
        atomic_store_explicit(&cells[n], 1, RELEASE);
        return 0;
    case 'V':
        atomic_store_explicit(&cells[n], 2, RELEASE);
        return 0;
    case 'Z':
        atomic_store_explicit(&cells[n], 0, RELEASE);
        return 0;
    case 'w':
        atomic_store_explicit(&cells[n], 1, RELAXED);
        return 0;
    case 'v':
        atomic_store_explicit(&cells[n], 2, RELAXED);
        return 0;
    case 'z':
        atomic_store_explicit(&cells[n], 0, RELAXED);
        return 0;
    case 'R':
    case 'r':
        return load(n, what == 'R') & 255;
    case 'A':
        return atomic_fetch_add_explicit(&cells[n], 1, memory_order_acq_rel) & 255;
    case 'a':
        return atomic_fetch_add_explicit(&cells[n], 1, RELAXED) & 255;
    case 'K':
        return exchange_if(n, &expected, 1, 'a');
    case 'F':
        atomic_thread_fence(memory_order_seq_cst);
        return 0;
    case 'X':
        return look('w', n, 0);
    case 'Y':
        return look('r', n, 0);
    case '?':
    case '!':
        *skips = !load(n, what == '?');
        return *skips;
    case '%':
    case '&':
        *skips = load(n, what == '%') != 0;
        return *skips;
    case 'd':
        return look('R', 0, (long)self->held);
    case 'e':
        return look('W', 0, (long)self->held);
    case 'f':
        if (self->held && is_of_heap(self->held))
            free(self->held);
        self->held = NULL;
        return 0;
    case 'x':
        __atomic_store_n(&variables[n & 1], 1, __ATOMIC_RELAXED);
        return 0;
    case 'y':
        return look('a', n, 0);
    case 'b':
        pthread_barrier_wait(&barrier);
        return 0;
    case 'm':
        pthread_mutex_lock(&mutexes[n & 1]);
        return 0;
    case 'u':
        pthread_mutex_unlock(&mutexes[n & 1]);
        return 0;
    default:
        abort();
    }
}

static int length_of(char what)
{
    return strchr("LlHh", what) ? 9 : strchr("QqSsTJOEIDGNBPp", what) ? 4 : 2;
}

static long perform_one(const char *at, Thread *self, int *skips)
{
    if (length_of(*at) == 9) {
        Round r = {at[0], at[1], at[2], at[3], at[4], at[5], at[6], at[7], at[8], (int)(at - text)};
        return perform_round(r, self);
    }
    if (length_of(*at) == 4)
        return perform_wait(at[0], at[1] - '0', at[2], at[3] - '0', self);
    return perform_access(at[0], at[1] - '0', self, skips);
}

static long perform(const char *word)
{
    long seen = 1;
    Thread self = {0};
    for (const char *at = word; *at && *at != ' ';) {
        int skips = 0, mutex = -1;
        if (*at == 't') {
            skips = pthread_mutex_trylock(&mutexes[at[1] & 1]) != 0;
            mutex = skips ? -1 : at[1] & 1;
        } else {
            seen = seen * 997 + perform_one(at, &self, &skips);
        }
        at += length_of(*at);
        if (mutex >= 0 && *at && *at != ' ') {
            int ignored;
            seen = seen * 997 + perform_one(at, &self, &ignored);
            at += length_of(*at);
        }
        if (mutex >= 0)
            pthread_mutex_unlock(&mutexes[mutex]);
        if (skips && *at && *at != ' ')
            at += length_of(*at);
        if (self.gave_up) {
            atomic_store_explicit(&returned[6], 0xdead1, RELAXED); /* no outcome */
            return 0;
        }
    }
    return seen;
}

/* Main adds what memory holds in the end to what threads have returned. */
static void conclude(void)
{
    long sum = 0;
    for (int i = 0; i < 4; i++)
        sum = sum * 31 + (load(i, 0) & 255);
    sum = (sum * 31 + variables[0]) * 31 + variables[1];
    for (int i = 0; i < 2; i++)
        sum = (sum * 31 + nodes[i].value) * 31 + (nodes[i].next != NULL);
    atomic_store_explicit(&returned[7], sum, RELAXED);
}
