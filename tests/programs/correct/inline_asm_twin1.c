// expect: holds
// args: --model=sc -Itests/programs/correct
// executions: 1
#define SIZE 1
#include "inline_asm_twin.c"
