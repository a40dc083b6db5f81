/* threads.h: joining and detaching as C++ uses them. */
#ifndef HEDDLE_ENTRY_SYNC_THREADS_H
#define HEDDLE_ENTRY_SYNC_THREADS_H
#include <pthread.h>
#include "base/common.h"

void threads_join(pthread_t thread, void **result, const void *pc);
void threads_detach(pthread_t thread, const void *pc);
#endif
