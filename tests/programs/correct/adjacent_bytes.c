// expect: holds
// Neighbouring bytes are distinct locations, also within one word and beside an atomic.
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
static struct { char a, b; atomic_char c; short d; } s;
static void *first(void *arg) { s.a = 1; atomic_store(&s.c, 3); return arg; }
static void *second(void *arg) { s.b = 2; s.d = 4; return arg; }
int main(void)
{
    pthread_t t, u;
    pthread_create(&t, NULL, first, NULL);
    pthread_create(&u, NULL, second, NULL);
    pthread_join(t, NULL);
    pthread_join(u, NULL);
    assert(s.a == 1 && s.b == 2 && s.c == 3 && s.d == 4);
    return 0;
}
