// expect: violated assertion
// args: --model=sc
// One of two executions creates more threads than Heddle explores, the other is wrong: it is found.
#define WRONG
#include "../correct/threads_64.c"
