#include "guest/explore/memory/undo.h"
#include "guest/explore/graph/finding.h"
#include "guest/explore/memory/cells.h"
#include <string.h>
#include "guest/explore/graph/graph.h"
#include "guest/explore/memory/memory.h"
#include "guest/runtime/fiber.h"
#include "guest/runtime/pages.h"

#define MAX_LOG (1u << 24)

LogEntry *undo_log;
uint32_t undo_count;
ThreadSet undo_stack_written;

void undo_setup(void)
{
    undo_log = pages_reserve(sizeof(LogEntry) * MAX_LOG);
}

LogEntry *undo_push(void)
{
    if (UNLIKELY(undo_count >= MAX_LOG))
        op_unsupported("an execution with more than %u plain writes", MAX_LOG);
    undo_log[undo_count].captured = 0;
    return &undo_log[undo_count++];
}

void undo_note_stack_write(const void *address)
{
    int owner = fiber_of_stack(address);
    if (UNLIKELY(owner >= 0) && owner != fiber_current)
        undo_stack_written |= thread_bit(owner);
}

void undo_save(void *address, unsigned size)
{
    DEBUG_ASSERT(size && size <= 8);
    LogEntry *entry = undo_push();
    entry->kind = LOG_BYTES;
    entry->address = address;
    entry->size = (uint8_t)size;
    entry->old = 0;
    if (LIKELY(size == 8)) /* without a call */
        memcpy(&entry->old, address, 8);
    else if (LIKELY(size == 4))
        memcpy(&entry->old, address, 4);
    else
        memcpy(&entry->old, address, size);
    entry->thread = (uint8_t)fiber_current;
    entry->tag = (EventIndex)threads[fiber_current].count;
    entry->dead = 0;
    undo_note_stack_write(address);
}

static void swap_cell(LogEntry *entry)
{
    Cell *cell = &memory_cells[entry->cell];
    if (entry->kind == LOG_READ) {
        ThreadSet bit = thread_bit(entry->thread);
        EventIndex tag = cell->read_tag[entry->thread];
        ThreadSet was = cell->readers & bit;
        cell->read_tag[entry->thread] = entry->old_tag;
        cell->readers = (cell->readers & ~bit) | entry->old_readers;
        entry->old_tag = tag;
        entry->old_readers = was;
        return;
    }
    LogEntry old = *entry;
    entry->old_writer = cell->writer;
    entry->old_has_write = cell->has_write;
    entry->old_tag = cell->write_tag;
    entry->old_readers = cell->readers;
    cell->writer = old.old_writer;
    cell->has_write = old.old_has_write;
    cell->write_tag = old.old_tag;
    cell->readers = old.old_readers;
}

void undo_swap(LogEntry *entry)
{
    DEBUG_ASSERT(entry >= undo_log && entry->kind <= LOG_NOTE);
    if ((entry->kind == LOG_WRITE || entry->kind == LOG_READ) && entry->cell)
        swap_cell(entry);
    if (entry->kind == LOG_READ)
        return;
    uint64_t present = 0;
    if (LIKELY(entry->size == 8)) { /* without calls */
        memcpy(&present, entry->address, 8);
        memcpy(entry->address, &entry->old, 8);
    } else if (LIKELY(entry->size == 4)) {
        memcpy(&present, entry->address, 4);
        memcpy(entry->address, &entry->old, 4);
    } else {
        memcpy(&present, entry->address, entry->size);
        memcpy(entry->address, &entry->old, entry->size);
    }
    entry->old = present;
}

void undo_to(uint32_t count)
{
    for (ThreadSet left = undo_stack_written; left; left &= left - 1) {
        Thread *thread = &threads[thread_first(left)];
        thread->captured_to = MIN(thread->captured_to, count); /* new entries will stand there */
    }
    while (undo_count > count) {
        LogEntry *entry = &undo_log[--undo_count];
        if (!entry->dead)
            undo_swap(entry);
    }
}

void undo_unrun(int t, uint32_t from)
{
    DEBUG_ASSERT(from <= undo_count);
    for (uint32_t j = undo_count; j-- > from;) {
        LogEntry *entry = &undo_log[j];
        if (entry->thread == t && !entry->dead && entry->tag >= threads[t].count) {
            undo_swap(entry);
            entry->dead = 1;
        }
    }
}

void undo_validate(void)
{
    for (uint32_t i = 0; i < undo_count; i++) {
        const LogEntry *entry = &undo_log[i];
        ASSERT(entry->kind <= LOG_NOTE && entry->thread < MAX_THREADS && entry->size <= 8);
        if (options.checkpoints && !entry->dead)
            ASSERT((threads_created >> entry->thread & 1) &&
                   entry->tag <= threads[entry->thread].count);
    }
    for (int t = 0; t < MAX_THREADS; t++)
        ASSERT(threads[t].captured_to <= undo_count);
}

void undo_validate_touched(uint32_t cell, int t)
{
    uint32_t from = threads[t].count ? last_event(t)->log_position : 0, q = undo_count;
    bool logged = false;
    while (!logged && q-- > from) {
        const LogEntry *entry = &undo_log[q];
        logged = entry->thread == t && entry->cell == cell && !entry->dead &&
                 entry->tag == threads[t].count &&
                 (entry->kind == LOG_WRITE || entry->kind == LOG_READ);
    }
    ASSERT(logged);
}
