#include <heddle.h>
#include "striped_map.h"
static struct map map;
HD_INIT { map_init(&map); }
HD_OP(put, int, k, 1, 2, 5) { return HD_BOOL(map_put(&map, k, 10 * k)); }
HD_OP(get, int, k, 1, 2)
{
    int value;
    return map_get(&map, k, &value) ? HD_INT(value) : HD_NONE;
}
HD_OP(remove, int, k, 1) { return HD_BOOL(map_remove(&map, k)); }
