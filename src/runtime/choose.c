/* choose.c: heddle_choose of <heddle.h>: a choice of the program under test that is explored. */
#include "runtime/guest.h"

GUEST unsigned heddle_choose(unsigned count);

unsigned heddle_choose(unsigned count)
{
    return op_active() ? op_choose(count, GUEST_PC) : 0;
}
