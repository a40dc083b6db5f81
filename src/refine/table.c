#include "refine/table.h"
#include "base/hash.h"
#include <stdlib.h>
#include <string.h>

void table_init(Table *table, size_t width)
{
    *table = (Table){.width = width};
}

void table_free(Table *table)
{
    free(table->data);
    free(table->offsets);
    free(table->slots);
    *table = (Table){.width = table->width};
}

static void *grow(void *at, size_t bytes)
{
    void *larger = realloc(at, bytes);
    if (!larger)
        die("out of memory (%zu bytes for a table of states)", bytes);
    return larger;
}

const unsigned char *table_get(const Table *table, uint32_t id, size_t *length)
{
    DEBUG_ASSERT(id < table->count);
    if (table->width) {
        if (length)
            *length = table->width;
        return table->data + (size_t)id * table->width;
    }
    if (length)
        *length = table->offsets[id + 1] - table->offsets[id];
    return table->data + table->offsets[id];
}

static void rehash(Table *table)
{
    size_t slots = table->slot_count ? table->slot_count * 2 : 1024;
    uint64_t *old = table->slots;
    size_t old_count = table->slot_count;
    table->slots = calloc(slots, sizeof *table->slots);
    if (!table->slots)
        die("out of memory (%zu slots of a table of states)", slots);
    table->slot_count = slots;
    if (slots <= (size_t)1 << 32) { /* the stored half of the hash is enough to find the slot */
        for (size_t i = 0; i < old_count; i++)
            if (old[i]) {
                size_t slot = (size_t)(old[i] >> 32) & (slots - 1);
                while (table->slots[slot])
                    slot = (slot + 1) & (slots - 1);
                table->slots[slot] = old[i];
            }
    } else {
        die("more than 2^31 states");
    }
    free(old);
}

uint32_t table_put(Table *table, const void *bytes, size_t length, bool *is_new)
{
    DEBUG_ASSERT(!table->width || length == table->width);
    if (UNLIKELY(table->count * 10 >= table->slot_count * 7))
        rehash(table);
    uint64_t hash = hash_bytes(bytes, length, 0) >> 32;
    size_t slot = (size_t)hash & (table->slot_count - 1);
    for (; table->slots[slot]; slot = (slot + 1) & (table->slot_count - 1)) {
        if (table->slots[slot] >> 32 != hash)
            continue;
        uint32_t id = (uint32_t)table->slots[slot] - 1;
        size_t own;
        const unsigned char *at = table_get(table, id, &own);
        if (own == length && !memcmp(at, bytes, length)) {
            if (is_new)
                *is_new = false;
            return id;
        }
    }
    if (!table->data || table->data_count + length > table->data_capacity) {
        table->data_capacity =
            MAX(table->data_capacity + table->data_capacity / 2, table->data_count + length + 4096);
        table->data = grow(table->data, table->data_capacity);
    }
    if (!table->width) {
        if (table->count + 2 > table->offset_capacity) {
            table->offset_capacity = table->offset_capacity * 2 + 64;
            table->offsets = grow(table->offsets, table->offset_capacity * sizeof *table->offsets);
        }
        table->offsets[table->count] = table->data_count;
        table->offsets[table->count + 1] = table->data_count + length;
    }
    if (length)
        memcpy(table->data + table->data_count, bytes, length);
    table->data_count += length;
    ASSERT(table->count < UINT32_MAX - 1);
    table->slots[slot] = hash << 32 | (uint64_t)(table->count + 1);
    if (is_new)
        *is_new = true;
    return (uint32_t)table->count++;
}

size_t table_memory(const Table *table)
{
    return table->data_capacity + table->offset_capacity * sizeof *table->offsets +
           table->slot_count * sizeof *table->slots;
}
