// expect: violated linearizability
// args: --quasi=auto
// output: no factor is large enough
#define TWICE
#include "../correct/quasi_auto.c"
