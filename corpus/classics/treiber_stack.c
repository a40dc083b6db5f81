#include <heddle.h>
#include "treiber_stack.h"
static struct stack s;
HD_INIT
{
#ifdef PREFILLED
    stack_push(&s, 1);
    stack_push(&s, 2);
#endif
}
HD_OP(push, int, v, 1, 2) { stack_push(&s, v); return HD_VOID; }
HD_OP(pop) { int v; return stack_pop(&s, &v) ? HD_INT(v) : HD_NONE; }
