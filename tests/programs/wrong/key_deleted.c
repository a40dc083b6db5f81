// expect: violated assertion
// As correct/key_deleted.c, but it takes for granted that the destructor of a deleted key is not called: the thread may
// end before.
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
    assert(called == 0);
}
