// expect: violated deadlock
// One thread assumes what the other brings about; a lock is never given back, and main waits for it. An execution whose
// assumption fails is no deadlock, the others are.
#include <heddle.h>
#include <pthread.h>
#include <stdatomic.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static atomic_int flag;

static void *forgets(void *unused)
{
    heddle_assume(atomic_load(&flag));
    pthread_mutex_lock(&lock);
    return unused;
}

int main(void)
{
    pthread_t thread;
    pthread_create(&thread, NULL, forgets, NULL);
    atomic_store(&flag, 1);
    pthread_join(thread, NULL);
    pthread_mutex_lock(&lock);
}
