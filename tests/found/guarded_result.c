/* gcc announces neither the store of a structure that a function returns nor the copy of one that is given by value.
 * V=1: the only call in `make' is one that the compiler adds for -fstack-protector-all, so nothing else shows that it
 * was instrumented. V=2: between the hook of another access and the structure that is given stands a call of the user's
 * function, whose name begins like arithmetic of libgcc. */
#include <pthread.h>
struct wide { long a[6]; };
struct wide shared;
long seen, counter;
__attribute__((noinline, noclone)) struct wide make(long x)
{
    return (struct wide){{x, x, x, x, x, x}};
}
struct wide first, second;
__attribute__((noinline, noclone)) void __add_entry(void) { counter++; }
__attribute__((noinline, noclone)) long use(struct wide w) { return w.a[5]; }
static void *work(void *p)
{
#if V == 2
    shared.a[5] = 1;
#else
    shared = make(3);
#endif
    return p;
}
int main(void)
{
    pthread_t t;
    pthread_create(&t, 0, work, 0);
#if V == 2
    first = second;
    __add_entry();
    seen = use(shared);
#else
    seen = shared.a[5];
#endif
    pthread_join(t, 0);
    return 0;
}
