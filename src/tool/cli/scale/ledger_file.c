/* ledger_file.c: ledgers on disk (ledger.h). */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>
#include "base/hash.h"
#include "base/file.h"
#include "base/str.h"
#include "refine/journal.h"
#include "tool/cli/scale/ledger.h"
#include "tool/report/jsontext.h"

#define MOST_BYTES (256u << 20)
#define LOCK_TRIES 50
#define LOCK_PAUSE_US 1000
#define IN_USE "another process is at work on %s"
#define NOT_OURS "is not a journal or part that heddle has written, or is damaged"
#define HEAD_BYTES (64u << 10) /* of a journal of `heddle refine`, at most */

/* ---- writing ---- */

static json_t *number(uint64_t value)
{
    return json_integer((json_int_t)value);
}

static json_t *counts_value(const UnitCounts *counts)
{
    json_t *object = json_object();
#define X(name)                                                                                    \
    if (counts->name)                                                                              \
        json_put(object, #name, number(counts->name));
    UNIT_COUNTS(X)
#undef X
    return object;
}

static json_t *hex_value(const unsigned char *bytes, size_t count)
{
    Buffer text = {0};
    vec_reserve(&text, 2 * count + 1);
    for (size_t i = 0; i < count; i++) {
        text.at[text.count++] = "0123456789abcdef"[bytes[i] >> 4];
        text.at[text.count++] = "0123456789abcdef"[bytes[i] & 15];
    }
    json_t *value = json_stringn(text.count ? text.at : "", text.count);
    vec_free(&text);
    return value;
}

static json_t *unit_value(const LedgerUnit *unit)
{
    json_t *object = json_object();
    const UnitHead *head = &unit->head;
    json_put(object, "begun", json_boolean(head->has_way));
    json_put(object, "floor", number((uint64_t)head->floor));
    json_put(object, "length", number((uint64_t)head->length));
    json_put(object, "flags", number(head->flags));
    json_put(object, "alone", number(head->alone));
    json_put(object, "executions", number(head->executions));
    json_put(object, "blocked", number(head->blocked));
    if (head->test) {
        json_put(object, "test", number(head->test));
        json_put(object, "before", counts_value(&head->before));
    }
    json_put(object, "left", json_real(head->left));
    json_put(object, "way", hex_value(unit->way, head->way_bytes));
    json_put(object, "knowledge", hex_value(unit->knowledge, head->knowledge_bytes));
    return object;
}

#define NUMBERS(X)                                                                                 \
    X(epoch)                                                                                       \
    X(tests_planned)                                                                               \
    X(tests_budget)                                                                                \
    X(promoted)                                                                                    \
    X(leak_objects)                                                                                \
    X(leak_bytes)                                                                                  \
    X(leak_pc)                                                                                     \
    X(cut_pc)                                                                                      \
    X(cpu_ns)                                                                                      \
    X(shard)                                                                                       \
    X(shards)                                                                                      \
    X(depth)
#define TEXTS(X)                                                                                   \
    X(subject)                                                                                     \
    X(command)                                                                                     \
    X(verdict)                                                                                     \
    X(violation)                                                                                   \
    X(message)                                                                                     \
    X(reason)                                                                                      \
    X(bounds)                                                                                      \
    X(coverage)                                                                                    \
    X(record)
#define LISTS(X) X(remarks) X(notes)

static json_t *ledger_value(const Ledger *ledger)
{
    json_t *object = json_object(), *facts = json_array(), *units = json_array();
    if (!object || !facts || !units)
        die("out of memory");
    json_put(object, "heddle", json_text("ledger"));
    json_put(object, "format", number(LEDGER_FORMAT));
    for (size_t i = 0; i < ledger->facts.count; i++) {
        json_push(facts, json_text(ledger->facts.at[i].name));
        json_push(facts, json_text(ledger->facts.at[i].value));
    }
    json_put(object, "facts", facts);
    json_put(object, "counts", counts_value(&ledger->counts));
#define X(name) json_put(object, #name, number(ledger->name));
    NUMBERS(X)
#undef X
#define X(name) json_put(object, #name, json_text(ledger->name));
    TEXTS(X)
#undef X
    json_put(object, "seconds", json_real(ledger->seconds));
    json_put(object, "exhaustive", json_boolean(ledger->exhaustive));
    json_put(object, "complete", json_boolean(ledger->complete));
    json_put(object, "knowledge", hex_value(ledger->knowledge, ledger->knowledge_bytes));
    json_put(object, "tests_done", hex_value(ledger->tests_done, ledger->tests_bytes));
    json_put(object, "tests_put_off", hex_value(ledger->tests_put_off, ledger->tests_bytes));
    json_put(object, "samples", hex_value(ledger->samples, ledger->samples_bytes));
    json_put(object, "kept", hex_value(ledger->kept, ledger->kept_bytes));
#define X(name)                                                                                    \
    json_t *name = json_array();                                                                   \
    for (size_t i = 0; name && i < ledger->name.count; i++)                                        \
        json_push(name, json_text(ledger->name.at[i]));                                            \
    json_put(object, #name, name);
    LISTS(X)
#undef X
    for (size_t i = 0; i < ledger->units.count; i++)
        json_push(units, unit_value(&ledger->units.at[i]));
    json_put(object, "units", units);
    return object;
}

static bool write_all(int fd, const char *bytes, size_t count)
{
    while (count) {
        ssize_t written = write(fd, bytes, count);
        if (written < 0 && errno == EINTR)
            continue;
        if (written <= 0) {
            errno = written ? errno : ENOSPC;
            return false;
        }
        bytes += written;
        count -= (size_t)written;
    }
    return true;
}

typedef enum Locked { LOCKED_HERE, LOCKED_ELSEWHERE, LOCKED_NOT_THERE /* errno says why */ } Locked;

/* Opens PATH with FLAGS and locks it. */
static Locked lock_file(const char *path, int flags, int *fd, Error *error)
{
    for (;;) {
        struct stat at_path, opened;
        *fd = file_open_kept(path, flags, error);
        if (*fd < 0)
            return LOCKED_NOT_THERE;
        bool locked = flock(*fd, LOCK_EX | LOCK_NB) == 0;
        /* another process may have put a new file in its place just before */
        if (locked && lstat(path, &at_path) == 0 && fstat(*fd, &opened) == 0 &&
            at_path.st_ino == opened.st_ino && at_path.st_dev == opened.st_dev)
            return LOCKED_HERE;
        close(*fd);
        *fd = -1;
        if (!locked)
            return LOCKED_ELSEWHERE;
    }
}

/* The file beside PATH is written under its lock, which stays with it when it is renamed. So of two
 * processes that begin a journal at the same time, one finds the other's lock, or, since whoever
 * renames holds the file that is called so, the other's journal: it is refused. */
bool ledger_write(const char *path, const Ledger *ledger, int *fd, Error *error)
{
    json_t *object = ledger_value(ledger);
    char *text = json_dumps(object, JSON_COMPACT | JSON_PRESERVE_ORDER);
    json_decref(object);
    if (!text)
        return error_set(error, "%s can't be written: a name in it is not UTF-8", path);
    size_t bytes = strlen(text);
    Buffer whole = {0}, beside = {0};
    buffer_append(&whole, text, bytes);
    buffer_printf(&whole, "\n%016" PRIx64 "\n", hash_bytes(text, bytes, LEDGER_FORMAT));
    buffer_printf(&beside, "%s.new", path);
    free(text);
    Error why = {0};
    int file;
    Locked locked = lock_file(beside.at, O_RDWR | O_CREAT, &file, &why);
    bool is_taken = locked == LOCKED_ELSEWHERE ||
                    (locked == LOCKED_HERE && fd && *fd < 0 && access(path, F_OK) == 0);
    /* It must be on disk before it takes the other's place: a machine may lose its power. */
    bool fine = locked == LOCKED_HERE && !is_taken && ftruncate(file, 0) == 0 &&
                write_all(file, whole.at, whole.count) && fsync(file) == 0 &&
                rename(beside.at, path) == 0;
    int reason = errno;
    if (!fine && file >= 0)
        unlink(beside.at);
    vec_free(&whole);
    vec_free(&beside);
    int done = file;
    if (fine && fd) {
        done = *fd;
        *fd = file;
    }
    if (done >= 0)
        close(done);
    if (is_taken)
        return error_set(error, IN_USE, path);
    if (locked == LOCKED_NOT_THERE)
        return error_set(error, "%s can't be written: %s", path, why.message);
    return fine || error_set(error, "%s can't be written: %s", path, strerror(reason));
}

bool ledger_lock(const char *path, int flags, int *fd, Error *error)
{
    /* who asks whether it is in use holds the lock for a moment */
    Locked locked = lock_file(path, flags, fd, error);
    for (int i = 0; locked == LOCKED_ELSEWHERE && i < LOCK_TRIES; i++) {
        usleep(LOCK_PAUSE_US);
        locked = lock_file(path, flags, fd, error);
    }
    if (locked == LOCKED_ELSEWHERE)
        return error_set(error, IN_USE, path);
    return locked == LOCKED_HERE || errno == ENOENT; /* else *error says why */
}

bool ledger_is_in_use(const char *path)
{
    int fd = file_open(path, NULL);
    bool in_use = fd >= 0 && flock(fd, LOCK_SH | LOCK_NB) != 0 && errno == EWOULDBLOCK;
    if (fd >= 0)
        close(fd);
    return in_use;
}

/* ---- reading ---- */

static bool read_number(const json_t *object, const char *name, uint64_t most, uint64_t *to)
{
    const json_t *value = json_object_get(object, name);
    json_int_t found = json_integer_value(value);
    if (value && (!json_is_integer(value) || found < 0 || (uint64_t)found > most))
        return false;
    *to = (uint64_t)found;
    return true;
}

static bool read_counts(const json_t *object, UnitCounts *to)
{
    bool fine = true;
#define X(name) fine = fine && read_number(object, #name, INT64_MAX, &to->name);
    UNIT_COUNTS(X)
#undef X
    return fine;
}

static int hex_digit(char c)
{
    return c >= '0' && c <= '9' ? c - '0' : c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

static bool read_hex(Arena *arena, const json_t *value, uint32_t most, const unsigned char **to,
                     uint32_t *bytes)
{
    size_t length = json_string_length(value);
    const char *text = json_string_value(value);
    if (!text || length % 2 || length / 2 > most)
        return false;
    unsigned char *at = arena_array_of(arena, unsigned char, length / 2 + 1);
    for (size_t i = 0; i < length / 2; i++) {
        int high = hex_digit(text[2 * i]), low = hex_digit(text[2 * i + 1]);
        if (high < 0 || low < 0)
            return false;
        at[i] = (unsigned char)(high << 4 | low);
    }
    *to = at;
    *bytes = (uint32_t)(length / 2);
    return true;
}

static bool read_unit(Arena *arena, const json_t *object, LedgerUnit *unit)
{
    UnitHead *head = &unit->head;
    uint64_t floor = 0, length = 0, flags = 0, alone = 0;
    bool fine = read_number(object, "floor", UNITS_WAY_BYTES, &floor) &&
                read_number(object, "length", UNITS_WAY_BYTES, &length) && floor <= length &&
                read_number(object, "flags", UINT32_MAX, &flags) &&
                read_number(object, "alone", UNIT_IS_WHOLE, &alone) &&
                read_number(object, "executions", UINT64_MAX, &head->executions) &&
                read_number(object, "blocked", UINT64_MAX, &head->blocked) &&
                read_number(object, "test", UNITS_TESTS, &head->test) &&
                read_counts(json_object_get(object, "before"), &head->before) &&
                read_hex(arena, json_object_get(object, "way"), UNITS_WAY_BYTES, &unit->way,
                         &head->way_bytes) &&
                read_hex(arena, json_object_get(object, "knowledge"), UNITS_KNOWLEDGE_BYTES,
                         &unit->knowledge, &head->knowledge_bytes);
    head->has_way = json_is_true(json_object_get(object, "begun"));
    head->floor = (int32_t)floor;
    head->length = (int32_t)length;
    head->flags = (uint32_t)flags;
    head->alone = (uint32_t)alone;
    head->left = json_number_value(json_object_get(object, "left"));
    return fine;
}

static const char *copy_text(Arena *arena, const json_t *value)
{
    return json_is_string(value)
               ? arena_copy(arena, json_string_value(value), json_string_length(value))
               : NULL;
}

static bool read_value(Arena *arena, const json_t *object, Ledger *ledger)
{
    const json_t *facts = json_object_get(object, "facts");
    for (size_t i = 0; i + 1 < json_array_size(facts); i += 2) {
        LedgerFact fact = {copy_text(arena, json_array_get(facts, i)),
                           copy_text(arena, json_array_get(facts, i + 1))};
        if (!fact.name || !fact.value)
            return false;
        vec_push(&ledger->facts, fact);
    }
#define X(name)                                                                                    \
    uint64_t name = 0;                                                                             \
    if (!read_number(object, #name, sizeof ledger->name == 4 ? UINT32_MAX : INT64_MAX, &name))     \
        return false;                                                                              \
    ledger->name = (__typeof__(ledger->name))name;
    NUMBERS(X)
#undef X
#define X(name) ledger->name = copy_text(arena, json_object_get(object, #name));
    TEXTS(X)
#undef X
    ledger->seconds = json_number_value(json_object_get(object, "seconds"));
    ledger->exhaustive = json_is_true(json_object_get(object, "exhaustive"));
    ledger->complete = json_is_true(json_object_get(object, "complete"));
#define X(name)                                                                                    \
    const json_t *name = json_object_get(object, #name);                                           \
    for (size_t i = 0; i < json_array_size(name); i++) {                                           \
        const char *text = copy_text(arena, json_array_get(name, i));                              \
        if (!text)                                                                                 \
            return false;                                                                          \
        vec_push(&ledger->name, text);                                                             \
    }
    LISTS(X)
#undef X
    const json_t *units = json_object_get(object, "units");
    for (size_t i = 0; i < json_array_size(units); i++) {
        LedgerUnit unit = {0};
        if (!read_unit(arena, json_array_get(units, i), &unit))
            return false;
        vec_push(&ledger->units, unit);
    }
    uint32_t put_off_bytes;
    return ledger->facts.count && ledger->subject && ledger->command &&
           (!ledger->shards || ledger->shard < ledger->shards) &&
           read_counts(json_object_get(object, "counts"), &ledger->counts) &&
           read_hex(arena, json_object_get(object, "knowledge"), UNITS_KNOWLEDGE_BYTES,
                    &ledger->knowledge, &ledger->knowledge_bytes) &&
           read_hex(arena, json_object_get(object, "tests_done"), UNITS_TESTS / 8,
                    &ledger->tests_done, &ledger->tests_bytes) &&
           read_hex(arena, json_object_get(object, "tests_put_off"), UNITS_TESTS / 8,
                    &ledger->tests_put_off, &put_off_bytes) &&
           put_off_bytes == ledger->tests_bytes &&
           read_hex(arena, json_object_get(object, "samples"), sizeof(UnitSamples),
                    &ledger->samples, &ledger->samples_bytes) &&
           read_hex(arena, json_object_get(object, "kept"), MOST_BYTES / 4, &ledger->kept,
                    &ledger->kept_bytes);
}

bool ledger_parse(Arena *arena, const char *path, Str text, Ledger *ledger, Error *error)
{
    char hash[20];
    const char *line = memchr(text.at, '\n', text.length);
    size_t length = line ? (size_t)(line - text.at) : 0;
    snprintf(hash, sizeof hash, "%016" PRIx64 "\n", hash_bytes(text.at, length, LEDGER_FORMAT));
    bool whole =
        line && str_equal((Str){line + 1, text.length - length - 1}, (Str){hash, strlen(hash)});
    json_error_t ignored;
    json_t *object = whole ? json_loadb(text.at, length, 0, &ignored) : NULL;
    uint64_t format = 0;
    bool ours = object && read_number(object, "format", INT64_MAX, &format);
    *ledger = (Ledger){0};
    bool fine = ours && format == LEDGER_FORMAT && read_value(arena, object, ledger);
    json_decref(object);
    if (!fine)
        ledger_free(ledger);
    if (ours && format != LEDGER_FORMAT)
        return error_set(error, "%s was written by another version of heddle", path);
    return fine || error_set(error, "%s " NOT_OURS, path);
}

bool ledger_read_head(Arena *arena, const char *path, int fd, Ledger *ledger, uint64_t *bytes,
                      Error *error)
{
    char *text = arena_alloc(arena, HEAD_BYTES + 1);
    ssize_t got = pread(fd, text, HEAD_BYTES, 0);
    const char *line = got > 0 ? memchr(text, '\n', (size_t)got) : NULL;
    const char *end = line ? memchr(line + 1, '\n', (size_t)(text + got - line - 1)) : NULL;
    *bytes = end ? (uint64_t)(end + 1 - text) : 0;
    return ledger_parse(arena, path, (Str){text, *bytes}, ledger, error);
}

/* The journal of `heddle refine`: *IS_ONE tells. Its pieces follow the ledger. */
static bool read_states(Arena *arena, const char *path, Ledger *ledger, bool *is_one, Error *error)
{
    Error ignored = {0};
    RefineJournal journal = {.fd = file_open(path, &ignored)};
    *is_one = journal.fd >= 0 &&
              ledger_read_head(arena, path, journal.fd, ledger, &journal.begin, &ignored);
    if (*is_one && strcmp(ledger->command, "refine") != 0) {
        ledger_free(ledger);
        *is_one = false;
    }
    bool fine = *is_one && refine_journal_scan(&journal, error);
    if (fine) {
        ledger->states = journal.figures;
        ledger->seconds = journal.figures.seconds;
        ledger->complete = journal.is_complete;
        ledger->verdict = journal.is_complete ? "holds" : NULL;
    }
    if (journal.fd >= 0)
        close(journal.fd);
    return fine;
}

bool ledger_read(Arena *arena, const char *path, Ledger *ledger, Error *error)
{
    *ledger = (Ledger){0}; /* callers free it whatever the result */
    Buffer text = {0};
    bool is_one, of_states = read_states(arena, path, ledger, &is_one, error);
    if (is_one)
        return of_states;
    bool fine = file_read_at_most(path, MOST_BYTES, &text, error) &&
                ledger_parse(arena, path, buffer_str(&text), ledger, error);
    vec_free(&text);
    return fine;
}
