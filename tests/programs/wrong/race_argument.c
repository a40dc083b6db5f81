// expect: violated race
// The classic: every thread is handed the address of the loop variable.
#include <pthread.h>
static int sum[2];
static void *work(void *arg) { sum[*(int *)arg % 2] = 1; return NULL; }
int main(void)
{
    pthread_t t[2];
    int i;
    for (i = 0; i < 2; i++)
        pthread_create(&t[i], NULL, work, &i);
    for (int j = 0; j < 2; j++)
        pthread_join(t[j], NULL);
    return 0;
}
