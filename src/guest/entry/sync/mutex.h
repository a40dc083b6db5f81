/* mutex.h: mutexes as condition variables use them. */
#ifndef HEDDLE_ENTRY_SYNC_MUTEX_H
#define HEDDLE_ENTRY_SYNC_MUTEX_H
#include <pthread.h>
#include "base/common.h"

bool mutex_owned(const pthread_mutex_t *mutex); /* by the calling thread */
/* Gives it back however often it was taken, and takes it again that often; the second returns what
 * pthread_mutex_lock does. */
unsigned mutex_drop(pthread_mutex_t *mutex, const void *pc);
int mutex_retake(pthread_mutex_t *mutex, unsigned count, const void *pc);
void mutex_owner_ends(void); /* robust mutexes of the calling thread tell the next owner */
#endif
