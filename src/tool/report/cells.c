#include "tool/report/cells.h"
#include <string.h>
#include "base/hash.h"
#include "record/check.h"

typedef struct CellsWork {
    Names *names;
    const Record *record;
    const Steps *steps;
    MemoryCells *cells;
    HashMap numbers;      /* address to cell, plus one */
    Vec(uint32_t) newest; /* by cell: the place in coherence of what it holds */
} CellsWork;

static bool writes(const RecordEvent *event)
{
    return event->kind == RECORD_WRITE || event->kind == RECORD_PLAIN_WRITE;
}

static bool is_access(const RecordEvent *event)
{
    return writes(event) || event->kind == RECORD_READ || event->kind == RECORD_PLAIN_READ;
}

/* Did a library function make this access on the program's behalf? */
static bool is_library(const CellsWork *work, const RecordEvent *event)
{
    const char *callee = event->pc ? names_callee(work->names, event->pc) : NULL;
    return *record_text(work->record, event->text) || (callee && callee[0] != '_');
}

static bool is_mutex(const CellsWork *work, const RecordEvent *event)
{
    const char *callee = event->pc ? names_callee(work->names, event->pc) : NULL;
    return strstr(record_text(work->record, event->text), "mutex") ||
           (callee && strstr(callee, "mutex"));
}

static const char *value_text(CellsWork *work, const RecordEvent *event, const MemoryCell *cell)
{
    if (cell->lock)
        return event->value[0] && writes(event)
                   ? arena_printf(names_arena(work->names), "held by %s",
                                  names_thread(work->names, event->thread))
               : event->value[0] ? "held"
                                 : "free";
    if (event->size == 16)
        return arena_printf(names_arena(work->names), "{%s, %s}",
                            names_value(work->names, event->address, 8, event->value[0]),
                            names_value(work->names, event->address + 8, 8, event->value[1]));
    return names_value(work->names, event->address, event->size, event->value[0]);
}

/* The word of a mutex says who holds it, the number in it is the runtime's; what else only the
 * runtime touches (a condition variable) is no variable to a person. */
static void choose_cells(CellsWork *work, HashMap *own)
{
    for (uint32_t i = 0; i < work->record->event_count; i++) {
        const RecordEvent *event = &work->record->events[i];
        if (!is_access(event))
            continue;
        uint64_t *kind = hashmap_put(own, event->address, NULL);
        *kind |= is_mutex(work, event) ? 2 : is_library(work, event) ? 0 : 1;
    }
}

static void add_cells(CellsWork *work)
{
    HashMap own = {0}; /* address to 1: the program's own, 2: a mutex */
    choose_cells(work, &own);
    for (uint32_t i = 0; i < work->record->event_count; i++) {
        const RecordEvent *event = &work->record->events[i];
        if (!is_access(event) || !event->size || event->size > 16 ||
            !steps_number_of(work->steps, i) || !*hashmap_find(&own, event->address))
            continue;
        bool absent;
        uint64_t *number = hashmap_put(&work->numbers, event->address, &absent);
        if (!absent)
            continue;
        vec_push(&work->cells->list,
                 (MemoryCell){.address = event->address,
                              .name = names_location(work->names, event->address, event->size),
                              .lock = *hashmap_find(&own, event->address) & 2});
        vec_push(&work->newest, 0);
        *number = work->cells->list.count;
    }
    hashmap_free(&own);
}

/* A read tells what was there from the start if nobody the record knows has written before. */
static bool shows_initial(const RecordEvent *event, bool written)
{
    return event->kind == RECORD_READ ? event->rf == RECORD_INIT
                                      : event->kind == RECORD_PLAIN_READ && !written;
}

static void add_uses(CellsWork *work)
{
    bool *written = arena_array_of(names_arena(work->names), bool, work->cells->list.count + 1);
    for (uint32_t i = 0; i < work->record->event_count; i++) {
        const RecordEvent *event = &work->record->events[i];
        const uint64_t *number =
            is_access(event) ? hashmap_find(&work->numbers, event->address) : NULL;
        /* what the violation stopped was not done any more */
        if (!number || !event->size || event->size > 16 ||
            ((event->kind == RECORD_PLAIN_WRITE || event->kind == RECORD_PLAIN_READ) &&
             !event->has_value && event->flags & RECORD_FLAG_BAD))
            continue;
        uint32_t at = (uint32_t)*number - 1;
        MemoryCell *cell = &work->cells->list.at[at];
        bool known = event->kind != RECORD_PLAIN_WRITE || event->has_value;
        CellUse use = {.event = i,
                       .cell = at,
                       .value = known ? value_text(work, event, cell) : "?",
                       .writes = writes(event)};
        if (shows_initial(event, written[at]) && !cell->initial)
            cell->initial = use.value;
        if (use.writes) {
            bool ordered = event->kind == RECORD_WRITE && event->co;
            use.current = !ordered || event->co > work->newest.at[at];
            if (ordered && use.current)
                work->newest.at[at] = event->co;
            written[at] = true;
        }
        vec_push(&work->cells->uses, use);
    }
}

void cells_make(Names *names, const Record *record, const Steps *steps, MemoryCells *cells)
{
    CellsWork work = {.names = names, .record = record, .steps = steps, .cells = cells};
    *cells = (MemoryCells){0};
    add_cells(&work);
    add_uses(&work);
    hashmap_free(&work.numbers);
    vec_free(&work.newest);
}

void cells_free(MemoryCells *cells)
{
    vec_free(&cells->list);
    vec_free(&cells->uses);
}
