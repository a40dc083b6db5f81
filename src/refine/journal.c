#include "refine/journal.h"
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "base/clock.h"
#include "base/hash.h"
#include "refine/automaton_internal.h"
#include "refine/worker.h"

#define MOST_COST 0.016                          /* of the time that passes, for writing pieces */
#define PIECE_MAGIC UINT64_C(0x656c646465683272) /* changes with the format */

typedef struct PieceHead {
    uint64_t magic, bytes; /* of the piece, without its head */
    uint64_t hash;         /* of the head with 0 in this place, and the piece */
    uint32_t round, jobs, is_complete, spare;
    RefineFigures figures;
} PieceHead;

/* Takes COUNT bytes into HASH. Only the last of several calls for one piece may have a COUNT that
 * is no multiple of 16. */
static Hash128 add_bytes(Hash128 hash, const char *bytes, size_t count)
{
    uint64_t words[2];
    for (; count >= sizeof words; bytes += sizeof words, count -= sizeof words) {
        memcpy(words, bytes, sizeof words);
        hash = hash128_add(hash, words[0], words[1]);
    }
    memset(words, 0, sizeof words);
    if (count)
        memcpy(words, bytes, count);
    return count ? hash128_add(hash, words[0], words[1]) : hash;
}

/* OF_BYTES is what add_bytes made of the piece, from zero on. */
static uint64_t piece_hash(PieceHead head, Hash128 of_bytes)
{
    head.hash = 0;
    of_bytes = hash128_mix(of_bytes);
    return hash_combine(hash_bytes(&head, sizeof head, of_bytes.low), of_bytes.high);
}

/* ---- reading ---- */

static bool read_at(int fd, void *to, size_t bytes, uint64_t at)
{
    for (size_t done = 0; done < bytes;) {
        ssize_t got = pread(fd, (char *)to + done, bytes - done, (off_t)(at + done));
        if (got < 0 && errno == EINTR)
            continue;
        if (got <= 0)
            return false;
        done += (size_t)got;
    }
    return true;
}

/* Reads the piece at AT; false if there is none that is whole before END. */
static bool read_piece(int fd, uint64_t at, uint64_t end, PieceHead *head, Buffer *bytes)
{
    if (end < at || end - at < sizeof *head || !read_at(fd, head, sizeof *head, at) ||
        head->magic != PIECE_MAGIC || head->bytes > end - at - sizeof *head)
        return false;
    vec_reserve(bytes, head->bytes + 1);
    bytes->count = head->bytes;
    return read_at(fd, bytes->at, head->bytes, at + sizeof *head) &&
           head->hash == piece_hash(*head, add_bytes((Hash128){0}, bytes->at, head->bytes));
}

bool refine_journal_scan(RefineJournal *journal, Error *error)
{
    off_t end = lseek(journal->fd, 0, SEEK_END);
    if (end < 0)
        return error_set(error, "the journal can't be read: %s", strerror(errno));
    PieceHead head;
    Buffer bytes = {0};
    journal->end = journal->first = journal->begin;
    journal->is_resumed = false;
    while (read_piece(journal->fd, journal->end, (uint64_t)end, &head, &bytes)) {
        if (!journal->is_resumed || head.round != journal->round)
            journal->first = journal->end;
        journal->is_resumed = true;
        journal->round = head.round;
        journal->jobs = head.jobs;
        journal->is_complete = head.is_complete;
        journal->figures = head.figures;
        journal->end += sizeof head + head.bytes;
    }
    vec_free(&bytes);
    journal->seconds_before = journal->is_resumed ? journal->figures.seconds : 0;
    return true;
}

/* ---- writing ---- */

static bool write_at(int fd, const void *from, size_t bytes, uint64_t at)
{
    for (size_t done = 0; done < bytes;) {
        ssize_t written = pwrite(fd, (const char *)from + done, bytes - done, (off_t)(at + done));
        if (written < 0 && errno == EINTR)
            continue;
        if (written <= 0) {
            errno = written ? errno : ENOSPC;
            return false;
        }
        done += (size_t)written;
    }
    return true;
}

/* A piece on its way to the file, by way of a buffer that stays in the processor's caches: a piece
 * that was put together in memory first cost three times as much. */
enum { CHUNK_BYTES = 1 << 18 }; /* a multiple of 16 (add_bytes) */
typedef struct PieceWriter {
    int fd;
    uint64_t begin,
        bytes;    /* where the piece begins, behind its head; how much of it is in the file */
    Hash128 hash; /* of these bytes */
    size_t count; /* bytes in the buffer */
    int failure;  /* an errno; 0: none */
    char buffer[CHUNK_BYTES];
} PieceWriter;

static void flush_piece(PieceWriter *writer)
{
    writer->hash = add_bytes(writer->hash, writer->buffer, writer->count);
    if (!writer->failure &&
        !write_at(writer->fd, writer->buffer, writer->count, writer->begin + writer->bytes))
        writer->failure = errno;
    writer->bytes += writer->count;
    writer->count = 0;
}

