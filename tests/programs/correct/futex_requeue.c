// expect: holds
// A condition variable whose broadcast moves waiters to the mutex, which they take as contended: whoever unlocks it wakes
// one of them. (wrong/futex_requeue.c takes it as if nobody slept there.)
#define AGAIN 2
#define WAITERS 1
#include "../wrong/futex_requeue.c"
