/* A race, and a shared library that was not compiled by heddle. CALL: a function of it is called. */
#include <pthread.h>
#include <zlib.h>
static int x;
static void *thread(void *unused)
{
    x = 1;
    return unused;
}
int main(int argc, char **argv)
{
    pthread_t other;
    (void)argv;
    pthread_create(&other, 0, thread, 0);
#ifdef CALL
    zlibVersion();
#endif
    if (argc > 5)
        return zlibVersion()[0];
#ifdef RACE
    x = 2;
#endif
    pthread_join(other, 0);
    return 0;
}
