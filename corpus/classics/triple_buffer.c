#include <heddle.h>
#include "triple_buffer.h"
static struct triple_buffer t;
HD_INIT { triple_buffer_init(&t); }
HD_SINGLE("put | get")
HD_OP(put, int, v, 1, 2) { triple_buffer_write(&t, v); return HD_VOID; }
HD_OP(get)
{
    int seen[2];
    triple_buffer_read(&t, &seen[0], &seen[1]);
    return HD_ARRAY(seen, 2);
}
