#include "guest/explore/scrub.h"
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>
#include "base/hash.h"
#include "record/hooks.h"
#include "record/liveness_table.h"
#include "guest/runtime/fiber.h"
#include "guest/runtime/pages.h"

bool scrub_active, scrub_torture;
static bool torture_is_fixed;
static const LivenessEntry *entries;
static const LivenessRange *ranges;
static uint32_t *slots; /* open addressing: number of an entry + 1 */
static uint32_t slot_mask;
static uint64_t *mask; /* of the stack that was looked at last */
static size_t mask_bytes;

static inline uint32_t slot_of(uint64_t address)
{
    return (uint32_t)((address * 0x9E3779B97F4A7C15u) >> 40) & slot_mask;
}

bool scrub_setup(const void *table, size_t bytes)
{
    const LivenessTable *t = table;
    scrub_active = false;
    if (!bytes)
        return true;
    if (bytes < sizeof *t || t->magic != LIVENESS_MAGIC || bytes < liveness_bytes(t))
        return false;
    entries = liveness_entries(t);
    ranges = liveness_ranges(t);
    slot_mask = 1023;
    while (slot_mask < 4 * t->entry_count)
        slot_mask = slot_mask * 2 + 1;
    slots = pages_alloc(sizeof *slots * ((size_t)slot_mask + 1));
    for (uint32_t i = 0; i < t->entry_count; i++) {
        uint32_t slot = slot_of(entries[i].address);
        while (slots[slot])
            slot = (slot + 1) & slot_mask;
        slots[slot] = i + 1;
    }
    mask = pages_reserve(STACK_SLOT);
    scrub_torture = hooks.torture != NULL;
    torture_is_fixed = hooks.torture && !strcmp(hooks.torture, "fixed");
    scrub_active = true;
    return true;
}

bool scrub_setup_from_file(const char *path)
{
    struct stat status;
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0 || fstat(fd, &status) || !status.st_size)
        return false;
    size_t bytes = (size_t)status.st_size;
    void *table = mmap(NULL, bytes, PROT_READ, MAP_PRIVATE, fd, 0);
    close(fd);
    return table != MAP_FAILED && scrub_setup(table, bytes);
}

static inline const LivenessEntry *find_entry(uint64_t address)
{
    for (uint32_t slot = slot_of(address); slots[slot]; slot = (slot + 1) & slot_mask)
        if (entries[slots[slot] - 1].address == address)
            return &entries[slots[slot] - 1];
    return NULL;
}

static inline uint64_t word_at(const char *sp, size_t offset)
{
    uint64_t word;
    memcpy(&word, sp + offset, sizeof word);
    return word;
}

/* Outwards frame by frame. place[r] is where the value of register r as the present frame's
 * function left it is kept: first in the frame of heddle__switch; once a function has saved its
 * caller's value, in the slot where it did so, for from there it will be restored. */
void scrub_look(const char *sp, const char *base)
{
    enum { NOWHERE = -1 };
    int64_t place[LIVENESS_REGISTERS];
    size_t bytes = (size_t)(base - sp), at = 8 * LIVENESS_REGISTERS; /* of a return address */
    mask_bytes = bytes;
    memset(mask, 0xff, bytes);
    char *dead = (char *)mask;
    for (int r = 0; r < LIVENESS_REGISTERS; r++)
        place[r] = 8 * r;
    while (at + 8 <= bytes) {
        const LivenessEntry *entry = find_entry(word_at(sp, at));
        size_t frame = at + 8; /* the frame of the function that will be returned to */
        if (!entry || frame + entry->frame_bytes > bytes)
            break;
        for (unsigned i = 0; i < entry->range_count; i++) {
            const LivenessRange *range = &ranges[entry->first_range + i];
            memset(dead + frame + range->offset, 0, range->bytes);
        }
        for (int r = 0; r < LIVENESS_REGISTERS; r++) {
            if (entry->saved[r] == LIVENESS_KEPT)
                continue;
            if ((entry->dead >> r & 1) && place[r] != NOWHERE)
                memset(dead + place[r], 0, 8);
            place[r] =
                entry->saved[r] == LIVENESS_LOST ? NOWHERE : (int64_t)frame + entry->saved[r];
        }
        at = frame + entry->frame_bytes - 8;
    }
}

const uint64_t *scrub_mask(void)
{
    return mask;
}

bool scrub_same(const char *a, const char *b)
{
    uint64_t different = 0;
    for (size_t i = 0; i < mask_bytes / 8; i++)
        different |= (word_at(a, 8 * i) ^ word_at(b, 8 * i)) & mask[i];
    return !different;
}

/* Two sums side by side: a multiplication a word, and neither waits for the other. */
Hash128 scrub_hash(const char *image, size_t bytes)
{
    static const uint64_t all_ones[2] = {~UINT64_C(0), ~UINT64_C(0)};
    Hash128 hash = {bytes, ~bytes};
    if (scrub_active)
        scrub_look(image, image + bytes);
    for (size_t i = 0; i + 1 < bytes / 8; i += 2) {
        const uint64_t *keep = scrub_active ? &mask[i] : all_ones;
        hash =
            hash128_add(hash, word_at(image, 8 * i) & keep[0], word_at(image, 8 * i + 8) & keep[1]);
    }
    if (bytes / 8 % 2)
        hash = hash128_add(hash, 0,
                           word_at(image, bytes - bytes % 8 - 8) &
                               (scrub_active ? mask[bytes / 8 - 1] : ~UINT64_C(0)));
    return hash128_mix(hash);
}

void scrub_spoil(int thread)
{
    static Random random = {1};
    char *sp = fibers[thread].sp;
    scrub_look(sp, fibers[thread].base);
    for (size_t i = 0; i < mask_bytes / 8; i++) {
        uint64_t noise = torture_is_fixed ? hash_mix((uintptr_t)sp + 8 * i) : random_next(&random);
        uint64_t word = (word_at(sp, 8 * i) & mask[i]) | (noise & ~mask[i]);
        memcpy(sp + 8 * i, &word, sizeof word);
    }
}
