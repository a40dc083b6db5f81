// expect: holds
// A key's destructor runs when a thread ends, not when it ends the program: neither main's return nor exit calls it.
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
static pthread_key_t key;
static atomic_int ended;
static void destroy(void *value)
{
    assert(value == &ended);
    atomic_fetch_add(&ended, 1);
}
static void *work(void *value)
{
    pthread_setspecific(key, value);
    if (value != &ended)
        exit(0);
    return NULL;
}
int main(void)
{
    pthread_t t, u;
    pthread_key_create(&key, destroy);
    pthread_setspecific(key, &key);
    pthread_create(&t, NULL, work, &ended);
    pthread_join(t, NULL);
    assert(ended == 1);
    pthread_create(&u, NULL, work, &key);
    return 0;
}
