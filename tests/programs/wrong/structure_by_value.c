// expect: violated race
// A shared structure is given to a function by value while another thread writes to it. No compiler announces that
// it is read, which is noticed.
#include <pthread.h>
struct wide { long a, b, c; };
static struct wide shared;
__attribute__((noinline)) static long sum(struct wide w) { return w.a + w.b + w.c; }
static void *assign(void *unused) { shared.b = 1; return unused; }
int main(void)
{
    pthread_t thread;
    pthread_create(&thread, 0, assign, 0);
    long seen = sum(shared);
    pthread_join(thread, 0);
    return seen == 77;
}
