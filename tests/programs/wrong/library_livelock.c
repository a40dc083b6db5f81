// expect: violated livelock
/* As correct/library_then_waits.c, but nobody sets the flag. */
#include <locale.h>
#include <pthread.h>
#include <stdatomic.h>

static atomic_int flag;

static void *writer(void *unused)
{
    (void)unused;
    setlocale(LC_ALL, "C");
    atomic_store(&flag, 0);
    return NULL;
}

int main(void)
{
    pthread_t thread;
    pthread_create(&thread, NULL, writer, NULL);
    while (!atomic_load(&flag))
        ;
    pthread_join(thread, NULL);
    return 0;
}
