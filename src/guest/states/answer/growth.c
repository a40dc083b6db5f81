#include "guest/states/answer/growth.h"
#include "guest/states/state.h"

enum { RECORDS = 16 };

typedef struct Growth {
    uint64_t largest;
    uint32_t records, last; /* how often it was passed; at which node */
} Growth;
static Vec(Growth) growth;

void growth_begin(void)
{
    growth.count = 0;
}

void growth_note(const char *copy, uint32_t nodes)
{
    uint32_t count = states_copied_words(copy);
    while (growth.count < count)
        vec_push(&growth, (Growth){0});
    for (uint32_t i = 0; i < count; i++) {
        uint64_t value = states_copied_word(copy, i);
        if (states_in_area(value))
            continue;
        value &= UINT32_MAX;
        if (value <= growth.at[i].largest)
            continue;
        growth.at[i].largest = value;
        growth.at[i].records++;
        growth.at[i].last = nodes;
    }
}

uint64_t growth_find(uint32_t nodes, uint64_t *value)
{
    uint32_t best = RECORDS;
    uint64_t address = 0;
    for (size_t i = 0; i < growth.count; i++)
        if (growth.at[i].records > best && growth.at[i].last > nodes / 2) {
            best = growth.at[i].records;
            address = (uintptr_t)states_words.at[i].address;
            *value = growth.at[i].largest;
        }
    return address;
}
