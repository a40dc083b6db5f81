/* timed.c: threads that wait until something has come or a time is over, in loops. The arguments
 * are two threads as words of statements (twin.py has the same words as steps of a machine), a
 * letter for how main joins, and numbers: what is left in the end, as a number, must be one of them
 * or, behind `not', none of them. */
#define _GNU_SOURCE
#include <assert.h>
#include <errno.h>
#include <linux/futex.h>
#include <poll.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER, n = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t c = PTHREAD_COND_INITIALIZER;
static sem_t s;
static int a, b, w; /* a and b by m, w by n */
static atomic_int flag;
static int result[2];

static struct timespec later(void)
{
    struct timespec until;
    clock_gettime(CLOCK_REALTIME, &until);
    until.tv_nsec += 1000;
    return until;
}

static void set(int *place, int wake)
{
    pthread_mutex_lock(&m);
    *place = 1;
    if (wake == 1)
        pthread_cond_signal(&c);
    if (wake == 2)
        pthread_cond_broadcast(&c);
    pthread_mutex_unlock(&m);
}

/* 0: woken or not asleep; 1: the time was over; 2: the value is another one */
static int sleep_at_flag(const struct timespec *limit)
{
    if (!syscall(SYS_futex, &flag, FUTEX_WAIT_PRIVATE, 0, limit, NULL, 0))
        return 0;
    return errno == ETIMEDOUT ? 1 : 2;
}

static int wake_at_flag(void)
{
    return (int)syscall(SYS_futex, &flag, FUTEX_WAKE_PRIVATE, 1, NULL, NULL, 0);
}

static void step(char word, int *r)
{
    const struct timespec past = {0}, tick = {.tv_nsec = 1000};
    switch (word) {
    case 'a':
        set(&a, 1);
        break;
    case 'A':
        set(&a, 2);
        break;
    case 'q': /* nobody is told */
        set(&a, 0);
        break;
    case 'b':
        set(&b, 1);
        break;
    case 'W': /* until it is there */
        pthread_mutex_lock(&m);
        while (!a)
            pthread_cond_timedwait(&c, &m, &past);
        *r = 2 * *r + b;
        pthread_mutex_unlock(&m);
        break;
    case 'L': /* with a new deadline each time */
        pthread_mutex_lock(&m);
        while (!a) {
            struct timespec until = later();
            pthread_cond_timedwait(&c, &m, &until);
        }
        *r = 2 * *r + b;
        pthread_mutex_unlock(&m);
        break;
    case 'O': { /* once */
        int status = 0;
        pthread_mutex_lock(&m);
        if (!a)
            status = pthread_cond_timedwait(&c, &m, &past);
        *r = 4 * *r + 2 * (status == ETIMEDOUT) + a;
        pthread_mutex_unlock(&m);
        break;
    }
    case 'U': /* for ever */
        pthread_mutex_lock(&m);
        while (!b)
            pthread_cond_wait(&c, &m);
        pthread_mutex_unlock(&m);
        break;
    case 'F': { /* what comes is taken, each time or when the time is over */
        int all = 0, last = 0;
        pthread_mutex_lock(&m);
        while (!last) {
            struct timespec until = later();
            while (!a && !b)
                if (pthread_cond_timedwait(&c, &m, &until))
                    break;
            int some = b;
            last = a;
            b = 0;
            pthread_mutex_unlock(&m);
            all += some;
            pthread_mutex_lock(&m);
        }
        pthread_mutex_unlock(&m);
        *r = 2 * *r + all;
        break;
    }
    case 'S':
        while (sem_timedwait(&s, &past))
            ;
        *r = 2 * *r + 1;
        break;
    case 's':
        sem_post(&s);
        break;
    case 'M':
        while (pthread_mutex_timedlock(&n, &past))
            ;
        *r = 2 * *r + w;
        w = 1;
        pthread_mutex_unlock(&n);
        break;
    case 'P':
        while (!atomic_load(&flag))
            poll(NULL, 0, 10);
        break;
    case 'N':
        while (!atomic_load(&flag)) {
            later();
            nanosleep(&tick, NULL);
        }
        break;
    case 'f':
        atomic_store(&flag, 1);
        break;
    case 'X': /* a futex, until it is there */
        while (!atomic_load(&flag))
            sleep_at_flag(&tick);
        break;
    case 'Y': /* for ever */
        while (!atomic_load(&flag))
            sleep_at_flag(NULL);
        break;
    case 'V': /* once */
        *r = 4 * *r + (atomic_load(&flag) ? 3 : sleep_at_flag(&tick));
        break;
    case 'x':
        atomic_store(&flag, 1);
        wake_at_flag();
        break;
    case 'y': /* how many are there? */
        *r = 2 * *r + wake_at_flag();
        break;
    }
}

static bool is_expected(const char *numbers, int number)
{
    bool other = numbers[0] == 'n', is_there = false;
    for (const char *at = numbers; *at;) {
        int next = 0;
        while (*at && (*at < '0' || *at > '9'))
            at++;
        while (*at >= '0' && *at <= '9')
            next = 10 * next + *at++ - '0';
        is_there |= next == number;
    }
    return is_there != other;
}

static const char *words[2];

static void *run(void *number)
{
    int t = *(int *)number;
    for (const char *word = words[t]; *word; word++)
        step(*word, &result[t]);
    return NULL;
}

int main(int argc, char **argv)
{
    static int numbers[2] = {0, 1};
    pthread_t threads[2];
    const struct timespec past = {0};
    if (argc < 5)
        return 2;
    sem_init(&s, 0, 0);
    words[0] = argv[1], words[1] = argv[2];
    for (int t = 0; t < 2; t++)
        pthread_create(&threads[t], NULL, run, &numbers[t]);
    for (int t = 0; t < 2; t++)
        if (argv[3][0] == 't')
            while (pthread_timedjoin_np(threads[t], NULL, &past))
                ;
        else
            pthread_join(threads[t], NULL);
    assert(is_expected(argv[4], (((a * 2 + b) * 2 + w) * 64 + result[0]) * 64 + result[1]));
    return 0;
}
