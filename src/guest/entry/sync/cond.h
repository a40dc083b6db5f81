/* cond.h: condition variables as C++ uses them. */
#ifndef HEDDLE_ENTRY_SYNC_COND_H
#define HEDDLE_ENTRY_SYNC_COND_H
#include <pthread.h>
#include "base/common.h"

void cond_init(pthread_cond_t *cond, uint32_t clock, const void *pc);
void cond_destroy(pthread_cond_t *cond, const void *pc);
void cond_wait(pthread_cond_t *cond, pthread_mutex_t *mutex, const void *pc);
void cond_signal(pthread_cond_t *cond, const void *pc);
void cond_broadcast(pthread_cond_t *cond, const void *pc);
#endif