static void put_bytes(PieceWriter *writer, const void *from, size_t bytes)
{
    const char *at = from;
    while (bytes) {
        size_t part = MIN(bytes, CHUNK_BYTES - writer->count);
        memcpy(writer->buffer + writer->count, at, part);
        writer->count += part;
        at += part;
        bytes -= part;
        if (writer->count == CHUNK_BYTES)
            flush_piece(writer);
    }
}

/* ---- the tables of a worker ---- */

static void tables_of(Worker *worker, Table *tables[WORKER_TABLES])
{
    RefAutomaton *automaton = worker->automaton;
    Table *all[WORKER_TABLES] = {&worker->shared,
                                 &worker->blocks,
                                 &worker->implementations,
                                 &worker->sets,
                                 &worker->outcomes,
                                 automaton ? &automaton->base : NULL,
                                 automaton ? &automaton->relaxed : NULL};
    memcpy(tables, all, sizeof all);
}

static void put_number(PieceWriter *out, uint64_t number)
{
    put_bytes(out, &number, sizeof number);
}

static void put_table(PieceWriter *out, const Table *table, size_t from)
{
    put_number(out, table->count - from);
    for (size_t i = from; !table->width && i < table->count; i++) {
        uint32_t length = (uint32_t)(table->offsets[i + 1] - table->offsets[i]);
        put_bytes(out, &length, sizeof length);
    }
    size_t start = from == table->count ? table->data_count
                   : table->width       ? from * table->width
                                        : table->offsets[from];
    if (table->data_count > start)
        put_bytes(out, table->data + start, table->data_count - start);
}

typedef struct Reader {
    const char *at, *end;
    bool failed;
} Reader;

static const void *take(Reader *reader, uint64_t count, uint64_t width)
{
    size_t left = (size_t)(reader->end - reader->at);
    if (reader->failed || (width && count > left / width)) {
        reader->failed = true;
        return NULL;
    }
    const char *at = reader->at;
    reader->at += count * width;
    return at;
}

static uint64_t take_number(Reader *reader)
{
    uint64_t number = 0;
    const void *at = take(reader, 1, sizeof number);
    if (at)
        memcpy(&number, at, sizeof number);
    return number;
}

static void take_table(Reader *reader, Table *table)
{
    uint64_t count = take_number(reader);
    const char *lengths = table->width ? NULL : take(reader, count, sizeof(uint32_t));
    for (uint64_t i = 0; i < count && !reader->failed; i++) {
        uint32_t length = (uint32_t)table->width;
        bool is_new = false;
        if (lengths)
            memcpy(&length, lengths + i * sizeof length, sizeof length);
        const void *bytes = take(reader, 1, length);
        if (bytes)
            table_put(table, bytes, length, &is_new);
        reader->failed |= !is_new;
    }
}

/* ---- a worker ---- */

static void put_worker(PieceWriter *out, Worker *worker, uint64_t depth)
{
    Table *tables[WORKER_TABLES];
    const WorkerSaved *saved = &worker->saved;
    tables_of(worker, tables);
    put_number(out, worker->level_begin);
    put_number(out, worker->position);
    put_number(out, worker->level_end);
    put_number(out, worker->transitions);
    for (int i = 0; i < WORKER_TABLES; i++)
        if (tables[i])
            put_table(out, tables[i], saved->tables[i]);
    put_number(out, worker->pairs.count - saved->pairs);
    if (worker->pairs.count > saved->pairs)
        put_bytes(out, worker->pairs.at + saved->pairs,
                  (worker->pairs.count - saved->pairs) * sizeof *worker->pairs.at);
    put_number(out, worker->deaths.count);
    if (worker->deaths.count)
        put_bytes(out, worker->deaths.at, worker->deaths.count * sizeof *worker->deaths.at);
    for (int j = 0; j < worker->jobs; j++) { /* messages grow within a level */
        size_t from = saved->depth == depth ? saved->out[j] : 0;
        put_number(out, from);
        put_number(out, worker->out[j].count - from);
        if (worker->out[j].count > from)
            put_bytes(out, worker->out[j].at + from, worker->out[j].count - from);
    }
}

/* All that WORKER has is in the file. */
static void note_saved(Worker *worker, uint64_t depth)
{
    Table *tables[WORKER_TABLES];
    tables_of(worker, tables);
    for (int i = 0; i < WORKER_TABLES; i++)
        worker->saved.tables[i] = tables[i] ? tables[i]->count : 0;
    worker->saved.pairs = worker->pairs.count;
    worker->saved.depth = depth;
    for (int j = 0; j < worker->jobs; j++)
        worker->saved.out[j] = worker->out[j].count;
    vec_clear(&worker->deaths);
}

