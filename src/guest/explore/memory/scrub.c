#include "guest/explore/memory/scrub.h"
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>
#include "base/hash.h"
#include "record/assembly_code.h"
#include "record/hooks.h"
#include "record/liveness_table.h"
#include "guest/runtime/arch.h"
#include "guest/runtime/fiber.h"
#include "guest/runtime/pages.h"

ScrubState scrub;
static bool torture_is_fixed;
static const LivenessEntry *entries;
static const LivenessRange *ranges;
static uint32_t *slots; /* open addressing: number of an entry + 1 */
static uint32_t slot_mask;
static uint64_t *mask; /* of the stack that was looked at last */
static size_t mask_bytes;

/* Masks that were made, by the return addresses that decide them: the last one is where the table
 * ends. A stack of the same length with the same words there has the same mask. */
enum { SETS = 32, WAYS = 4, MOST_FRAMES = 16, MOST_BYTES = 2048 };
typedef struct KnownMask {
    size_t bytes; /* 0: none yet */
    uint32_t count;
    uint32_t at[MOST_FRAMES];
    uint64_t address[MOST_FRAMES];
    size_t performer, performer_end; /* words of the frame of heddle__assembly, if there is one */
    uint64_t words[MOST_BYTES / 8];
    uint32_t dead_count; /* words that have dead bytes, idle ones not counted: where they are ... */
    uint16_t dead[MOST_BYTES / 8];
    uint64_t keep[MOST_BYTES / 8]; /* ... and, for each of them, which bytes are not dead */
} KnownMask;
static struct {
    KnownMask *known;    /* SETS times WAYS */
    uint8_t next[SETS];  /* the way that is replaced next */
    uint64_t *any_other; /* for the mask of a stack that is not kept */
} masks;

static inline uint32_t slot_of(uint64_t address)
{
    return (uint32_t)((address * 0x9E3779B97F4A7C15u) >> 40) & slot_mask;
}

bool scrub_setup(const void *table, size_t bytes)
{
    const LivenessTable *t = table;
    scrub.active = scrub.has_idle = false;
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
        scrub.has_idle |= entries[i].idle || entries[i].idle_count;
        while (slots[slot])
            slot = (slot + 1) & slot_mask;
        slots[slot] = i + 1;
    }
    masks.known = pages_reserve(sizeof *masks.known * SETS * WAYS);
    mask = masks.any_other = pages_reserve(STACK_SLOT);
    scrub.torture = hooks.torture != NULL;
    torture_is_fixed = hooks.torture && !strcmp(hooks.torture, "fixed");
    scrub.active = true;
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

bool scrub_result_is_dead(const void *pc)
{
    const LivenessEntry *entry = scrub.active ? find_entry((uintptr_t)pc) : NULL;
    return entry && entry->result_is_dead;
}

static inline uint64_t word_at(const char *sp, size_t offset)
{
    uint64_t word;
    memcpy(&word, sp + offset, sizeof word);
    return word;
}

enum { NOWHERE = -1 };

/* Where the function whose frame at FRAME is described by ENTRY has its return address. */
static inline int64_t return_place(size_t frame, const LivenessEntry *entry)
{
    if (ARCH_LINK < 0)
        return (int64_t)frame + entry->frame_bytes - 8;
    return entry->saved[ARCH_LINK] < 0 ? NOWHERE : (int64_t)frame + entry->saved[ARCH_LINK];
}

static inline bool has_return(int64_t at, size_t frame, size_t bytes)
{
    return at != NOWHERE && (size_t)at + 8 <= bytes && frame <= bytes;
}

bool scrub_is_perpetual(const char *sp, const char *base)
{
    int64_t at = 8 * ARCH_SWITCH_RETURN;
    size_t frame = ARCH_SWITCH_BYTES, bytes = (size_t)(base - sp);
    while (scrub.active && has_return(at, frame, bytes)) {
        const LivenessEntry *entry = find_entry(word_at(sp, (size_t)at));
        if (entry && (entry->more & LIVENESS_PERFORMER)) {
            at = (int64_t)(frame + word_at(sp, frame) + ASSEMBLY_FRAME_STATE_BYTES);
            frame = (size_t)at + 8;
            continue;
        }
        if (!entry || (entry->more & LIVENESS_PERPETUAL))
            return entry;
        at = return_place(frame, entry);
        frame += entry->frame_bytes;
    }
    return false;
}

