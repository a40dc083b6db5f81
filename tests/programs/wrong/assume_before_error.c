// expect: violated assertion
// The error comes in a thread that has nothing to do with the assumption of the other.
#include <assert.h>
#include <heddle.h>
#include <pthread.h>

static void *fails(void *unused)
{
    assert(unused);
    return unused;
}

int main(void)
{
    pthread_t thread;
    pthread_create(&thread, NULL, fails, NULL);
    heddle_assume(0);
}