static void take_pairs(Reader *reader, Worker *worker)
{
    uint64_t count = take_number(reader);
    const char *from = take(reader, count, sizeof(Pair));
    while (worker->heads.count < worker->implementations.count)
        vec_push(&worker->heads, NO_PAIR);
    for (uint64_t i = 0; i < count && !reader->failed; i++) {
        Pair pair;
        memcpy(&pair, from + i * sizeof pair, sizeof pair);
        uint32_t index = (uint32_t)worker->pairs.count;
        reader->failed |= pair.implementation >= worker->heads.count ||
                          pair.set >= worker->sets.count ||
                          pair.parent_worker >= (unsigned)worker->jobs ||
                          (pair.next != NO_PAIR && pair.next >= index);
        if (reader->failed)
            return;
        worker->heads.at[pair.implementation] = index;
        vec_push(&worker->pairs, pair);
    }
    uint64_t deaths = take_number(reader);
    const char *dead = take(reader, deaths, sizeof(uint32_t));
    for (uint64_t i = 0; i < deaths && !reader->failed; i++) {
        uint32_t index;
        memcpy(&index, dead + i * sizeof index, sizeof index);
        reader->failed |= index >= worker->pairs.count;
        if (!reader->failed)
            worker->pairs.at[index].is_dead = true;
    }
}

static void take_worker(Reader *reader, Worker *worker)
{
    Table *tables[WORKER_TABLES];
    tables_of(worker, tables);
    worker->level_begin = take_number(reader);
    worker->position = take_number(reader);
    worker->level_end = take_number(reader);
    worker->transitions = take_number(reader);
    for (int i = 0; i < WORKER_TABLES; i++)
        if (tables[i])
            take_table(reader, tables[i]);
    take_pairs(reader, worker);
    for (int j = 0; j < worker->jobs && !reader->failed; j++) {
        uint64_t from = take_number(reader), count = take_number(reader);
        const void *bytes = take(reader, count, 1);
        reader->failed |= from > worker->out[j].count;
        if (reader->failed)
            return;
        worker->out[j].count = from;
        if (count)
            buffer_append(&worker->out[j], bytes, count);
    }
    reader->failed |= worker->level_begin > worker->position ||
                      worker->position > worker->level_end ||
                      worker->level_end > worker->pairs.count;
}

/* ---- the whole ---- */

bool refine_journal_load(RefineJournal *journal, Worker *workers, int jobs, uint64_t *depth,
                         Error *error)
{
    PieceHead head;
    Buffer bytes = {0};
    bool fine = journal->jobs == (uint32_t)jobs;
    for (uint64_t at = journal->first; fine && at < journal->end; at += sizeof head + head.bytes) {
        fine = read_piece(journal->fd, at, journal->end, &head, &bytes);
        if (!fine)
            break;
        Reader reader = {bytes.at, bytes.at + bytes.count, false};
        for (int j = 0; j < jobs; j++)
            take_worker(&reader, &workers[j]);
        fine = !reader.failed && reader.at == reader.end;
        *depth = head.figures.depth;
    }
    vec_free(&bytes);
    for (int j = 0; j < jobs; j++)
        note_saved(&workers[j], *depth);
    journal->last = clock_seconds();
    return fine || error_set(error, "the journal does not fit this search: it is damaged");
}

bool refine_journal_is_due(const RefineJournal *journal)
{
    return clock_seconds() - journal->last >= MAX(journal->interval, journal->cost / MOST_COST);
}

void refine_journal_save(RefineJournal *journal, Worker *workers, int jobs,
                         const RefineFigures *figures, bool is_complete)
{
    PieceHead head = {.magic = PIECE_MAGIC,
                      .round = journal->round,
                      .jobs = (uint32_t)jobs,
                      .is_complete = is_complete,
                      .figures = *figures};
    double start = clock_seconds();
    head.figures.seconds += journal->seconds_before;
    PieceWriter *writer = malloc(sizeof *writer);
    if (!writer)
        die("out of memory");
    writer->fd = journal->fd;
    writer->begin = journal->end + sizeof head;
    writer->bytes = writer->count = 0;
    writer->hash = (Hash128){0};
    writer->failure = 0;
    for (int j = 0; j < jobs; j++)
        put_worker(writer, &workers[j], figures->depth);
    flush_piece(writer);
    head.bytes = writer->bytes;
    head.hash = piece_hash(head, writer->hash);
    /* the head comes last: with it the piece is there */
    if (!writer->failure && !write_at(journal->fd, &head, sizeof head, journal->end))
        writer->failure = errno;
    if (!writer->failure) {
        /* on its way to the disk, without waiting for it: what does not arrive whole before the
         * power fails does not count */
        (void)sync_file_range(journal->fd, (off_t)journal->end, (off_t)(sizeof head + head.bytes),
                              SYNC_FILE_RANGE_WRITE);
        journal->end += sizeof head + head.bytes;
        journal->failure[0] = 0;
        for (int j = 0; j < jobs; j++)
            note_saved(&workers[j], figures->depth);
    } else {
        snprintf(journal->failure, sizeof journal->failure, "%s", strerror(writer->failure));
        if (ftruncate(journal->fd, (off_t)journal->end) != 0)
            snprintf(journal->failure, sizeof journal->failure, "%s", strerror(errno));
    }
    free(writer);
    journal->last = clock_seconds();
    journal->cost = journal->last - start;
}
