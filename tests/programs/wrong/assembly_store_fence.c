// expect: violated assertion
// args: --model=pso -DUNORDERED
// only if: defined __x86_64__
// The program of tests/programs/correct without its sfence.
#include "../correct/assembly_store_fence.c"
