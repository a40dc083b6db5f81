// expect: violated assertion
// args: -mcx16 --model=tso
// only if: defined __x86_64__
// As correct/sizes_wide_top.c, but pointer and count are changed one after the other: a count is lost.
#define BY_HALVES
#include "../correct/sizes_wide_top.c"
