// expect: violated race
// args: --model=rc11
// Two equal threads, of which another one joins the first and then looks at what the two have written.
#include <pthread.h>
#include <stdatomic.h>
static atomic_int turn;
static int x, seen;
static pthread_t s, t, u;
static void *work(void *unused)
{
    if (atomic_fetch_add(&turn, 1) == 0)
        x = 1;
    return unused;
}
static void *look(void *unused)
{
    pthread_join(s, 0);
    seen = x;
    return unused;
}
int main(void)
{
    pthread_create(&s, 0, work, 0);
    pthread_create(&t, 0, work, 0);
    pthread_create(&u, 0, look, 0);
    pthread_join(t, 0);
    pthread_join(u, 0);
    return 0;
}
