// expect: holds
// args: --model=tso
// Store buffers keep the order of stores: the two bytes of a word are no exception.
#include "sizes_out_of_order.c"
