// expect: holds
// executions: 3
// A key is deleted beside a thread that sets a value and ends: before both, between them, or after both. Only in the last
// case the destructor is called.
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
static pthread_key_t key;
static atomic_int called;
static void destroy(void *value)
{
    (void)value;
    atomic_fetch_add(&called, 1);
}
static void *work(void *value)
{
    return pthread_setspecific(key, value) ? NULL : value;
}
int main(void)
{
    pthread_t t;
    void *set;
    pthread_key_create(&key, destroy);
    pthread_create(&t, NULL, work, &key);
    int deleted = pthread_key_delete(key);
    pthread_join(t, &set);
    assert(deleted == 0 && pthread_key_delete(key) != 0);
    assert(called == 0 || set);
}
