// expect: holds
// args: --model=sc -Itests/programs/correct
// executions: 1
#define SIZE 2
#include "inline_asm_twin.c"
