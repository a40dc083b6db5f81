/* Feeds the readers of every other kind of file with broken input: `files KIND COUNT [SEED]
 * FILE...`. KIND is record, toml, hp or hm; the files are what is mutated, by a generator that a
 * seed determines. A record gets a valid hash again, so that what is behind it is reached. A crash
 * or a hang (an alarm) prints the seed of the input; the same seed with COUNT 1 repeats it.
 * LLVMFuzzerTestOneInput is the same for libFuzzer and AFL++, with -DKIND=... */
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
#include "tool/report/page/packed.h"

#define MOST_BYTES (1u << 16)

typedef enum Kind { KIND_RECORD, KIND_TOML, KIND_HP, KIND_HM } Kind;
static const char *const kinds[] = {"record", "toml", "hp", "hm"};
static const char *const pieces[] = {"(",
                                     ")",
                                     "[",
                                     "]",
                                     "{",
                                     "}",
                                     "\"",
                                     "\\",
                                     "\n",
                                     "==",
                                     "=>",
                                     "&&",
                                     "||",
                                     "!",
                                     "-",
                                     "99999999999999999999",
                                     "-9223372036854775808",
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
                                     "\0\0\0\0"};
static uint64_t current;
static const char *kind_word;

static void stopped(int number)
{
    fprintf(stderr, "%s (signal %d): files %s 1 %llu\n", number == SIGALRM ? "hang" : "crash",
            number, kind_word, (unsigned long long)current);
    _exit(1);
}

static bool read_one(Kind kind, const char *text, size_t length)
{
    Arena *arena = arena_new();
    Error error = {0};
    bool fine = false;
    Str input = {text, length};
    if (kind == KIND_RECORD) {
        RecordFile file;
        fine = disk_parse(arena, "fuzz", text, length, &file, &error);
        if (fine) {
            Error ignored;
            json_decref(packed_open(&file.page, &ignored));
            json_decref(packed_open(&file.whole_page, &ignored));
        }
    } else if (kind == KIND_TOML) {
        TomlDocument document;
        fine = toml_parse(arena, "fuzz", input, &document, &error);
    } else if (kind == KIND_HP) {
        IrProgram *program;
        fine = text_read(arena, "fuzz", input, &program, &error);
    } else {
        const Model *model;
        fine = model_read_text(arena, "fuzz", input, &(ModelOptions){0}, &model, &error);
    }
    if (!fine && !error.message[0]) {
        fprintf(stderr, "an error without a message: files %s 1 %llu\n", kind_word,
                (unsigned long long)current);
        exit(1);
    }
    arena_free(arena);
    return fine;
}

#ifdef KIND
int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t count);
int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t count)
{
    kind_word = kinds[KIND];
    read_one(KIND, (const char *)bytes, count);
    return 0;
}
#else
static size_t mutate(Random *random, char *text, size_t length, size_t from)
{
    for (uint64_t n = 1 + random_below(random, 6); n-- > 0 && length > from;) {
        size_t at = from + random_below(random, length - from);
        size_t span = 1 + random_below(random, MIN(length - at, 40u));
        const char *piece = pieces[random_below(random, COUNT_OF(pieces))];
        size_t size = MAX(strlen(piece), 1u);
        switch (random_below(random, 5)) {
        case 0:
            text[at] = (char)random_next(random);
            break;
        case 1:
            memmove(text + at, text + at + span, length - at - span);
            length -= span;
            break;
        case 2:
            if (length + span < MOST_BYTES) {
                memmove(text + at + span, text + at, length - at);
                length += span;
            }
            break;
        case 3:
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

static void put_number(char *to, uint64_t number)
{
    for (int i = 0; i < 8; i++)
        to[i] = (char)(number >> (8 * i));
}

/* The head of a record: the magic line, seven numbers, then the length and the hash of the rest. */
enum { RECORD_LENGTH = 14 + 7 * 8, RECORD_HASH = RECORD_LENGTH + 8, RECORD_BODY = RECORD_HASH + 8 };

int main(int argc, char **argv)
{
    Kind kind = KIND_RECORD;
    while (argc > 4 && kind < KIND_HM && strcmp(argv[1], kinds[kind]) != 0)
        kind++;
    if (argc < 5 || strcmp(argv[1], kinds[kind]) != 0)
        return 2;
    kind_word = kinds[kind];
    uint64_t count = strtoull(argv[2], NULL, 0), seed = strtoull(argv[3], NULL, 0), read = 0;
    static const int signals[] = {SIGALRM, SIGSEGV, SIGABRT, SIGBUS, SIGFPE};
    for (size_t i = 0; i < COUNT_OF(signals); i++)
        signal(signals[i], stopped);
    static char text[MOST_BYTES];
    Buffer files[16] = {0};
    int file_count = MIN(argc - 4, 16);
    Error error = {0};
    for (int i = 0; i < file_count; i++)
        if (!file_read(argv[4 + i], &files[i], &error) || files[i].count >= MOST_BYTES)
            return 2;
    for (uint64_t i = 0; i < count; i++) {
        current = seed + i;
        Random random = {current};
        const Buffer *from = &files[random_below(&random, (uint64_t)file_count)];
        size_t length = from->count, body = kind == KIND_RECORD ? RECORD_BODY : 0;
        memcpy(text, from->at, length);
        length = mutate(&random, text, length, MIN(body, length));
        if (body && length >= body) {
            put_number(text + RECORD_LENGTH, length - body);
            put_number(text + RECORD_HASH, hash_bytes(text + body, length - body, 0));
        }
        alarm(20);
        read += read_one(kind, text, length);
    }
    for (int i = 0; i < file_count; i++)
        vec_free(&files[i]);
    printf("%s: %llu inputs, %llu readable\n", kind_word, (unsigned long long)count,
           (unsigned long long)read);
    return 0;
}
#endif
