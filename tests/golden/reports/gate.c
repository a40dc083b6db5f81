/* A gate that is looked at without its mutex: it may open between the look and the wait. With -DTWO two
 * threads wait properly, and one signal is sent. With -DFUTEX the same mistake with a futex. */
#include <linux/futex.h>
#include <pthread.h>
#include <stdatomic.h>
#include <sys/syscall.h>
#include <unistd.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t opened = PTHREAD_COND_INITIALIZER;
static atomic_int is_open, sleepers;

static void *pass(void *unused)
{
#if defined FUTEX
    if (!is_open)
        syscall(SYS_futex, &sleepers, FUTEX_WAIT, 0, NULL, NULL, 0);
#elif defined TWO
    pthread_mutex_lock(&lock);
    while (!is_open)
        pthread_cond_wait(&opened, &lock);
    pthread_mutex_unlock(&lock);
#else
    if (!is_open) {
        pthread_mutex_lock(&lock);
        pthread_cond_wait(&opened, &lock);
        pthread_mutex_unlock(&lock);
    }
#endif
    return unused;
}

static void *open_it(void *unused)
{
#ifdef FUTEX
    is_open = 1;
    syscall(SYS_futex, &sleepers, FUTEX_WAKE, 1, NULL, NULL, 0);
#else
    pthread_mutex_lock(&lock);
    is_open = 1;
    pthread_cond_signal(&opened);
    pthread_mutex_unlock(&lock);
#endif
    return unused;
}

int main(void)
{
    pthread_t a, b, c;
    pthread_create(&a, NULL, pass, NULL);
#ifdef TWO
    pthread_create(&c, NULL, pass, NULL);
#endif
    pthread_create(&b, NULL, open_it, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
#ifdef TWO
    pthread_join(c, NULL);
#endif
    (void)c;
}
