// expect: holds
// args: --model=tso
// executions: 2
// Message passing with relaxed stores: tso keeps the order of stores. Data is read only after flag = 1, which
// determines it: flag = 0, or flag = 1.
#include "../wrong/mp_pso.c"
