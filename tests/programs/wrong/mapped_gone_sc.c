// expect: violated use-after-free
// args: --model=sc
// mapped_gone.c where a race is no error: a read of what is gone still is.
#include "mapped_gone.c"
