// expect: violated assertion
// args: --model=pso -DUNORDERED
// The program of tests/programs/correct without its sfence.
#include "../correct/assembly_store_fence.c"
