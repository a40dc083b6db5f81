/* locks.c: an ordinary threaded program that performs a text of locks, accesses and loops that
 * wait, for comparing two ways to explore. HEDDLE_TWIN_PROGRAM has one word a thread, separated by
 * blanks; letters with a digit each: L0 U0  lock and unlock mutex 0       T0  try it; if that fails
 * skip to after the next U0 S0 P0  wait for and post semaphore 0 (it begins at 1) D0 d0 E0 e0
 * read-write lock 0: read, end reading, write, end writing W0 R0 A0  store, load, add to atomic 0
 * (all sequentially consistent; r w: relaxed) F0 f0  spin until atomic 0 is not zero (acquire;
 * relaxed) C0 c0  add to it by compare-exchange: retry with the value found; load again B0     read
 * atomic 0, the other one, atomic 0 again until both reads of it agree X0 x0  take and release spin
 * lock 0 (exchange) K0 k0  take and release ticket lock 0 */
#include <pthread.h>
#include <semaphore.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

static pthread_mutex_t mutexes[4] = {PTHREAD_MUTEX_INITIALIZER, PTHREAD_MUTEX_INITIALIZER,
                                     PTHREAD_MUTEX_INITIALIZER, PTHREAD_MUTEX_INITIALIZER};
static pthread_rwlock_t rwlocks[2] = {PTHREAD_RWLOCK_INITIALIZER, PTHREAD_RWLOCK_INITIALIZER};
static sem_t semaphores[2];
static atomic_int cells[4];
static atomic_int spin_locks[2], tickets[2], owners[2];
static char text[512];

static void compare_exchange(atomic_int *cell, int reload)
{
    int found = atomic_load_explicit(cell, memory_order_relaxed);
    while (!atomic_compare_exchange_strong_explicit(cell, &found, found + 1, memory_order_acq_rel,
                                                    memory_order_acquire))
        if (reload)
            found = atomic_load_explicit(cell, memory_order_relaxed);
}
static void read_until_equal(atomic_int *first, atomic_int *second)
{
    int found;
    do {
        found = atomic_load_explicit(first, memory_order_acquire);
        (void)atomic_load_explicit(second, memory_order_acquire);
    } while (atomic_load_explicit(first, memory_order_relaxed) != found);
}
static void take_ticket(int n)
{
    int mine = atomic_fetch_add_explicit(&tickets[n], 1, memory_order_relaxed);
    while (atomic_load_explicit(&owners[n], memory_order_acquire) != mine)
        ;
}

static void *run(void *word)
{
    for (const char *at = word; *at && *at != ' '; at += 2) {
        int n = at[1] - '0';
        switch (at[0]) {
        case 'L':
            pthread_mutex_lock(&mutexes[n]);
            break;
        case 'U':
            pthread_mutex_unlock(&mutexes[n]);
            break;
        case 'T':
            if (pthread_mutex_trylock(&mutexes[n]))
                while (at[0] != 'U' || at[1] - '0' != n)
                    at += 2;
            break;
        case 'S':
            sem_wait(&semaphores[n]);
            break;
        case 'P':
            sem_post(&semaphores[n]);
            break;
        case 'D':
            pthread_rwlock_rdlock(&rwlocks[n]);
            break;
        case 'E':
            pthread_rwlock_wrlock(&rwlocks[n]);
            break;
        case 'd':
        case 'e':
            pthread_rwlock_unlock(&rwlocks[n]);
            break;
        case 'W':
            atomic_store(&cells[n], 1);
            break;
        case 'R':
            atomic_load(&cells[n]);
            break;
        case 'A':
            atomic_fetch_add(&cells[n], 1);
            break;
        case 'w':
            atomic_store_explicit(&cells[n], 1, memory_order_relaxed);
            break;
        case 'r':
            atomic_load_explicit(&cells[n], memory_order_relaxed);
            break;
        case 'F':
            while (!atomic_load_explicit(&cells[n], memory_order_acquire)) {
            }
            break;
        case 'f':
            while (!atomic_load_explicit(&cells[n], memory_order_relaxed)) {
            }
            break;
        case 'C':
        case 'c':
            compare_exchange(&cells[n], at[0] == 'c');
            break;
        case 'B':
            read_until_equal(&cells[n], &cells[!n]);
            break;
        case 'X':
            while (atomic_exchange_explicit(&spin_locks[n], 1, memory_order_acquire)) {
            }
            break;
        case 'x':
            atomic_store_explicit(&spin_locks[n], 0, memory_order_release);
            break;
        case 'K':
            take_ticket(n);
            break;
        case 'k':
            atomic_fetch_add_explicit(&owners[n], 1, memory_order_release);
            break;
        default:
            abort();
        }
    }
    return NULL;
}

__attribute__((constructor)) static void read_program(void)
{
    const char *program = getenv("HEDDLE_TWIN_PROGRAM");
    strncpy(text, program ? program : "L0U0 L0U0", sizeof text - 1);
}

static int is_same_word(const char *a, const char *b)
{
    size_t length = strcspn(a, " ");
    return length == strcspn(b, " ") && !strncmp(a, b, length);
}

int main(void)
{
    pthread_t threads[8];
    int count = 0;
    sem_init(&semaphores[0], 0, 1);
    sem_init(&semaphores[1], 0, 1);
    char *words[8]; /* threads that do the same have the same argument */
    for (char *at = text; *at && count < 8; at++)
        if (at == text || at[-1] == ' ') {
            words[count] = count && is_same_word(words[count - 1], at) ? words[count - 1] : at;
            count++;
        }
    for (int i = 0; i < count; i++)
        pthread_create(&threads[i], NULL, run, words[i]);
    for (int i = 0; i < count; i++)
        pthread_join(threads[i], NULL);
    _Exit(0);
}
