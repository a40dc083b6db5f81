// expect: holds
// args: --quasi=auto
// output: deq+take:2 is the smallest factor for which this holds
#define LANES 3
#include "quasi_auto.c"
