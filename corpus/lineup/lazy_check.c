/* Lazy Initialization: Value, ToString, IsValueCreated. The factory counts its calls. */
#include <heddle.h>
#include "lazy.h"

static struct lazy lazy;
static atomic_int made;
static int make_value(void)
{
    return ++made;
}

HD_INIT { made = 0; lazy_init(&lazy, make_value); }
HD_OP(Value) { return HD_INT(lazy_value(&lazy)); }
HD_OP(ToString) { return HD_STR(lazy_to_string(&lazy)); }
HD_OP(IsValueCreated) { return HD_BOOL(lazy_is_value_created(&lazy)); }
