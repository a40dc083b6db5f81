// expect: violated race
// A structure that a function returns in memory is assigned to a shared one. clang announces the store; gcc does
// not, which is noticed.
#include <pthread.h>
struct wide { long a, b, c; };
static struct wide shared;
__attribute__((noinline)) static struct wide make(long x) { return (struct wide){x, x + 1, x + 2}; }
static void *assign(void *unused) { shared = make(1); return unused; }
int main(void)
{
    pthread_t thread;
    pthread_create(&thread, 0, assign, 0);
    long seen = shared.b;
    pthread_join(thread, 0);
    return seen == 77;
}
