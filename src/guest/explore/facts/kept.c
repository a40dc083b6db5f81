#include "guest/explore/facts/kept.h"
#include <string.h>
#include "guest/explore/facts/values_table.h"
#include "guest/explore/facts/values.h"

typedef struct Kept {
    uint64_t wanted;
    uint64_t bytes[VALUES_PARTS]; /* of the packed parts, which follow */
} Kept;

static bool makes_sense(void)
{
    bool fine = values_table->filled < VALUES_LOCATIONS &&
                values_table->place_count <= MOST_PLACES &&
                values_table->guarded_count <= MOST_GUARDED;
    for (uint32_t i = 0; fine && i < SLOTS; i++)
        fine = values_table->slot[i] <= values_table->filled;
    for (uint32_t i = 1; fine && i <= values_table->filled; i++)
        fine = values_table->known[i].count <= MOST_VALUES && values_table->known[i].size <= 16;
    return fine;
}

/* Tables are mostly zeros. Packed they are runs: how many words are zero, how many are not, then
 * these. */
typedef struct Run {
    uint32_t zeros, words;
} Run;

/* Packs BYTES bytes of FROM. Returns how many bytes that takes; 0 if they are more than ROOM. */
static size_t pack(const void *from, size_t bytes, unsigned char *to, size_t room)
{
    const uint64_t *word = from;
    size_t count = (bytes + 7) / 8, used = 0;
    for (size_t i = 0; i < count;) {
        Run run = {0};
        size_t first = i;
        while (i < count && !word[i])
            i++;
        run.zeros = (uint32_t)(i - first);
        first = i;
        while (i < count && word[i])
            i++;
        run.words = (uint32_t)(i - first);
        if (used + sizeof run + 8 * run.words > room)
            return 0;
        memcpy(to + used, &run, sizeof run);
        memcpy(to + used + sizeof run, word + first, 8 * run.words);
        used += sizeof run + 8 * run.words;
    }
    return used;
}

/* TO, with ROOM bytes, is all zeros. */
static bool unpack(const unsigned char *from, size_t bytes, void *to, size_t room)
{
    size_t at = 0;
    for (size_t used = 0; used < bytes;) {
        Run run;
        if (bytes - used < sizeof run)
            return false;
        memcpy(&run, from + used, sizeof run);
        used += sizeof run;
        size_t skipped = (size_t)8 * run.zeros, length = (size_t)8 * run.words;
        if (length > bytes - used || skipped + length > room - at)
            return false;
        memcpy((char *)to + at + skipped, from + used, length);
        at += skipped + length;
        used += length;
    }
    return true;
}

size_t kept_get(unsigned char *to, size_t room, bool wanted)
{
    Kept kept = {.wanted = wanted};
    ValuesPart part[VALUES_PARTS];
    size_t used = sizeof kept;
    if (room < sizeof kept)
        return 0;
    values_parts(part);
    for (int i = 0; i < VALUES_PARTS; i++) {
        kept.bytes[i] = pack(part[i].at, part[i].bytes, to + used, room - used);
        if (!kept.bytes[i])
            return 0;
        used += kept.bytes[i];
    }
    memcpy(to, &kept, sizeof kept);
    return used;
}

static bool unpack_parts(const unsigned char *from, size_t bytes, const Kept *kept)
{
    ValuesPart part[VALUES_PARTS];
    values_parts(part);
    for (int i = 0; i < VALUES_PARTS; i++) {
        if (kept->bytes[i] > bytes || !unpack(from, kept->bytes[i], part[i].at, part[i].room))
            return false;
        from += kept->bytes[i];
        bytes -= kept->bytes[i];
    }
    return !bytes && makes_sense();
}

bool kept_put(const unsigned char *from, size_t bytes, bool *wanted)
{
    Kept kept;
    values_reset();
    if (bytes < sizeof kept)
        return false;
    memcpy(&kept, from, sizeof kept);
    if (!unpack_parts(from + sizeof kept, bytes - sizeof kept, &kept)) {
        values_reset();
        return false;
    }
    *wanted = kept.wanted != 0;
    values_outdated = false; /* a pass that is outdated is not written down */
    return true;
}
