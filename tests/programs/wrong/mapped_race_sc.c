// expect: violated assertion
// args: --model=sc
// mapped_race.c where a race is no error: two writes have two orders, the second of which fails.
#include "mapped_race.c"
