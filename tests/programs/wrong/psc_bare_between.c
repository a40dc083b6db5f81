// expect: violated assertion
// psc_plain_between.c without the access in between: psc has no edge from x = 1 over x = 2, the same location (RC11, section 3).
#define BETWEEN (void)0
#include "psc_plain_between.c"
