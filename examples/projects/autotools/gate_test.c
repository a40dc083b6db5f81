#include "gate.h"

static struct gate gate = GATE_CLOSED;

static void *walk(void *unused)
{
    gate_pass(&gate);
    return unused;
}

int main(void)
{
    pthread_t walkers[2];
    for (int i = 0; i < 2; i++)
        pthread_create(&walkers[i], NULL, walk, NULL);
    gate_open(&gate);
    for (int i = 0; i < 2; i++)
        pthread_join(walkers[i], NULL);
    return 0;
}
