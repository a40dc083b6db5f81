// expect: holds
// What runs at exit after main has left with pthread_exit comes after all threads, also those that threads created and
// nobody joins: the plain accesses do not race.
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
static int x, y, z;
static void check(void) { assert(x == 1 && y == 1 && z == 1); }
static void *grandchild(void *arg) { z = 1; return arg; }
static void *child(void *arg)
{
    pthread_t t;
    pthread_create(&t, NULL, grandchild, NULL);
    pthread_detach(t);
    y = 1;
    return arg;
}
static void *joins_main(void *main_thread)
{
    pthread_join(*(pthread_t *)main_thread, NULL);
    assert(x == 1);
    return NULL;
}
int main(void)
{
    static pthread_t self;
    pthread_t t, u;
    self = pthread_self();
    atexit(check);
    pthread_create(&t, NULL, child, NULL);
    pthread_create(&u, NULL, joins_main, &self);
    x = 1;
    pthread_exit(NULL);
}
