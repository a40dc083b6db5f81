// expect: holds
// executions: 24
// Four threads take a lock in turn, 4! orders; main does not wait for them. That the end of the program could come
// at any time adds nothing: what others do after it, they could have done before.
#include <pthread.h>
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static int order[4], n;

static void *work(void *number)
{
    pthread_mutex_lock(&m);
    order[n++] = *(int *)number;
    pthread_mutex_unlock(&m);
    return 0;
}

int main(void)
{
    static int numbers[4] = {0, 1, 2, 3};
    for (int i = 0; i < 4; i++) {
        pthread_t t;
        pthread_create(&t, 0, work, &numbers[i]);
    }
    return 0;
}
