#include <heddle.h>
#include "hazard_list.h"
static struct list list;
HD_INIT
{
#ifdef PREFILLED
    list_insert(&list, 1);
    list_insert(&list, 2);
#endif
}
HD_OP(insert, int, k, 1, 2) { return HD_BOOL(list_insert(&list, k)); }
HD_OP(remove, int, k, 1, 2) { return HD_BOOL(list_remove(&list, k)); }
HD_OP(contains, int, k, 2) { return HD_BOOL(list_contains(&list, k)); }
