// expect: holds
// args: --schedules=50
// As threads_63_token.c, sampled: a thread looks at the token many times, and still only waits.
#include "threads_63_token.c"
