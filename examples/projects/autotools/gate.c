#include "config.h"
#include "gate.h"

void gate_open(struct gate *gate)
{
    pthread_mutex_lock(&gate->mutex);
    gate->open = 1;
#ifdef FIXED
    pthread_cond_broadcast(&gate->opened);
#else
    pthread_cond_signal(&gate->opened);
#endif
    pthread_mutex_unlock(&gate->mutex);
}

void gate_pass(struct gate *gate)
{
    pthread_mutex_lock(&gate->mutex);
    while (!gate->open)
        pthread_cond_wait(&gate->opened, &gate->mutex);
    pthread_mutex_unlock(&gate->mutex);
}
