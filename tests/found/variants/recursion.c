/* A thread that reads under a read-write lock locks it for reading once more: beside a writer, which may wait in between,
 * both may wait for ever (up to 10). From 11 on nobody writes meanwhile, or the second lock is only tried. With an even V
 * the writer is created first. */
#include <pthread.h>
#include <stdlib.h>
#ifdef __cplusplus
#include <shared_mutex>
#endif
#define KIND ((V - 1) / 2)
#if defined __cplusplus && KIND != 1 && KIND != 5
static std::shared_mutex lock;
static void read_lock(void) { lock.lock_shared(); }
static void read_unlock(void) { lock.unlock_shared(); }
static void write_lock(void) { lock.lock(); }
static void write_unlock(void) { lock.unlock(); }
static int try_read(void) { return lock.try_lock_shared(); }
#else
static pthread_rwlock_t lock = PTHREAD_RWLOCK_INITIALIZER;
static void read_lock(void) { pthread_rwlock_rdlock(&lock); }
static void read_unlock(void) { pthread_rwlock_unlock(&lock); }
static void write_lock(void) { pthread_rwlock_wrlock(&lock); }
static void write_unlock(void) { pthread_rwlock_unlock(&lock); }
static int try_read(void) { return !pthread_rwlock_tryrdlock(&lock); }
#endif
static void *reader(void *a)
{
    read_lock();
#if KIND == 5
    if (try_read())
        read_unlock();
#elif KIND == 2
    if (try_read()) {
        read_lock();
        read_unlock();
        read_unlock();
    }
#else
    read_lock();
#if KIND == 3
    read_lock();
    read_unlock();
#endif
    read_unlock();
#endif
    read_unlock();
    return a;
}
static void *writer(void *a)
{
    write_lock();
    write_unlock();
    return a;
}
int main(void)
{
    pthread_t threads[3];
    (void)try_read;
#if KIND == 1
    pthread_rwlock_init(&lock, 0);
#endif
#if KIND == 6
    writer(0);
    pthread_create(&threads[0], 0, reader, 0);
    pthread_create(&threads[1], 0, reader, 0);
#elif KIND == 7
    pthread_create(&threads[0], 0, reader, 0);
    pthread_join(threads[0], 0);
    pthread_create(&threads[0], 0, writer, 0);
    pthread_create(&threads[1], 0, writer, 0);
#else
    pthread_create(&threads[0], 0, V % 2 ? reader : writer, 0);
    pthread_create(&threads[1], 0, V % 2 ? writer : reader, 0);
#endif
#if KIND == 4
    pthread_create(&threads[2], 0, reader, 0);
    pthread_join(threads[2], 0);
#endif
    pthread_join(threads[0], 0);
    pthread_join(threads[1], 0);
}