static inline bool fits(const KnownMask *known, const char *sp, size_t bytes)
{
    if (known->bytes != bytes)
        return false;
    for (uint32_t i = 0; i < known->count; i++)
        if (word_at(sp, known->at[i]) != known->address[i])
            return false;
    return true;
}

static inline void clear(char *dead, size_t bytes)
{
    if (LIKELY(bytes == 8))
        memset(dead, 0, 8);
    else
        memset(dead, 0, bytes);
}

enum { RESULT_FLAGS = 0x8d5 }; /* carry, parity, adjust, zero, sign, overflow: others steer */

/* Notes that the word at AT, which is WORD, decides about the mask. */
static void note_word(KnownMask *known, size_t at, uint64_t word)
{
    if (known->count < MOST_FRAMES) {
        known->at[known->count] = (uint32_t)at;
        known->address[known->count] = word;
    }
    known->count++;
}

/* The frame of heddle__assembly, and what is kept there that functions further outwards may need:
 * so far none of them does, but they may leave it to their callers. */
typedef struct Performer {
    size_t frame, state; /* state: where the registers are, 0: there is no such frame */
    uint32_t others;     /* registers that are not callee-saved */
    bool vectors, flags;
} Performer;

/* FRAME is that of heddle__assembly, which has put all registers behind it and will take them from
 * there; only %rbx is still its own. False if it does not look like that. */
static bool enter_performer(const char *sp, size_t bytes, size_t frame, int64_t *place,
                            KnownMask *known, Performer *performer)
{
    static const uint8_t number[] = {15, 14, 13, 12, 3, 5};
    enum { STACK_POINTER = 4 };
    char *dead = (char *)mask;
    uint64_t distance = frame + 8 <= bytes ? word_at(sp, frame) : 0;
    size_t saved = frame + ASSEMBLY_FRAME_SAVED, state = frame + distance;
    note_word(known, frame, distance);
    if ((distance != ASSEMBLY_FRAME_LEAST && distance != ASSEMBLY_FRAME_MOST) ||
        state + ASSEMBLY_FRAME_STATE_BYTES + 8 > bytes)
        return false;
    memset(dead + frame + 8, 0, ASSEMBLY_FRAME_SAVED - 8);
    memset(dead + saved + ASSEMBLY_FRAME_VECTORS_END, 0,
           distance - ASSEMBLY_FRAME_SAVED - ASSEMBLY_FRAME_VECTORS_END);
    memset(dead + state + 8 * STACK_POINTER, 0, 8);
    for (size_t r = 0; r < COUNT_OF(number); r++) {
        if (r != LIVENESS_RBX && place[r] != NOWHERE)
            memset(dead + place[r], 0, 8);
        place[r] = (int64_t)(state + 8u * number[r]);
    }
    *performer = (Performer){frame, state, UINT16_MAX, true, true};
    known->performer = frame / 8;
    known->performer_end = (state + ASSEMBLY_FRAME_STATE_BYTES) / 8;
    return true;
}

/* ENTRY is that of the next function outwards. */
static void clear_performer(const LivenessEntry *entry, Performer *performer)
{
    char *state = (char *)mask + performer->state;
    uint32_t none = performer->others & entry->others_dead & ~entry->others_passed;
    for (unsigned r = 0; r < 16; r++)
        if (none >> r & 1)
            memset(state + 8 * (size_t)r, 0, 8);
    performer->others &= entry->others_dead & entry->others_passed;
    if (performer->flags && (entry->more & LIVENESS_FLAGS_DEAD)) {
        uint64_t kept = word_at(state, ASSEMBLY_FRAME_STATE_FLAGS) & (uint64_t)~RESULT_FLAGS;
        memcpy(state + ASSEMBLY_FRAME_STATE_FLAGS, &kept, sizeof kept);
    }
    performer->flags = false;
    if (performer->vectors && (entry->more & LIVENESS_VECTORS_NONE))
        memset((char *)mask + performer->frame + ASSEMBLY_FRAME_SAVED + ASSEMBLY_FRAME_VECTORS, 0,
               ASSEMBLY_FRAME_VECTORS_END - ASSEMBLY_FRAME_VECTORS);
    performer->vectors &=
        (entry->more & LIVENESS_VECTORS_DEAD) && !(entry->more & LIVENESS_VECTORS_NONE);
}

