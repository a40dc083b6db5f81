// expect: violated race
// Adjacent bit-fields share a memory location: writing one rewrites the other.
#include <pthread.h>
static struct { unsigned a : 4, b : 4; } s;
static void *first(void *arg) { s.a = 1; return arg; }
static void *second(void *arg) { s.b = 2; return arg; }
int main(void)
{
    pthread_t t, u;
    pthread_create(&t, NULL, first, NULL);
    pthread_create(&u, NULL, second, NULL);
    pthread_join(t, NULL);
    pthread_join(u, NULL);
    return 0;
}
