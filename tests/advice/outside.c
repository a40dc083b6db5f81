// daily
// asks: run
// reason: the program (talks to the outside world|.*socket)
// advice: Put something in the place of that call in the test .* a flag
// then: run -DFOLLOWED
// better: holds
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>
#include <sys/socket.h>
static atomic_int woken;
static int ends[2];
static void *wake(void *unused)
{
#ifdef FOLLOWED
    atomic_store(&woken, 1);
#else
    send(ends[0], "", 1, 0);
#endif
    return unused;
}
int main(void)
{
    pthread_t thread;
#ifndef FOLLOWED
    socketpair(AF_UNIX, SOCK_STREAM, 0, ends);
#endif
    pthread_create(&thread, NULL, wake, NULL);
#ifdef FOLLOWED
    while (!atomic_load(&woken))
        ;
#else
    char byte;
    recv(ends[1], &byte, 1, 0);
#endif
    pthread_join(thread, NULL);
}
