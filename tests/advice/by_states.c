// asks: run --unbounded
// reason: its states can't be (told from its memory|explored)
// advice: Executions instead of states: without --unbounded
// then: run
// better: holds
#include <locale.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
static void *print(void *unused)
{
    char text[32];
    snprintf(text, sizeof text, "%d", 1);
    setlocale(LC_ALL, "C");
    return unused;
}
int main(void)
{
    pthread_t thread;
    pthread_create(&thread, NULL, print, NULL);
    pthread_join(thread, NULL);
}
