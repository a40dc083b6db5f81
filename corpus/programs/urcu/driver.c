/* liburcu, the flavour with full barriers: a reader follows a pointer inside its critical section while main replaces
 * what it points to, waits for a grace period and frees the old object. */
#include <assert.h>
#include <pthread.h>
#include <stdlib.h>
#include <urcu/urcu-mb.h>

struct pair {
    int a, b;
};
static struct pair *shared;

static struct pair *pair_new(int value)
{
    struct pair *pair = malloc(sizeof *pair);
    pair->a = pair->b = value;
    return pair;
}

static void *reader(void *unused)
{
    urcu_mb_register_thread();
    urcu_mb_read_lock();
    struct pair *seen = rcu_dereference(shared);
    assert(seen->a == seen->b && seen->a != 0);
    urcu_mb_read_unlock();
    urcu_mb_unregister_thread();
    return unused;
}

int main(void)
{
    pthread_t thread;
    shared = pair_new(1);
    assert(!pthread_create(&thread, NULL, reader, NULL));
    struct pair *old = shared;
    rcu_assign_pointer(shared, pair_new(2));
    urcu_mb_synchronize_rcu();
    free(old);
    pthread_join(thread, NULL);
    free(shared);
    return 0;
}
