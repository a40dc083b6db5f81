#include <heddle.h>
#include "split_ordered_set.h"
HD_INIT { set_init(); }
HD_OP(add, int, k, 1, 3) { return HD_BOOL(set_add(k)); }
HD_OP(remove, int, k, 1, 3) { return HD_BOOL(set_remove(k)); }
HD_OP(contains, int, k, 1, 3) { return HD_BOOL(set_contains(k)); }
