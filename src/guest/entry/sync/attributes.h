/* attributes.h: pthread_attr_t and its relatives. The runtime gives them its own layout, so that no
 * function of libc writes to them behind the log. */
#ifndef HEDDLE_ENTRY_SYNC_ATTRIBUTES_H
#define HEDDLE_ENTRY_SYNC_ATTRIBUTES_H
#include <pthread.h>
#include "base/common.h"

bool attributes_detached(const pthread_attr_t *attributes);
#endif