/* Makes the mask, and notes in KNOWN, if there is room, what decided it. Outwards frame by frame.
 * place[r] is where the value of register r as the present frame's function left it is kept: first
 * in the frame of heddle__switch; once a function has saved its caller's value, in the slot where
 * it did so, for from there it will be restored. */
static void make_mask(const char *sp, size_t bytes, bool idle_matters, KnownMask *known)
{
    int64_t place[LIVENESS_REGISTERS], at = 8 * ARCH_SWITCH_RETURN; /* of a return address */
    size_t frame = ARCH_SWITCH_BYTES; /* of the function that will be returned to */
    Performer performer = {0};
    memset(mask, 0xff, bytes);
    char *dead = (char *)mask;
    for (int r = 0; r < ARCH_RESTORED; r++)
        place[r] = 8 * r;
    known->count = 0;
    known->performer = known->performer_end = 0;
    while (has_return(at, frame, bytes)) {
        uint64_t address = word_at(sp, (size_t)at);
        const LivenessEntry *entry = find_entry(address);
        note_word(known, (size_t)at, address);
        if (entry && (entry->more & LIVENESS_PERFORMER)) {
            if (!enter_performer(sp, bytes, frame, place, known, &performer))
                break;
            at = (int64_t)(performer.state + ASSEMBLY_FRAME_STATE_BYTES);
            frame = (size_t)at + 8;
            continue;
        }
        if (!entry || frame + entry->frame_bytes > bytes)
            break;
        if (performer.state)
            clear_performer(entry, &performer);
        unsigned range_count = entry->range_count - (idle_matters ? entry->idle_count : 0u);
        unsigned registers = entry->dead | (idle_matters ? 0u : entry->idle);
        for (unsigned i = 0; i < range_count; i++) {
            const LivenessRange *range = &ranges[entry->first_range + i];
            clear(dead + frame + range->offset, range->bytes);
        }
        for (int r = 0; r < ARCH_RESTORED; r++) {
            if (entry->saved[r] == LIVENESS_KEPT)
                continue;
            if ((registers >> r & 1) && place[r] != NOWHERE)
                memset(dead + place[r], 0, 8);
            place[r] =
                entry->saved[r] == LIVENESS_LOST ? NOWHERE : (int64_t)frame + entry->saved[r];
        }
        at = return_place(frame, entry);
        frame += entry->frame_bytes;
    }
}

static void list_dead(const char *sp, size_t bytes, KnownMask *known)
{
    mask = masks.any_other;
    make_mask(sp, bytes, true, known);
    known->dead_count = 0;
    for (size_t i = 0; i < bytes / 8; i++)
        if (~mask[i]) {
            known->keep[known->dead_count] = mask[i];
            known->dead[known->dead_count++] = (uint16_t)i;
        }
}

/* Makes the mask, as scrub_look does; returns what is known of it, or NULL if it is not kept. */
static const KnownMask *look(const char *sp, const char *base)
{
    size_t bytes = (size_t)(base - sp), first = 8 * ARCH_SWITCH_RETURN;
    mask_bytes = bytes;
    if (bytes > MOST_BYTES || bytes < first + 8) {
        KnownMask unused;
        mask = masks.any_other;
        make_mask(sp, bytes, false, &unused);
        return NULL;
    }
    uint32_t set = (uint32_t)(word_at(sp, first) ^ bytes / 8) % SETS;
    KnownMask *ways = &masks.known[set * WAYS];
    for (int i = 0; i < WAYS; i++)
        if (fits(&ways[i], sp, bytes)) {
            mask = ways[i].words;
            return &ways[i];
        }
    KnownMask *fresh = &ways[masks.next[set]++ % WAYS];
    list_dead(sp, bytes, fresh);
    mask = fresh->words;
    make_mask(sp, bytes, false, fresh);
    fresh->bytes = fresh->count <= MOST_FRAMES ? bytes : 0;
    return fresh->bytes ? fresh : NULL;
}

