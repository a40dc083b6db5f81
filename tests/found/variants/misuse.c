/* Locks that are destroyed, never initialised, initialised twice, or destroyed while they are held. */
#include <pthread.h>
#include <semaphore.h>
#include <stdlib.h>
#include <threads.h>
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t c;
static pthread_rwlock_t rw;
static pthread_spinlock_t sp;
static sem_t s;
static pthread_barrier_t b;
static mtx_t c11;
static void *locks(void *a)
{
    pthread_mutex_lock(&m);
    pthread_mutex_unlock(&m);
    return a;
}
int main(void)
{
    pthread_t t;
    pthread_mutex_t *p = (pthread_mutex_t *)malloc(sizeof *p);
    (void)t, (void)p;
#if V == 1
    pthread_mutex_init(&m, 0);
    pthread_mutex_destroy(&m);
    pthread_mutex_trylock(&m);
#elif V == 2
    pthread_cond_init(&c, 0);
    pthread_cond_destroy(&c);
    pthread_cond_signal(&c);
#elif V == 3
    pthread_cond_init(&c, 0);
    pthread_cond_destroy(&c);
    pthread_cond_broadcast(&c);
#elif V == 4
    pthread_rwlock_init(&rw, 0);
    pthread_rwlock_destroy(&rw);
    pthread_rwlock_rdlock(&rw);
#elif V == 5
    pthread_rwlock_init(&rw, 0);
    pthread_rwlock_destroy(&rw);
    pthread_rwlock_wrlock(&rw);
#elif V == 6
    sem_init(&s, 0, 1);
    sem_destroy(&s);
    sem_wait(&s);
#elif V == 7
    sem_post(&s);
#elif V == 8
    pthread_barrier_wait(&b);
#elif V == 9
    pthread_mutex_lock(p);
#elif V == 10
    pthread_mutex_init(&m, 0);
    pthread_mutex_init(&m, 0);
#elif V == 11
    pthread_mutex_lock(&m);
    pthread_mutex_destroy(&m);
#elif V == 12
    pthread_create(&t, 0, locks, 0);
    pthread_mutex_destroy(&m);
    pthread_join(t, 0);
#elif V == 13
    pthread_spin_init(&sp, 0);
    pthread_spin_destroy(&sp);
    pthread_spin_lock(&sp);
#elif V == 14
    mtx_init(&c11, mtx_plain);
    mtx_destroy(&c11);
    mtx_destroy(&c11);
#elif V == 15 /* all of this is allowed */
    pthread_mutex_init(&m, 0);
    locks(0);
    pthread_mutex_destroy(&m);
    pthread_mutex_init(&m, 0);
    pthread_create(&t, 0, locks, 0);
    locks(0);
    pthread_join(t, 0);
    pthread_mutex_destroy(&m);
    for (int i = 0; i < 2; i++) {
        pthread_mutex_t local;
        pthread_mutex_init(&local, 0);
        pthread_mutex_lock(&local);
        pthread_mutex_unlock(&local);
    }
    sem_init(&s, 0, 1);
    sem_wait(&s);
    sem_destroy(&s);
    sem_init(&s, 0, 1);
    sem_wait(&s);
    pthread_barrier_init(&b, 0, 1);
    pthread_barrier_wait(&b);
    pthread_barrier_destroy(&b);
    pthread_rwlock_init(&rw, 0);
    pthread_rwlock_rdlock(&rw);
    pthread_rwlock_unlock(&rw);
    pthread_rwlock_destroy(&rw);
    pthread_cond_init(&c, 0);
    pthread_cond_signal(&c);
    pthread_cond_destroy(&c);
#elif V == 16
    pthread_mutex_trylock(p);
#elif V == 17
    pthread_cond_signal((pthread_cond_t *)malloc(sizeof(pthread_cond_t)));
#elif V == 18
    pthread_cond_broadcast((pthread_cond_t *)malloc(sizeof(pthread_cond_t)));
#elif V == 19
    pthread_rwlock_tryrdlock((pthread_rwlock_t *)malloc(sizeof(pthread_rwlock_t)));
#elif V == 20
    pthread_rwlock_trywrlock((pthread_rwlock_t *)malloc(sizeof(pthread_rwlock_t)));
#elif V == 21
    pthread_spin_trylock((pthread_spinlock_t *)malloc(sizeof(pthread_spinlock_t)));
#elif V == 22
    mtx_trylock((mtx_t *)malloc(sizeof(mtx_t)));
#elif V == 23
    cnd_signal((cnd_t *)malloc(sizeof(cnd_t)));
#elif V == 24
    sem_trywait((sem_t *)malloc(sizeof(sem_t)));
#elif V == 25
    pthread_mutex_t initial = PTHREAD_MUTEX_INITIALIZER;
    *p = initial;
    pthread_mutex_trylock(p);
    pthread_cond_t *fresh = (pthread_cond_t *)calloc(1, sizeof *fresh);
    pthread_cond_signal(fresh);
    free(fresh);
#elif V == 26
    char bytes[2 * sizeof(pthread_mutex_t)] __attribute__((aligned(16))) = {0};
    pthread_mutex_lock((pthread_mutex_t *)(bytes + 1));
#elif V == 27
    char bytes[2 * sizeof(sem_t)] __attribute__((aligned(16))) = {0};
    sem_init((sem_t *)(bytes + 2), 0, 1);
    sem_wait((sem_t *)(bytes + 2));
#endif
    free(p);
    return 0;
}
