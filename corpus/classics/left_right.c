#include <heddle.h>
#include "left_right.h"
static struct left_right l = LEFT_RIGHT_INITIALIZER;
HD_OP(add, int, v, 1, 3) { left_right_add(&l, v); return HD_VOID; }
HD_OP(get)
{
    int seen[2];
    left_right_read(&l, &seen[0], &seen[1]);
    return HD_ARRAY(seen, 2);
}
