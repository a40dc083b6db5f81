// expect: violated race
// memcpy writes what the other thread reads.
#include <pthread.h>
#include <string.h>
static char buffer[64], source[64], seen;
static void *copy(void *arg) { memcpy(buffer, source, sizeof buffer); return arg; }
static void *look(void *arg) { seen = buffer[40]; return arg; }
int main(void)
{
    pthread_t t, u;
    pthread_create(&t, NULL, copy, NULL);
    pthread_create(&u, NULL, look, NULL);
    pthread_join(t, NULL);
    pthread_join(u, NULL);
    return 0;
}
