// expect: violated race
// args: --model=sc --races=error
// The same race, reported as such under sc when asked for.
#include <pthread.h>
static int x;
static void *set(void *arg) { x = 1; return arg; }
int main(void)
{
    pthread_t t, u;
    pthread_create(&t, NULL, set, NULL);
    pthread_create(&u, NULL, set, NULL);
    pthread_join(t, NULL);
    pthread_join(u, NULL);
    return 0;
}
