// expect: holds
// args: --model=sc --event-bound=20000 -Itests/programs/correct
// executions: 1
#define SIZE 4
#include "inline_asm_twin.c"
