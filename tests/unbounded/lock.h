/* What the tests of locks share: a critical section whose result tells how often it was entered,
 * modulo 3, and that nobody else is inside. The specification is the code itself run serially. */
#include <assert.h>
#include <heddle.h>
#include <stdatomic.h>
#include <stddef.h>
static int inside, entered;
static int critical(void)
{
    int was = entered;
    inside++;
    assert(inside == 1);
    entered = (was + 1) % 3;
    inside--;
    return was;
}
