#include <heddle.h>
#include "lockfree_skiplist.h"
HD_INIT { list_init(); }
HD_OP(add, int, k, 1, 2) { return HD_BOOL(list_add(k)); }
HD_OP(remove, int, k, 1, 2) { return HD_BOOL(list_remove(k)); }
HD_OP(contains, int, k, 1, 2) { return HD_BOOL(list_contains(k)); }
