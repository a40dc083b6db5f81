// expect: holds
// args: --model=pso
// Peterson's lock in volatile memory with the barriers that pso needs.
#define BARRIER
#include "../wrong/peterson_pso.c"
