/* An object that heddle did not compile (foreign_object.c) works on memory that threads share; its accesses are
 * watched. LOCKED: under a lock; else they race. */
#include <assert.h>
#include <pthread.h>

struct node {
    long value;
    struct node *next;
};
extern struct node list[4];
long foreign_sum(const struct node *first);
void foreign_bump(long *counters, int index, long by);
extern long foreign_counters[8];

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void *bump(void *unused)
{
#ifdef LOCKED
    pthread_mutex_lock(&lock);
#endif
    foreign_bump(foreign_counters, 3, 2);
#ifdef LOCKED
    pthread_mutex_unlock(&lock);
#endif
    return unused;
}

int main(void)
{
    pthread_t thread;
    pthread_create(&thread, NULL, bump, NULL);
    bump(NULL);
    pthread_join(thread, NULL);
    assert(foreign_sum(list) == 6);
    assert(foreign_counters[3] == 4);
    return 0;
}
