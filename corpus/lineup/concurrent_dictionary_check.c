/* ConcurrentDictionary: Count, IsEmpty, Clear, and for the keys 10 and 20: TryAdd, TryRemove, TryGet,
 * get[], set[], TryUpdate, ContainsKey. */
#include <heddle.h>
#include "concurrent_dictionary.h"

static struct dictionary dictionary;

HD_INIT { dictionary_init(&dictionary); }
HD_OP(Count) { return HD_INT(dictionary_count(&dictionary)); }
HD_OP(IsEmpty) { return HD_BOOL(dictionary_count(&dictionary) == 0); }
HD_OP(Clear) { dictionary_clear(&dictionary); return HD_VOID; }
HD_OP(TryAdd, int, key, 10, 20) { return HD_BOOL(dictionary_try_add(&dictionary, key, 1)); }
HD_OP(TryRemove, int, key, 10, 20)
{
    int value;
    return dictionary_try_remove(&dictionary, key, &value) ? HD_INT(value) : HD_NONE;
}
HD_OP(TryGet, int, key, 10, 20)
{
    int value;
    return dictionary_try_get(&dictionary, key, &value) ? HD_INT(value) : HD_NONE;
}
HD_OP(get, int, key, 10, 20)
{
    int value;
    return dictionary_try_get(&dictionary, key, &value) ? HD_INT(value) : HD_STR("no such key");
}
HD_OP(set, int, key, 10, 20) { dictionary_set(&dictionary, key, 2); return HD_VOID; }
HD_OP(TryUpdate, int, key, 10, 20) { return HD_BOOL(dictionary_try_update(&dictionary, key, 3, 1)); }
HD_OP(ContainsKey, int, key, 10, 20)
{
    int value;
    return HD_BOOL(dictionary_try_get(&dictionary, key, &value));
}
