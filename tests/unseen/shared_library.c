/* A race, and a shared library that was not compiled by heddle. CALL: a function of it is called; BOTH: by two threads,
 * and it counts its calls. */
#include <pthread.h>
const char *version_of(void);
static int x;
static void *thread(void *unused)
{
    x = 1;
#ifdef BOTH
    version_of();
#endif
    return unused;
}
int main(int argc, char **argv)
{
    pthread_t other;
    (void)argv;
    pthread_create(&other, 0, thread, 0);
#if defined CALL || defined BOTH
    version_of();
#endif
    if (argc > 5)
        return version_of()[0];
#ifdef RACE
    x = 2;
#endif
    pthread_join(other, 0);
    return 0;
}
