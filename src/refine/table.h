/* table.h: byte strings interned as small numbers: the storage of all states. Equal strings get
 * equal ids, ids count from 0, nothing is ever removed. */
#ifndef HEDDLE_REFINE_TABLE_H
#define HEDDLE_REFINE_TABLE_H
#include "base/common.h"

typedef struct Table {
    size_t width; /* bytes of each string; 0: they differ in length */
    unsigned char *data;
    size_t data_count, data_capacity;
    size_t *offsets; /* when they differ: count + 1 of them */
    size_t offset_capacity;
    uint64_t *slots; /* hash in the upper half, id + 1 in the lower; 0: empty */
    size_t slot_count, count;
} Table;

void table_init(Table *table, size_t width);
void table_free(Table *table);
/* The id of a string; *is_new tells whether it was added. */
uint32_t table_put(Table *table, const void *bytes, size_t length, bool *is_new);
/* Valid until the next table_put. */
const unsigned char *table_get(const Table *table, uint32_t id, size_t *length);
size_t table_memory(const Table *table);
#endif
