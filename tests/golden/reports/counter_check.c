/* A counter whose increment is a read and a write. */
#include <heddle.h>

static volatile int count;

HD_OP(increment)
{
    int seen = count;
    count = seen + 1;
    return HD_INT(seen + 1);
}
