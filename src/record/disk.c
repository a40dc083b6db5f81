#include "record/disk.h"
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>
#include "base/file.h"
#include "base/hash.h"
#include "base/str.h"
#include "record/check.h"

#define MAGIC "heddle record\n"
#define MAGIC_BYTES (sizeof MAGIC - 1)
#define MOST_STRING (1u << 20)

/* Sizes that must agree between writer and reader. */
static const uint32_t layout[] = {
    DISK_VERSION,           sizeof(RecordEvent), sizeof(RecordObject), sizeof(RecordThread),
    sizeof(ExploreOptions), RECORD_KIND_COUNT,   VIOLATION_KIND_COUNT};

/* ---- writing ---- */

static void put_number(Buffer *to, uint64_t number)
{
    unsigned char bytes[8];
    for (int i = 0; i < 8; i++)
        bytes[i] = (unsigned char)(number >> (8 * i));
    buffer_append(to, bytes, sizeof bytes);
}

static void put_string(Buffer *to, const char *text)
{
    size_t length = text ? strlen(text) : 0;
    put_number(to, length);
    buffer_append(to, text, length);
}

static void put_strings(Buffer *to, const RecordStrings *strings)
{
    put_number(to, strings->count);
    for (uint32_t i = 0; i < strings->count; i++)
        put_string(to, strings->at[i]);
}

static void put_array(Buffer *to, const void *elements, uint32_t count, size_t size)
{
    put_number(to, count);
    buffer_append(to, elements, count * size);
}

static void put_file(Buffer *to, const RecordFile *file)
{
    put_string(to, file->tool);
    put_string(to, file->command);
    put_string(to, file->folder);
    put_string(to, file->compiler);
    put_string(to, file->machine);
    put_strings(to, &file->files);
    put_strings(to, &file->compile);
    put_strings(to, &file->link);
    put_strings(to, &file->arguments);
    put_number(to, file->source_count);
    for (uint32_t i = 0; i < file->source_count; i++) {
        put_string(to, file->sources[i].path);
        put_number(to, file->sources[i].bytes);
        put_number(to, file->sources[i].hash);
    }
    put_array(to, &file->options, 1, sizeof file->options);
    const Record *record = &file->record;
    put_number(to, record->violation);
    put_number(to, record->model);
    put_number(to, record->message);
    put_number(to, record->load_base);
    put_number(to, record->pc);
    for (int i = 0; i < RECORD_CALLERS; i++)
        put_number(to, record->callers[i]);
    put_array(to, record->events, record->event_count, sizeof(RecordEvent));
    put_array(to, record->objects, record->object_count, sizeof(RecordObject));
    put_array(to, record->threads, record->thread_count, sizeof(RecordThread));
    put_array(to, record->text, record->text_bytes, 1);
    put_array(to, file->page.at, file->page.count, 1);
    put_array(to, file->whole_page.at, file->whole_page.count, 1);
}

bool disk_write(const char *path, const RecordFile *file, Error *error)
{
    Buffer body = {0}, head = {0};
    put_file(&body, file);
    buffer_append(&head, MAGIC, MAGIC_BYTES);
    for (size_t i = 0; i < COUNT_OF(layout); i++)
        put_number(&head, layout[i]);
    put_number(&head, body.count);
    put_number(&head, hash_bytes(body.at, body.count, 0));

    FileWriter out;
    file_begin(&out, path);
    fwrite(head.at, 1, head.count, out.stream);
    fwrite(body.at, 1, body.count, out.stream);
    bool written = file_commit(&out, error);
    vec_free(&head);
    vec_free(&body);
    return written;
}

/* ---- reading ---- */

typedef struct Reader {
    Arena *arena;
    const unsigned char *at;
    size_t left;
    bool failed; /* ran out of bytes: all that follows is zero */
} Reader;

static const void *take(Reader *reader, size_t count)
{
    if (reader->failed || count > reader->left) {
        reader->failed = true;
        return NULL;
    }
    const void *bytes = reader->at;
    reader->at += count;
    reader->left -= count;
    return bytes;
}

static uint64_t take_number(Reader *reader)
{
    const unsigned char *bytes = take(reader, 8);
    uint64_t number = 0;
    for (int i = 0; bytes && i < 8; i++)
        number |= (uint64_t)bytes[i] << (8 * i);
    return number;
}

static const char *take_string(Reader *reader)
{
    uint64_t length = take_number(reader);
    const char *bytes = length <= MOST_STRING ? take(reader, length) : NULL;
    /* a zero inside would make two readers disagree about its end */
    if (!bytes || memchr(bytes, 0, length)) {
        reader->failed = true;
        return "";
    }
    return arena_copy(reader->arena, bytes, length);
}

