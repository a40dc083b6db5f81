#include "tool/instrument/liveness/stored.h"
#include <stdlib.h>
#include <string.h>
#include "base/file.h"
#include "base/hash.h"
#include "base/vec.h"

#define STORED_MAGIC 0x6865646c73746f31u /* "hedlsto1" */
#define TEXT "heddle_text"
#define SECTION "heddle_liveness"
#ifndef STORED_VERSION
#define STORED_VERSION 0u /* the Makefile gives the checksum of the analysis */
#endif

/* The section: header, flags, frames, entries, calls, callees, ranges, names of stubs. All parts
 * begin at multiples of 8 bytes. */
typedef struct Header {
    uint64_t magic, bytes; /* bytes: of the whole section */
    uint64_t text_bytes, signature;
    uint32_t version, function_count, frame_count, entry_count, call_count, callee_count,
        range_count, name_bytes;
} Header;

static size_t padded(size_t bytes)
{
    return (bytes + 7) & ~(size_t)7;
}

static size_t section_bytes(const Header *h)
{
    return sizeof *h + padded(h->function_count) + h->frame_count * sizeof(StoredFrame) +
           padded(h->entry_count * sizeof(LivenessEntry)) +
           (size_t)(h->call_count + h->callee_count) * sizeof(StoredEdge) +
           padded(h->range_count * sizeof(LivenessRange)) + padded(h->name_bytes);
}

/* ---- reading ---- */

/* The functions of heddle_text: all that begin there, and they are neighbours. */
static uint32_t find_functions(const Image *image, uint64_t base, uint64_t bytes, uint32_t *first)
{
    const ImageFunction *functions = image_functions(image);
    size_t all = image_function_count(image), from = 0, to;
    while (from < all && functions[from].address < base)
        from++;
    for (to = from; to < all && functions[to].address < base + bytes;)
        to++;
    *first = (uint32_t)from;
    return (uint32_t)(to - from);
}

static bool has_stubs(const Image *image, const char *names, size_t bytes)
{
    HashMap slots = {0};
    const char *name;
    bool all = true, is_new;
    for (size_t i = 0; (name = image_next_stub(image, &i));)
        hashmap_put(&slots, hash_bytes(name, strlen(name), 0), &is_new);
    for (const char *end = names + bytes; names < end && all; names += strlen(names) + 1)
        all = hashmap_find(&slots, hash_bytes(names, strlen(names), 0)) != NULL;
    hashmap_free(&slots);
    return all;
}

const Stored *stored_find(Arena *arena, const Image *image)
{
    uint64_t base, text_bytes, bytes;
    Header h;
    const uint8_t *p = image_section(image, SECTION, NULL, &bytes);
    if (!p || bytes < sizeof h || !image_section(image, TEXT, &base, &text_bytes))
        return NULL;
    memcpy(&h, p, sizeof h);
    Stored *s = arena_new_of(arena, Stored);
    s->function_count = find_functions(image, base, text_bytes, &s->first);
    if (h.magic != STORED_MAGIC || h.version != STORED_VERSION || h.bytes != bytes ||
        section_bytes(&h) != bytes || h.text_bytes != text_bytes ||
        h.signature != image_signature(image) || h.function_count != s->function_count)
        return NULL;
    const uint8_t *copy = p; /* unless the linker has put it where numbers can't be read */
    if ((uintptr_t)p % 8)
        copy = (const uint8_t *)arena_copy(arena, p, bytes);
    s->base = base;
    s->frame_count = h.frame_count;
    s->call_count = h.call_count;
    s->callee_count = h.callee_count;
    s->flags = copy + sizeof h;
    s->frames = (const void *)(s->flags + padded(h.function_count));
    s->entries = (const void *)(s->frames + h.frame_count);
    s->calls =
        (const void *)((const char *)s->entries + padded(h.entry_count * sizeof(LivenessEntry)));
    s->callees = s->calls + h.call_count;
    s->ranges = (const void *)(s->callees + h.callee_count);
    const char *names = (const char *)s->ranges + padded(h.range_count * sizeof(LivenessRange));
    s->frame_of = arena_array_of(arena, int32_t, h.function_count + 1);
    for (uint32_t f = 0; f < h.function_count; f++)
        s->frame_of[f] = -1;
    for (uint32_t i = 0; i < h.frame_count; i++)
        s->frame_of[s->frames[i].function] = (int32_t)i;
    return has_stubs(image, names, h.name_bytes) ? s : NULL;
}

