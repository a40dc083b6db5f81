#include <assert.h>
#include <pthread.h>
#include "clerk.h"

static void *send(void *unused)
{
    clerk_send(7, "hello");
    return unused;
}

int main(void)
{
    pthread_t sender;
    pthread_create(&sender, NULL, send, NULL);
    int to = clerk_read();
    assert(to == 0 || to == 7);
    pthread_join(sender, NULL);
    return 0;
}