void scrub_look(const char *sp, const char *base)
{
    look(sp, base);
}

const uint64_t *scrub_mask(const char *sp, const char *base)
{
    look(sp, base);
    return mask;
}

static inline void clean_word(char *word, uint64_t keep)
{
    uint64_t kept = word_at(word, 0) & keep;
    memcpy(word, &kept, sizeof kept);
}

/* (Idle bytes are left alone, as scrub_spoil does.) */
void scrub_clean(char *sp, const char *base, bool others_look)
{
    const KnownMask *known = look(sp, base);
    if (LIKELY(known != NULL)) {
        size_t from = others_look ? known->performer : 0;
        size_t end = others_look ? known->performer_end : SIZE_MAX;
        for (uint32_t i = 0; i < known->dead_count; i++)
            if (known->dead[i] >= from && known->dead[i] < end)
                clean_word(sp + 8 * (size_t)known->dead[i], known->keep[i]);
        return;
    }
    KnownMask made;
    mask = masks.any_other;
    make_mask(sp, mask_bytes, true, &made);
    size_t from = others_look ? made.performer : 0;
    size_t end = others_look ? made.performer_end : mask_bytes / 8;
    for (size_t i = from; i < end; i++)
        clean_word(sp + 8 * i, mask[i]);
}

bool scrub_same(const char *a, const char *b)
{
    uint64_t different = 0;
    for (size_t i = 0; i < mask_bytes / 8; i++)
        different |= (word_at(a, 8 * i) ^ word_at(b, 8 * i)) & mask[i];
    return !different;
}

/* The word at I of an image, without the bytes that do not matter. */
static inline uint64_t kept_word(const char *image, size_t i, const uint64_t *keep)
{
    uint64_t word = word_at(image, 8 * i);
    return keep ? word & keep[i] : word;
}

/* A multiplication a word, in two hashes of two sums each, so that none waits for the others. */
static inline Hash128 hash_words(const char *image, size_t words, const uint64_t *keep)
{
    Hash128 hash = {words, ~words}, other = {~words, words};
    size_t i = 0;
    for (; i + 3 < words; i += 4) {
        hash = hash128_add(hash, kept_word(image, i, keep), kept_word(image, i + 1, keep));
        other = hash128_add(other, kept_word(image, i + 2, keep), kept_word(image, i + 3, keep));
    }
    for (; i < words; i++)
        hash = hash128_add(hash, 0, kept_word(image, i, keep));
    return hash128_mix(hash128_add(hash, other.low, other.high));
}

Hash128 scrub_hash(const char *image, size_t bytes)
{
    if (!scrub.active)
        return hash_words(image, bytes / 8, NULL);
    scrub_look(image, image + bytes);
    return hash_words(image, bytes / 8, mask);
}

/* Idle bytes are left alone: several of them may depend on each other, and with other values a
 * delay might not end. */
void scrub_spoil(int thread)
{
    static Random random = {1};
    char *sp = fibers[thread].sp;
    KnownMask unused;
    mask_bytes = (size_t)(fibers[thread].base - sp);
    mask = masks.any_other;
    make_mask(sp, mask_bytes, true, &unused);
    for (size_t i = 0; i < mask_bytes / 8; i++) {
        uint64_t noise = torture_is_fixed ? hash_mix((uintptr_t)sp + 8 * i) : random_next(&random);
        uint64_t word = (word_at(sp, 8 * i) & mask[i]) | (noise & ~mask[i]);
        memcpy(sp + 8 * i, &word, sizeof word);
    }
}