const StoredFrame *stored_frame(const Stored *s, uint32_t function)
{
    uint32_t f = function - s->first; /* beyond function_count if it is smaller */
    return f < s->function_count && s->frame_of[f] >= 0 ? &s->frames[s->frame_of[f]] : NULL;
}

/* The first edge from FUNCTION, or from a greater one. */
static const StoredEdge *edges_from(const StoredEdge *edges, uint32_t count, uint32_t function)
{
    uint32_t low = 0, high = count;
    while (low < high) {
        uint32_t middle = (low + high) / 2;
        if (edges[middle].from < function)
            low = middle + 1;
        else
            high = middle;
    }
    return edges + low;
}

const bool *stored_include(Arena *arena, const Stored *s, const bool *seeds)
{
    bool *met = arena_array_of(arena, bool, s->function_count + 1);
    bool *included = arena_array_of(arena, bool, s->frame_count + 1);
    uint32_t *rest = arena_array_of(arena, uint32_t, s->function_count + 1), count = 0;
    for (uint32_t f = 0; f < s->function_count; f++)
        if (seeds[s->first + f]) {
            met[f] = true;
            rest[count++] = f;
        }
    const StoredEdge *lists[] = {s->calls, s->callees};
    const uint32_t counts[] = {s->call_count, s->callee_count};
    while (count) {
        uint32_t f = rest[--count];
        if (s->frame_of[f] >= 0)
            included[s->frame_of[f]] = true;
        for (int k = 0; k < 2; k++)
            for (const StoredEdge *e = edges_from(lists[k], counts[k], f),
                                  *end = lists[k] + counts[k];
                 e < end && e->from == f; e++)
                if (!met[e->to]) {
                    met[e->to] = true;
                    rest[count++] = e->to;
                }
    }
    return included;
}

/* ---- writing ---- */

const bool *stored_choose(Arena *arena, const Image *image, WantedFunctions *wanted)
{
    uint64_t base, bytes;
    size_t all = image_function_count(image);
    bool *open = arena_array_of(arena, bool, all + 1),
         *closed = arena_array_of(arena, bool, all + 1);
    if (!image_section(image, TEXT, &base, &bytes))
        return closed;
    uint32_t first, count = find_functions(image, base, bytes, &first);
    for (uint32_t f = 0; f < all; f++)
        open[f] = f - first >= count;
    wanted_spread(wanted, open, false);
    for (uint32_t f = 0; f < all; f++) {
        const ImageFunction *function = &image_functions(image)[f];
        closed[f] = !open[f];
        wanted->is[f] = closed[f] && (wanted->reaches[f] ||
                                      (!function->is_local && function->size <= WANTED_SMALL));
    }
    return closed;
}

static int compare_edges(const void *a, const void *b)
{
    const StoredEdge *x = a, *y = b;
    if (x->from != y->from)
        return x->from < y->from ? -1 : 1;
    return x->to < y->to ? -1 : x->to > y->to;
}

typedef Vec(StoredEdge) EdgeList;

static void sort_edges(EdgeList *edges)
{
    if (edges->count)
        qsort(edges->at, edges->count, sizeof *edges->at, compare_edges);
    size_t kept = 0;
    for (size_t i = 0; i < edges->count; i++)
        if (!i || compare_edges(&edges->at[i], &edges->at[i - 1]))
            edges->at[kept++] = edges->at[i];
    edges->count = kept;
}

