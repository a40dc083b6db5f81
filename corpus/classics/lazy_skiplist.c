#include <heddle.h>
#include "lazy_skiplist.h"
static struct skiplist list;
HD_INIT { skiplist_init(&list); }
HD_OP(insert, int, k, 1, 2) { return HD_BOOL(skiplist_insert(&list, k)); }
HD_OP(remove, int, k, 1, 2) { return HD_BOOL(skiplist_remove(&list, k)); }
HD_OP(contains, int, k, 2) { return HD_BOOL(skiplist_contains(&list, k)); }
