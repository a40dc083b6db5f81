// expect: violated assertion
// args: --model=sc -O2
// As bit_fields_kept.c, where one instruction loads both fields and stores both.
#include <assert.h>
#include <pthread.h>
static struct { unsigned a : 3, b : 5; } s = {1, 2};
static void *first(void *arg) { s.a = 0; return arg; }
static void *second(void *arg) { s.b = 0; return arg; }
int main(void)
{
    pthread_t t, u;
    pthread_create(&t, NULL, first, NULL);
    pthread_create(&u, NULL, second, NULL);
    pthread_join(t, NULL);
    pthread_join(u, NULL);
    assert(s.a || s.b);
    return 0;
}
