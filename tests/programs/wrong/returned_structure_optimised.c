// expect: violated race
// expect with gcc: inconclusive
// args: -O2
// Optimised, the callee stores to the shared structure itself. A structure that a function returns in memory is assigned to a shared one. clang announces the store; gcc does
// not, which is noticed.
#include <pthread.h>
struct wide { long a, b, c; };
static struct wide shared;
__attribute__((noinline)) static struct wide make(long x) { return (struct wide){x, x + 1, x + 2}; }
static void *assign(void *value) { shared = make((long)value); return 0; }
int main(void)
{
    pthread_t thread;
    pthread_create(&thread, 0, assign, (void *)1); // not in sight of an optimiser, which would see that 77 is none of its values
    long seen = shared.b;
    pthread_join(thread, 0);
    return seen == 77;
}
