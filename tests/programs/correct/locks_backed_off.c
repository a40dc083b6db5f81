// expect: holds
// executions: 2
// Each of two threads takes a lock, tries the other one's, and gives its own back if it can't have both. One of them is first.
#include <assert.h>
#include <pthread.h>
static pthread_mutex_t left = PTHREAD_MUTEX_INITIALIZER, right = PTHREAD_MUTEX_INITIALIZER;
static int meals;

static void *eat(void *is_left)
{
    pthread_mutex_t *first = is_left ? &left : &right, *second = is_left ? &right : &left;
    for (;;) {
        pthread_mutex_lock(first);
        if (!pthread_mutex_trylock(second))
            break;
        pthread_mutex_unlock(first);
    }
    meals++;
    pthread_mutex_unlock(second);
    pthread_mutex_unlock(first);
    return NULL;
}

int main(void)
{
    pthread_t a, b;
    pthread_create(&a, NULL, eat, &a);
    pthread_create(&b, NULL, eat, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    assert(meals == 2);
}
