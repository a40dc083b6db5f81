#include "tool/report/relevance.h"
#include <string.h>
#include "tool/report/dwarf/frames.h"

static bool is_access(const RecordEvent *event)
{
    return event->kind == RECORD_READ || event->kind == RECORD_WRITE ||
           event->kind == RECORD_PLAIN_READ || event->kind == RECORD_PLAIN_WRITE;
}

static bool is_plain(const RecordEvent *event)
{
    return event->kind == RECORD_PLAIN_READ || event->kind == RECORD_PLAIN_WRITE;
}

/* Which threads touch each word: plain accesses to private memory say nothing. */
static void find_users(Relevance *relevance)
{
    for (uint32_t i = 0; i < relevance->record->event_count; i++) {
        const RecordEvent *event = &relevance->record->events[i];
        if (event->flags & (RECORD_FLAG_BAD | RECORD_FLAG_PARTNER))
            *hashmap_put(&relevance->blamed, event->address / 8, NULL) = 1;
        if (!is_access(event))
            continue;
        uint64_t *threads = hashmap_put(&relevance->users, event->address / 8, NULL);
        *threads |= 1ull << (event->thread % 64);
    }
}

static bool same_line(const Relevance *relevance, const RecordEvent *a, const RecordEvent *b)
{
    SourcePlace first = names_user_place(relevance->names, a->pc, a->callers, RECORD_CALLERS);
    SourcePlace second = names_user_place(relevance->names, b->pc, b->callers, RECORD_CALLERS);
    return first.line == second.line && first.file && second.file &&
           !strcmp(first.file, second.file);
}

/* A line often reads the same plain variable several times. A thread that reads the value again
 * that it has read there before, while nobody has written to it and it has not met others, does
 * nothing worth telling. */
static void find_repeats(Relevance *relevance)
{
    HashMap reads = {0}, writes = {0}; /* index + 1 of the last one, by thread and place; by word */
    HashMap meetings = {0};            /* the same of what is no plain access, by thread */
    const RecordEvent *events = relevance->record->events;
    for (uint32_t i = 0; i < relevance->record->event_count; i++) {
        const RecordEvent *event = &events[i];
        uint64_t word = event->address / 8, last = (event->address + MAX(event->size, 1) - 1) / 8;
        if (event->kind == RECORD_WRITE || event->kind == RECORD_PLAIN_WRITE)
            for (uint64_t at = word; at <= last; at++)
                *hashmap_put(&writes, at, NULL) = i + 1;
        if (!is_plain(event) && event->kind != RECORD_ALLOC)
            *hashmap_put(&meetings, event->thread, NULL) = i + 1;
        if (event->kind != RECORD_PLAIN_READ || word != last)
            continue;
        const uint64_t *met = hashmap_find(&meetings, event->thread);
        uint64_t key = hash_combine(hash_combine(event->thread, event->address), event->size);
        uint64_t *before = hashmap_put(&reads, key, NULL);
        const uint64_t *written = hashmap_find(&writes, word);
        const RecordEvent *first = *before ? &events[*before - 1] : NULL;
        relevance->again[i] = first && (!written || *written < *before) &&
                              (!met || *met < *before) && first->address == event->address &&
                              first->thread == event->thread && first->has_value &&
                              event->has_value && first->value[0] == event->value[0] &&
                              same_line(relevance, first, event);
        if (!relevance->again[i])
            *before = i + 1;
    }
    hashmap_free(&reads);
    hashmap_free(&writes);
    hashmap_free(&meetings);
}

bool relevance_is_shared(const Relevance *relevance, const RecordEvent *event)
{
    const uint64_t *threads = hashmap_find(&relevance->users, event->address / 8);
    return threads && (*threads & (*threads - 1));
}

/* Does more than one thread touch the heap object that EVENT allocates or frees (unless ONLY what
 * is BLAMED counts), or is the violation about it? */
static bool object_is_shared(const Relevance *relevance, const RecordEvent *event, bool only_blamed)
{
    enum { MOST_WORDS = 512 };
    uint64_t bytes = 8;
    if (event->other < relevance->record->object_count)
        bytes = relevance->record->objects[event->other].bytes;
    for (uint64_t word = 0; word < MIN((bytes + 7) / 8, (uint64_t)MOST_WORDS); word++) {
        const uint64_t *threads = hashmap_find(&relevance->users, event->address / 8 + word);
        if ((!only_blamed && threads && (*threads & (*threads - 1))) ||
            hashmap_find(&relevance->blamed, event->address / 8 + word))
            return true;
    }
    return false;
}

/* Does EVENT touch a heap object that a library has allocated for itself, such as what a new thread
 * is given to call? */
static bool is_in_object_of_library(const Relevance *relevance, const RecordEvent *event)
{
    uint32_t object = names_object_at(relevance->names, event->address);
    return object != RECORD_NONE && names_object_is_of_library(relevance->names, object);
}

/* Steps that a library takes for itself: in memory of its own, or called by nobody we know. A test
 * framework allocates and frees by the thousand. */
bool relevance_is_of_library(const Relevance *relevance, const RecordEvent *event)
{
    bool memory = event->kind == RECORD_ALLOC || event->kind == RECORD_FREE;
    if (!is_access(event) && !memory)
        return false;
    if ((memory || is_plain(event)) && is_in_object_of_library(relevance, event) &&
        !(memory && object_is_shared(relevance, event, true)))
        return true;
    if (event->kind == RECORD_READ && is_plain(event) &&
        !names_knows(relevance->names, event->address) &&
        names_literal(relevance->names, event->address))
        return true; /* of a string, say: it never changes */
    SourcePlace place =
        names_user_place(relevance->names, event->pc, event->callers, RECORD_CALLERS);
    if (frames_is_system_file(place.file) && (memory || is_plain(event)))
        return true;
    SourcePlace code = names_place(relevance->names, event->pc);
    if (place.file &&
        (!code.file || frames_is_system_file(code.file))) /* the user's line called it */
        return memory ? !object_is_shared(relevance, event, false)
                      : !relevance_is_shared(relevance, event) &&
                            !names_knows(relevance->names, event->address);
    return !place.file && !(memory ? relevance_is_shared(relevance, event)
                                   : names_knows(relevance->names, event->address));
}

void relevance_find(Relevance *relevance, Names *names, Arena *arena, const Record *record)
{
    *relevance = (Relevance){.names = names,
                             .record = record,
                             .again = arena_array_of(arena, bool, record->event_count + 1)};
    find_users(relevance);
    find_repeats(relevance);
}

void relevance_free(Relevance *relevance)
{
    hashmap_free(&relevance->users);
    hashmap_free(&relevance->blamed);
}
