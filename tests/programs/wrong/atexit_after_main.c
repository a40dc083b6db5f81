// expect: violated assertion
// Main leaves with pthread_exit: the last thread that ends calls exit(0), as it were, and so what atexit registered.
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
static atomic_int x;
static void check(void) { assert(x != 1); }
static void *work(void *arg) { x = 1; return arg; }
int main(void)
{
    pthread_t t;
    atexit(check);
    pthread_create(&t, NULL, work, NULL);
    pthread_exit(NULL);
}
