/* Feeds the readers of every kind of file with broken input: `files KIND COUNT SEED FILE...`. The
 * files (tests/fuzz/corpus/KIND) are what is mutated, by a generator that a seed determines. What
 * still is a log is checked too, with small limits. Records and ledgers get a valid hash again, so
 * that what is behind it is reached. A crash or a hang (an alarm) prints the seed of the input; the
 * same seed with COUNT 1 repeats it.
 * With -DKIND=KIND_LOG and so on it is a target of libFuzzer, which AFL++ runs as well. */
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "base/file.h"
#include "base/hash.h"
#include "model/model.h"
#include "prove/read/text.h"
#include "record/disk.h"
#include "tool/cli/project/toml.h"
#include "tool/cli/scale/ledger.h"
#include "tool/instrument/annotate/annotation.h"
#include "tool/report/page/packed.h"
#include "tests/fuzz/read_history.h"

#define MOST_BYTES (1u << 16)
#define KINDS(X)                                                                                   \
    X(RECORD, record)                                                                              \
    X(TOML, toml)                                                                                  \
    X(HP, hp)                                                                                      \
    X(HM, hm)                                                                                      \
    X(LOG, log)                                                                                    \
    X(ANNOTATION, annotation)                                                                      \
    X(LEDGER, ledger)                                                                              \
    X(RUN, run)

typedef enum Kind {
#define X(name, word) KIND_##name,
    KINDS(X)
#undef X
        KIND_COUNT
} Kind;
static const char *const kinds[] = {
#define X(name, word) #word,
    KINDS(X)
#undef X
};
static uint64_t current;
static const char *kind_word;

static bool read_record(Arena *arena, Str input, Error *error)
{
    RecordFile file;
    if (!disk_parse(arena, "fuzz", input.at, input.length, &file, error))
        return false;
    Error ignored;
    json_decref(packed_open(&file.page, &ignored));
    json_decref(packed_open(&file.whole_page, &ignored));
    return true;
}

static bool read_toml(Arena *arena, Str input, Error *error)
{
    TomlDocument document;
    return toml_parse(arena, "fuzz", input, &document, error);
}

static bool read_hp(Arena *arena, Str input, Error *error)
{
    IrProgram *program;
    return text_read(arena, "fuzz", input, &program, error);
}

static bool read_hm(Arena *arena, Str input, Error *error)
{
    const Model *model;
    return model_read_text(arena, "fuzz", input, &(ModelOptions){0}, &model, error);
}

static bool read_annotation(Arena *arena, Str input, Error *error)
{
    Annotations annotations = {0};
    AnnotationWords names = {0};
    annotation_declared_names(arena, input, &names);
    return annotation_read(arena, "fuzz", input, &annotations, error);
}

static bool read_ledger(Arena *arena, Str input, Error *error)
{
    Ledger ledger;
    if (!ledger_parse(arena, "fuzz", input, &ledger, error))
        return false;
    ledger_free(&ledger);
    return true;
}

/* The head of a record: the magic line, seven numbers, then the length and the hash of the rest. */
enum { RECORD_LENGTH = 14 + 7 * 8, RECORD_HASH = RECORD_LENGTH + 8, RECORD_BODY = RECORD_HASH + 8 };

static void put_number(char *to, uint64_t number)
{
    for (int i = 0; i < 8; i++)
        to[i] = (char)(number >> (8 * i));
}

/* Makes the hash of TEXT right; its length, which may change, is returned. There is room. */
static size_t mend_hash(Kind kind, char *text, size_t length)
{
    if (kind == KIND_RECORD && length >= RECORD_BODY) {
        put_number(text + RECORD_LENGTH, length - RECORD_BODY);
        put_number(text + RECORD_HASH, hash_bytes(text + RECORD_BODY, length - RECORD_BODY, 0));
    }
    if (kind == KIND_LEDGER) {
        char *end = memchr(text, '\n', length);
        size_t line = end ? (size_t)(end - text) : length;
        length = line + (size_t)snprintf(text + line, 24, "\n%016" PRIx64 "\n",
                                         hash_bytes(text, line, LEDGER_FORMAT));
    }
    return length;
}

static bool read_one(Kind kind, char *text, size_t length)
{
    static bool (*const readers[])(Arena *, Str, Error *) = {
#define X(name, word) read_##word,
        KINDS(X)
#undef X
    };
    Arena *arena = arena_new();
    Error error = {0};
    length = mend_hash(kind, text, length);
    bool fine = readers[kind](arena, (Str){text, length}, &error);
    if (!fine && !error.message[0]) {
        fprintf(stderr, "an error without a message: files %s 1 %" PRIu64 "\n", kind_word, current);
        abort();
    }
    arena_free(arena);
    return fine;
}

