// expect: violated linearizability
// args: -DLOOKS_FIRST
// output: no serial order of the calls on stack gives these results
// Both movers pop 1. The queue, which then gets it twice, is right.
#include "../objects.h"
