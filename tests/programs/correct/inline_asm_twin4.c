// expect: holds
// args: --model=sc --event-bound=20000 -Itests/programs/correct
// executions: 1
// only if: defined __x86_64__
#define SIZE 4
#include "inline_asm_twin.c"
