// A queue with a lock and a stack that is right or not, in one program.
#include <heddle.h>
#include <pthread.h>
#include <stdatomic.h>
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct {
    int items[4], first, last;
} queue;
static struct {
    int items[4];
    atomic_int count;
} stack;
static void put(int value)
{
    HD_BEGIN(&queue, "put", HD_INT(value));
    pthread_mutex_lock(&lock);
    queue.items[queue.last++] = value;
    pthread_mutex_unlock(&lock);
    HD_END(HD_VOID);
}
static int get(void)
{
    HD_BEGIN(&queue, "get");
    pthread_mutex_lock(&lock);
    int value = queue.first < queue.last ? queue.items[queue.first++] : 0;
    pthread_mutex_unlock(&lock);
    HD_END(value ? HD_INT(value) : HD_NONE);
    return value;
}
static void push(int value)
{
    HD_BEGIN(&stack, "push", HD_INT(value));
    pthread_mutex_lock(&lock);
    stack.items[stack.count] = value;
    stack.count = stack.count + 1;
    pthread_mutex_unlock(&lock);
    HD_END(HD_VOID);
}
static int pop(void)
{
    HD_BEGIN(&stack, "pop");
    int value = 0;
#ifdef LOOKS_FIRST /* what was seen without the lock is out of date with it */
    int seen = stack.count;
    pthread_mutex_lock(&lock);
#else
    pthread_mutex_lock(&lock);
    int seen = stack.count;
#endif
    if (seen) {
        value = stack.items[seen - 1];
        stack.count = seen - 1;
    }
    pthread_mutex_unlock(&lock);
    HD_END(value ? HD_INT(value) : HD_NONE);
    return value;
}
static void *mover(void *unused)
{
    int value = pop();
    if (value)
        put(value);
    return unused;
}
int main(void)
{
    pthread_t t, u;
    push(1);
    pthread_create(&t, NULL, mover, NULL);
    pthread_create(&u, NULL, mover, NULL);
    pthread_join(t, NULL);
    pthread_join(u, NULL);
    get();
    get();
    return 0;
}
