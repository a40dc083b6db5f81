/* A gate is closed until somebody opens it; then everybody passes. */
#ifndef GATE_H
#define GATE_H
#include <pthread.h>
struct gate {
    pthread_mutex_t mutex;
    pthread_cond_t opened;
    int open;
};
#define GATE_CLOSED {PTHREAD_MUTEX_INITIALIZER, PTHREAD_COND_INITIALIZER, 0}
void gate_open(struct gate *gate);
void gate_pass(struct gate *gate);
#endif
