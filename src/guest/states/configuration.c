#include "guest/states/configuration.h"
#include <stdlib.h>
#include <string.h>
#include "base/hash.h"

_Static_assert(sizeof(Configuration) == 60, "kept as bytes, without gaps");

static Vec(uint16_t) contents; /* of all of them, `width` for each */
static uint32_t width, count;
static uint32_t *by_content; /* numbers + 1, by open addressing; `slots` of them, or 0 */
static uint32_t slots;

void configuration_begin(uint32_t places)
{
    ASSERT(places <= 2 * SETS_SLOTS);
    width = (uint32_t)(offsetof(Configuration, at) / sizeof *contents.at) + places;
    contents.count = count = 0;
    free(by_content);
    by_content = NULL;
    slots = 0;
}

static const uint16_t *content(uint32_t number)
{
    return contents.at + (size_t)number * width;
}

static uint32_t hash_of(const void *content)
{
    return (uint32_t)hash_bytes(content, width * sizeof *contents.at, 11);
}

static void enlarge(void)
{
    free(by_content);
    slots = slots ? slots * 2 : 64;
    by_content = calloc(slots, sizeof *by_content);
    for (uint32_t i = 0; i < count; i++) {
        uint32_t slot = hash_of(content(i)) & (slots - 1);
        while (by_content[slot])
            slot = (slot + 1) & (slots - 1);
        by_content[slot] = i + 1;
    }
}

uint32_t configuration_number(const Configuration *c)
{
    if (count * 4 >= slots * 3)
        enlarge();
    size_t bytes = width * sizeof *contents.at;
    uint32_t slot = hash_of(c) & (slots - 1);
    for (; by_content[slot]; slot = (slot + 1) & (slots - 1))
        if (!memcmp(content(by_content[slot] - 1), c, bytes))
            return by_content[slot] - 1;
    by_content[slot] = count + 1;
    vec_reserve(&contents, contents.count + width);
    memcpy(contents.at + contents.count, c, bytes);
    contents.count += width;
    return count++;
}

Configuration configuration_at(uint32_t number)
{
    Configuration c = {0};
    memcpy(&c, content(number), width * sizeof *contents.at);
    return c;
}

uint64_t configuration_bytes(void)
{
    return contents.capacity * sizeof *contents.at + slots * sizeof *by_content;
}
