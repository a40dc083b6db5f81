/* A thread does one thing (WHAT) that can't be explored; the answer names its line. */
#define _GNU_SOURCE
#include <fcntl.h>
#include <linux/futex.h>
#include <poll.h>
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

typedef struct Odd {
    char bytes[3];
} Odd;
static _Atomic Odd odd;
static pthread_t other;
static char text[8];

static void *refused(void *unused)
{
    (void)other, (void)text;
    WHAT; /* line 25 */
    return unused;
}

int main(void)
{
    pthread_t thread;
    pthread_create(&thread, NULL, refused, NULL);
    pthread_join(thread, NULL);
    return 0;
}
