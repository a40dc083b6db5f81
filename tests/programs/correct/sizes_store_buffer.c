// expect: holds
// args: --model=sc
// Under sc one of the threads sees the other: a store buffer hides both in wrong/.
#include "../wrong/sizes_store_buffer.c"
