// expect: holds
// args: --model=sc
// The stack against lifo, the queue against its runs with atomic calls.
#include "../objects.h"
HD_SPEC("stack:lifo")
