// expect: violated deadlock
// The reader waits for the writer's bit: it takes the writer's wake-up, or misses its own. (correct/futex_bits.c)
#define WRONG_BIT
#include "../correct/futex_bits.c"