/* Writes COUNT bytes and fills up to a multiple of eight. */
static void put(FileWriter *file, const void *bytes, size_t count)
{
    static const char zeros[8];
    if (count)
        fwrite(bytes, 1, count, file->stream);
    fwrite(zeros, 1, padded(count) - count, file->stream);
}

bool stored_write(Arena *arena, const Image *image, const StoredInput *input, const char *path,
                  Error *error)
{
    uint32_t first, entry_count = input->first_entry[input->frame_count];
    uint64_t base;
    Header h = {.magic = STORED_MAGIC, .version = STORED_VERSION};
    if (!image_section(image, TEXT, &base, &h.text_bytes))
        return error_set(error, "the program has no section " TEXT);
    h.signature = image_signature(image);
    h.function_count = find_functions(image, base, h.text_bytes, &first);
    h.frame_count = (uint32_t)input->frame_count;
    h.entry_count = entry_count;
    h.range_count = (uint32_t)input->range_count;
    uint8_t *flags = arena_array_of(arena, uint8_t, h.function_count + 1);
    bool *analysed = arena_array_of(arena, bool, image_function_count(image) + 1);
    for (uint32_t f = 0; f < h.function_count; f++)
        if (input->closed[first + f])
            flags[f] = STORED_CLOSED | (input->wanted->reaches[first + f] ? STORED_REACHES : 0);
    StoredFrame *frames = arena_array_of(arena, StoredFrame, h.frame_count + 1);
    EdgeList calls = {0}, callees = {0};
    for (uint32_t i = 0; i < h.frame_count; i++)
        analysed[input->frames[i].code.function] = true;
    for (uint32_t i = 0; i < h.frame_count; i++) {
        const StackFrame *frame = &input->frames[i];
        frames[i] =
            (StoredFrame){.lent = frame->lent,
                          .function = frame->code.function - first,
                          .arguments = frame->arguments,
                          .first_entry = input->first_entry[i],
                          .entry_count = input->first_entry[i + 1] - input->first_entry[i],
                          .ok = frame->ok,
                          .lends = frame->ok && frame->effects && !frame->code.has_handlers};
        for (size_t k = 0; k < frame->code.code.count; k++) {
            uint32_t to = frame->code.code.at[k].callee;
            if (to != IMAGE_NO_FUNCTION && analysed[to])
                vec_push(&callees, (StoredEdge){frame->code.function - first, to - first});
        }
    }
    for (size_t e = 0; e < input->wanted->edge_count; e++) {
        WantedEdge edge = input->wanted->edges[e];
        if (input->closed[edge.from] && input->wanted->reaches[edge.to])
            vec_push(&calls, (StoredEdge){edge.from - first, edge.to - first});
    }
    sort_edges(&calls);
    sort_edges(&callees);
    h.call_count = (uint32_t)calls.count;
    h.callee_count = (uint32_t)callees.count;
    LivenessEntry *entries = arena_array_of(arena, LivenessEntry, entry_count + 1);
    for (uint32_t i = 0; i < entry_count; i++) {
        entries[i] = input->entries[i];
        entries[i].address -= base;
    }
    Vec(char) names = {0};
    const char *name;
    for (size_t i = 0; (name = image_next_stub(image, &i));)
        for (const char *c = name;; c++) {
            vec_push(&names, *c);
            if (!*c)
                break;
        }
    h.name_bytes = (uint32_t)names.count;
    h.bytes = section_bytes(&h);
    FileWriter file;
    file_begin(&file, path);
    put(&file, &h, sizeof h);
    put(&file, flags, h.function_count);
    put(&file, frames, h.frame_count * sizeof *frames);
    put(&file, entries, h.entry_count * sizeof *entries);
    put(&file, calls.at, calls.count * sizeof *calls.at);
    put(&file, callees.at, callees.count * sizeof *callees.at);
    put(&file, input->ranges, h.range_count * sizeof *input->ranges);
    put(&file, names.at, names.count);
    vec_free(&calls);
    vec_free(&callees);
    vec_free(&names);
    return file_commit(&file, error);
}
