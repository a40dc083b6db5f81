// expect: violated race
// args: -O2
// As returned_structure.c, for a large one (string instructions), through a pointer that the thread got and gives
// back: it looks like the address of a result, but is none.
#include <pthread.h>
struct wide { long a[40]; };
static struct wide shared, other;
__attribute__((noinline)) static struct wide get(void) { return other; }
__attribute__((noinline)) static struct wide pass(void) { return get(); }
static void *assign(void *to) { *(struct wide *)to = pass(); return to; }
int main(void)
{
    pthread_t thread;
    pthread_create(&thread, 0, assign, &shared);
    long seen = shared.a[3];
    pthread_join(thread, 0);
    return seen == 77;
}
