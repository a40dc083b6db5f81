#include <heddle.h>
#include "seqlock_register.h"
static struct seqlock s;
HD_SINGLE("write")
HD_OP(write, int, v, 1, 2) { seqlock_write(&s, v, -v); return HD_VOID; }
HD_OP(read)
{
    int pair[2];
    seqlock_read(&s, &pair[0], &pair[1]);
    return HD_ARRAY(pair, 2);
}