#ifdef KIND
int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t count);
int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t count)
{
    static char text[MOST_BYTES + 64];
    kind_word = kinds[KIND];
    memcpy(text, bytes, MIN(count, MOST_BYTES));
    read_one(KIND, text, MIN(count, MOST_BYTES));
    return 0;
}
#else
/* Words that mean something somewhere. */
static const char *const pieces[] = {"(",
                                     ")",
                                     "[",
                                     "]",
                                     "{",
                                     "}",
                                     "\"",
                                     "\\",
                                     "\\u",
                                     "\n",
                                     "==",
                                     "=>",
                                     "&&",
                                     "||",
                                     "!",
                                     "-",
                                     "op",
                                     "struct",
                                     "global",
                                     "spec",
                                     "none",
                                     "each",
                                     "live",
                                     "NULL",
                                     "[[test]]",
                                     "= [",
                                     "\xff\xfe",
                                     "\t",
                                     "//",
                                     "if",
                                     "while",
                                     "atomic",
                                     "return",
                                     ";",
                                     ":",
                                     "<",
                                     ">",
                                     "((((((((((((((((",
                                     "[[[[[[[[[[[[[[[[",
                                     "\0\0\0\0",
                                     ":invoke",
                                     ":ok",
                                     ":fail",
                                     ":info",
                                     "#",
                                     "#_",
                                     "#{",
                                     "nil",
                                     "null",
                                     ":process",
                                     ":value",
                                     "\"seq\":",
                                     "\"process\":",
                                     "\"type\":\"call\"",
                                     "\"args\":[",
                                     "<history>",
                                     "</history>",
                                     "1[",
                                     "]1",
                                     "<op id=\"1\"",
                                     "&quot;",
                                     ",",
                                     " - 0 ",
                                     "/**",
                                     "*/",
                                     "@Interface:",
                                     "@Label:",
                                     "@ID",
                                     "->",
                                     "|",
                                     "99999999999999999999",
                                     "-9223372036854775808",
                                     "18446744073709551615"};

static void stopped(int number)
{
    fprintf(stderr, "%s (signal %d): files %s 1 %" PRIu64 "\n",
            number == SIGALRM ? "hang" : "crash", number, kind_word, current);
    _exit(1);
}

/* From byte FROM on; the new length. */
static size_t mutate(Random *random, char *text, size_t length, size_t from)
{
    for (uint64_t n = 1 + random_below(random, 6); n-- > 0 && length > from;) {
        size_t at = from + random_below(random, length - from);
        size_t span = 1 + random_below(random, MIN(length - at, 40u));
        const char *piece = pieces[random_below(random, COUNT_OF(pieces))];
        size_t size = MAX(strlen(piece), 1u);
        switch (random_below(random, 6)) {
        case 0: /* another byte */
            text[at] = (char)random_next(random);
            break;
        case 1: /* leave something out */
            memmove(text + at, text + at + span, length - at - span);
            length -= span;
            break;
        case 2: /* say it twice */
            if (length + span < MOST_BYTES) {
                memmove(text + at + span, text + at, length - at);
                length += span;
            }
            break;
        case 3: /* cut off */
            if (random_below(random, 4) == 0)
                length = at;
            break;
        default:
            if (length + size < MOST_BYTES) {
                memmove(text + at + size, text + at, length - at);
                memcpy(text + at, piece, size);
                length += size;
            }
        }
    }
    return length;
}

int main(int argc, char **argv)
{
    Kind kind = 0;
    while (argc > 4 && kind < KIND_COUNT && strcmp(argv[1], kinds[kind]) != 0)
        kind++;
    if (argc < 5 || kind == KIND_COUNT)
        return 2;
    kind_word = kinds[kind];
    uint64_t count = strtoull(argv[2], NULL, 0), seed = strtoull(argv[3], NULL, 0), read = 0;
    static const int signals[] = {SIGALRM, SIGSEGV, SIGABRT, SIGBUS, SIGFPE};
    for (size_t i = 0; i < COUNT_OF(signals); i++)
        signal(signals[i], stopped);
    static char text[MOST_BYTES + 64];
    Vec(Buffer) files = {0};
    Error error = {0};
    for (int i = 4; i < argc; i++) {
        Buffer file = {0};
        if (!file_read(argv[i], &file, &error) || file.count >= MOST_BYTES)
            return 2;
        vec_push(&files, file);
    }
    for (uint64_t i = 0; i < count; i++) {
        current = seed + i;
        Random random = {current};
        const Buffer *from = &files.at[random_below(&random, files.count)];
        size_t body = kind == KIND_RECORD ? MIN((size_t)RECORD_BODY, from->count) : 0;
        memcpy(text, from->at, from->count);
        size_t length = mutate(&random, text, from->count, body);
        if (i % 256 == 0)
            alarm(20);
        read += read_one(kind, text, length);
    }
    for (size_t i = 0; i < files.count; i++)
        vec_free(&files.at[i]);
    vec_free(&files);
    printf("%s: %" PRIu64 " inputs, %" PRIu64 " readable\n", kind_word, count, read);
    return 0;
}
#endif
