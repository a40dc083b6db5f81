/* SemaphoreSlim: CurrentCount, Release, Release(2), Wait, Wait(0). */
#include <heddle.h>
#include "semaphore_slim.h"

static struct semaphore semaphore;

HD_INIT { semaphore_init(&semaphore, 1); }
HD_OP(CurrentCount) { return HD_INT(semaphore_current_count(&semaphore)); }
HD_OP(Release, int, n, 1, 2) { return HD_INT(semaphore_release(&semaphore, n)); }
HD_OP(Wait) { semaphore_wait(&semaphore); return HD_VOID; }
HD_OP(Wait0) { return HD_BOOL(semaphore_wait_0(&semaphore)); }
