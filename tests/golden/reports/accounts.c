/* Two accounts, each with its lock, taken in the order of the transfer; compiled with -DFORGETS a
 * transfer unlocks what it did not lock. */
#include <pthread.h>

struct account {
    pthread_mutex_t lock;
    int money;
};

static struct account savings = {PTHREAD_MUTEX_INITIALIZER, 10};
static struct account current = {PTHREAD_MUTEX_INITIALIZER, 10};

static void transfer(struct account *from, struct account *to, int amount)
{
    pthread_mutex_lock(&from->lock);
#ifndef FORGETS
    pthread_mutex_lock(&to->lock);
#endif
    from->money -= amount;
    to->money += amount;
    pthread_mutex_unlock(&to->lock);
    pthread_mutex_unlock(&from->lock);
}

static void *save(void *unused)
{
    transfer(&current, &savings, 1);
    return unused;
}

static void *spend(void *unused)
{
    transfer(&savings, &current, 2);
    return unused;
}

int main(void)
{
    pthread_t a, b;
    pthread_create(&a, NULL, save, NULL);
    pthread_create(&b, NULL, spend, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
}