/* How many elements of SIZE bytes follow; no more than there are bytes left. */
static uint32_t take_count(Reader *reader, size_t size)
{
    uint64_t count = take_number(reader);
    if (count > reader->left / size || count > UINT32_MAX - 2) {
        reader->failed = true;
        return 0;
    }
    return (uint32_t)count;
}

static void take_strings(Reader *reader, RecordStrings *out)
{
    out->count = take_count(reader, 8);
    out->at = arena_array_of(reader->arena, const char *, out->count + 1);
    for (uint32_t i = 0; i < out->count; i++)
        out->at[i] = take_string(reader);
}

static void *take_array(Reader *reader, uint32_t *count, size_t size)
{
    *count = take_count(reader, size);
    const void *bytes = take(reader, *count * size);
    if (!bytes)
        *count = 0;
    return arena_copy(reader->arena, bytes, *count * size);
}

static void take_file(Reader *reader, RecordFile *out)
{
    out->tool = take_string(reader);
    out->command = take_string(reader);
    out->folder = take_string(reader);
    out->compiler = take_string(reader);
    out->machine = take_string(reader);
    take_strings(reader, &out->files);
    take_strings(reader, &out->compile);
    take_strings(reader, &out->link);
    take_strings(reader, &out->arguments);
    out->source_count = take_count(reader, 24);
    out->sources = arena_array_of(reader->arena, RecordSource, out->source_count + 1);
    for (uint32_t i = 0; i < out->source_count; i++) {
        out->sources[i].path = take_string(reader);
        out->sources[i].bytes = take_number(reader);
        out->sources[i].hash = take_number(reader);
    }
    uint32_t one;
    const ExploreOptions *options = take_array(reader, &one, sizeof *options);
    if (one == 1)
        out->options = *options;
    else
        reader->failed = true;
    Record *record = &out->record;
    uint64_t violation = take_number(reader), model = take_number(reader);
    record->violation = (uint32_t)MIN(violation, UINT32_MAX);
    record->model = (uint32_t)MIN(model, UINT32_MAX);
    record->message = take_number(reader);
    record->load_base = take_number(reader);
    record->pc = take_number(reader);
    for (int i = 0; i < RECORD_CALLERS; i++)
        record->callers[i] = take_number(reader);
    record->events = take_array(reader, &record->event_count, sizeof(RecordEvent));
    record->objects = take_array(reader, &record->object_count, sizeof(RecordObject));
    record->threads = take_array(reader, &record->thread_count, sizeof(RecordThread));
    record->text = take_array(reader, &record->text_bytes, 1);
    out->page.at = take_array(reader, &out->page.count, 1);
    out->whole_page.at = take_array(reader, &out->whole_page.count, 1);
}

bool disk_parse(Arena *arena, const char *path, const void *bytes, size_t count, RecordFile *out,
                Error *error)
{
    *out = (RecordFile){0};
    Reader reader = {.arena = arena, .at = bytes, .left = count};
    const void *magic = take(&reader, MAGIC_BYTES);
    if (!magic || memcmp(magic, MAGIC, MAGIC_BYTES) != 0)
        return error_at(error, path, 0, 0, "not a record of heddle");
    uint64_t version = take_number(&reader);
    if (!reader.failed && version != DISK_VERSION)
        return error_at(error, path, 0, 0, "a record of version %llu; this tool reads version %d",
                        (unsigned long long)version, DISK_VERSION);
    for (size_t i = 1; i < COUNT_OF(layout); i++)
        if (take_number(&reader) != layout[i] && !reader.failed)
            return error_at(error, path, 0, 0, "written by a tool with other structures");
    uint64_t length = take_number(&reader), hash = take_number(&reader);
    if (reader.failed || reader.left < length)
        return error_at(error, path, 0, 0, "the record is truncated");
    if (reader.left > length)
        return error_at(error, path, 0, 0, "the record is damaged: there are bytes after its end");
    if (hash_bytes(reader.at, reader.left, 0) != hash)
        return error_at(error, path, 0, 0,
                        "the record is damaged: its contents do not match its hash");
    take_file(&reader, out);
    if (reader.failed || reader.left)
        return error_at(error, path, 0, 0, "the record is damaged: its parts do not fit");
    Error why = {0};
    if (!record_check(&out->record, &why) || !record_check_options(&out->options, &why))
        return error_at(error, path, 0, 0, "the record is damaged: %.900s", why.message);
    return true;
}

bool disk_read(Arena *arena, const char *path, RecordFile *out, Error *error)
{
    Buffer bytes = {0};
    bool read = file_read(path, &bytes, error) &&
                disk_parse(arena, path, bytes.at, bytes.count, out, error);
    vec_free(&bytes);
    return read;
}
