/* choose.c: heddle_choose of <heddle.h>: a choice of the program under test that is explored. */
#include "guest/entry/choose.h"
#include "guest/entry/guest.h"

GUEST unsigned heddle_choose(unsigned count);
unsigned (*choose_outside)(unsigned count);

unsigned heddle_choose(unsigned count)
{
    if (op_active())
        return op_choose(count, GUEST_PC);
    return choose_outside ? choose_outside(count) : 0;
}
