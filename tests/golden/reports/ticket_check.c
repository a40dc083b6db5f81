/* An operation whose result is not a function of the calls. */
#include <heddle.h>
#include <stdlib.h>

HD_OP(ticket)
{
    return HD_INT(rand() % 1000);
}
