// expect: violated assertion
// Threads are numbered as they are created: where several create some, a replay gives each its number again.
#include <assert.h>
#include <pthread.h>
static void *leaf(void *p)
{
    return p;
}
static void *creator(void *p)
{
    for (int i = 0; i < 2; i++) {
        pthread_t child;
        pthread_create(&child, 0, leaf, p);
        pthread_join(child, 0);
    }
    return p;
}
int main(void)
{
    pthread_t a, b;
    pthread_create(&a, 0, creator, 0);
    pthread_create(&b, 0, creator, 0);
    pthread_join(a, 0);
    pthread_join(b, 0);
    assert(0);
}
