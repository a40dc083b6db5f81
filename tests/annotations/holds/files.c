// expect: holds
// files: parts/ring.c
// Annotations in headers: a body in another file, a body in the header, the structure inside its struct; two
// objects, each with a state of its own.
#include <pthread.h>
#include "parts/ring.h"

static struct ring left, right;
static void *producer(void *unused)
{
    ring_put(&left, 1);
    ring_put(&right, 1);
    ring_put(&left, 2);
    return unused;
}
int main(void)
{
    pthread_t a;
    int value;
    pthread_create(&a, NULL, producer, NULL);
    ring_get(&left, &value);
    ring_get(&right, &value);
    ring_get(&left, &value);
    pthread_join(a, NULL);
    return 0;
}
