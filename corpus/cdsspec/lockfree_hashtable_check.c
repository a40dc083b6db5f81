#define HT_SIZE 1
#include <heddle.h>
#include "lockfree_hashtable.h"
static struct hashtable map;
static int values[4] = {0, 1, 2, 3};
static HdValue result(int *value) { return value ? HD_INT(*value) : HD_NONE; }
HD_INIT { ht_init(&map); }
HD_OP(put, int, key, 1, 2) { return result(ht_put(&map, key, &values[key])); }
HD_OP(replace) { return result(ht_put(&map, 1, &values[3])); }
HD_OP(get, int, key, 1, 2) { return result(ht_get(&map, key)); }
