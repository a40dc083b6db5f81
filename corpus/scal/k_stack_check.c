#include <heddle.h>
#include "k_stack.h"
static struct stack s;
HD_INIT { stack_init(&s); }
HD_OP(push, int, v, 1, 2, 3, 4, 5, 6, 7) { stack_push(&s, v); return HD_VOID; }
HD_OP(pop) { int v; return stack_pop(&s, &v) ? HD_INT(v) : HD_NONE; }
HD_SPEC("lifo")
