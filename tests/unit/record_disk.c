/* Records on disk: what is written is read back; what is damaged is refused, never a crash. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "base/hash.h"
#include "base/str.h"
#include "record/check.h"
#include "record/disk.h"

#define HEAD_BYTES (14 + 7 * 8 + 8 + 8) /* magic, layout, length, hash */

static const char *words[] = {"queue.c", "-DN=2"};
static RecordSource sources[] = {{"queue.c", 123, 456}, {"queue.h", 7, 8}};
static RecordEvent events[3];
static RecordObject objects[1] = {{.address = 0x10000, .bytes = 24}};
static RecordThread threads[2] = {{.state = 1}, {.state = 2, .waits_address = 0x1234}};
static char text[] = "\0it went wrong\0mutex lock";

static RecordFile sample(void)
{
    events[0] = (RecordEvent){.kind = RECORD_CREATE, .other = 1, .rf = RECORD_NONE};
    events[1] = (RecordEvent){
        .kind = RECORD_WRITE, .thread = 1, .size = 4, .value = {7}, .co = 1, .rf = RECORD_NONE};
    events[2] = (RecordEvent){
        .kind = RECORD_READ, .size = 4, .value = {7}, .rf = 1, .order = 2, .text = 15};
    return (RecordFile){.tool = "1",
                        .command = "run",
                        .folder = "/some/where",
                        .compiler = "",
                        .machine = "x86-64",
                        .files = {words, 1},
                        .compile = {words + 1, 1},
                        .sources = sources,
                        .source_count = 2,
                        .options = {.model = MODEL_TSO, .preemptions = -1},
                        .record = {.violation = VIOLATION_DEADLOCK,
                                   .model = MODEL_TSO,
                                   .event_count = 3,
                                   .object_count = 1,
                                   .thread_count = 2,
                                   .text_bytes = sizeof text,
                                   .events = events,
                                   .objects = objects,
                                   .threads = threads,
                                   .text = text,
                                   .message = 1}};
}

static void write_sample(Buffer *bytes)
{
    char path[] = "/tmp/heddle-test-XXXXXX";
    int fd = mkstemp(path);
    assert_true(fd >= 0);
    close(fd);
    RecordFile file = sample();
    Error error = {0};
    assert_true(disk_write(path, &file, &error));
    FILE *in = fopen(path, "r");
    char piece[4096];
    size_t got;
    while ((got = fread(piece, 1, sizeof piece, in)) > 0)
        buffer_append(bytes, piece, got);
    fclose(in);
    unlink(path);
}

static void test_round_trip(void **state)
{
    (void)state;
    Arena *arena = arena_new();
    Buffer bytes = {0};
    write_sample(&bytes);
    RecordFile back;
    Error error = {0};
    assert_true(disk_parse(arena, "x", bytes.at, bytes.count, &back, &error));
    assert_string_equal(back.folder, "/some/where");
    assert_string_equal(back.machine, "x86-64");
    assert_int_equal(back.files.count, 1);
    assert_string_equal(back.files.at[0], "queue.c");
    assert_string_equal(back.compile.at[0], "-DN=2");
    assert_int_equal(back.source_count, 2);
    assert_string_equal(back.sources[1].path, "queue.h");
    assert_int_equal(back.sources[0].hash, 456);
    assert_int_equal(back.options.model, MODEL_TSO);
    assert_int_equal(back.options.preemptions, -1);
    assert_int_equal(back.record.event_count, 3);
    assert_memory_equal(back.record.events, events, sizeof events);
    assert_memory_equal(back.record.threads, threads, sizeof threads);
    assert_string_equal(record_text(&back.record, back.record.message), "it went wrong");
    vec_free(&bytes);
    arena_free(arena);
}

static void test_truncation(void **state)
{
    (void)state;
    Arena *arena = arena_new();
    Buffer bytes = {0};
    write_sample(&bytes);
    for (size_t length = 0; length < bytes.count; length++) {
        RecordFile back;
        Error error = {0};
        /* a copy of its own size, so that a sanitizer sees a read beyond */
        char *copy = malloc(length + 1);
        memcpy(copy, bytes.at, length);
        assert_false(disk_parse(arena, "x", copy, length, &back, &error));
        assert_true(error.message[0] != 0);
        free(copy);
        arena_reset(arena);
    }
    vec_free(&bytes);
    arena_free(arena);
}

static void put64(char *at, uint64_t number)
{
    for (int i = 0; i < 8; i++)
        at[i] = (char)(number >> (8 * i));
}

/* Half of the mutants get a fresh hash, so that the parts behind it are reached. */
static void test_mutation(void **state)
{
    (void)state;
    Arena *arena = arena_new();
    Buffer bytes = {0};
    write_sample(&bytes);
    char *mutant = malloc(bytes.count + 8);
    const char *setting = getenv("HEDDLE_NIGHTLY");
    long rounds = setting && *setting ? 1000000 : 100000, refused = 0;
    Random random = {20240607};
    for (long round = 0; round < rounds; round++) {
        size_t count = bytes.count;
        memcpy(mutant, bytes.at, count);
        bool inside = random_next(&random) & 1;
        size_t from = inside ? HEAD_BYTES : 0;
        for (uint64_t changes = 1 + random_below(&random, 4); changes > 0; changes--) {
            size_t at = from + (size_t)random_below(&random, count - from);
            switch (random_below(&random, 4)) {
            case 0:
                mutant[at] = (char)random_next(&random);
                break;
            case 1:
                mutant[at] = (char)(mutant[at] ^ (1 << random_below(&random, 8)));
                break;
            case 2: /* a number at its limits */
                if (at + 8 <= count)
                    put64(mutant + at, random_next(&random) >> random_below(&random, 64));
                break;
            default:
                if (count > from + 16)
                    count -= (size_t)random_below(&random, 16);
                break;
            }
        }
        if (inside) {
            put64(mutant + HEAD_BYTES - 16, count - HEAD_BYTES);
            put64(mutant + HEAD_BYTES - 8, hash_bytes(mutant + HEAD_BYTES, count - HEAD_BYTES, 0));
        }
        RecordFile back;
        Error error = {0};
        if (disk_parse(arena, "x", mutant, count, &back, &error))
            assert_true(record_check(&back.record, &error)); /* what is let in can be used */
        else
            refused += error.message[0] != 0;
        arena_reset(arena);
    }
    assert_true(refused > rounds / 2);
    free(mutant);
    vec_free(&bytes);
    arena_free(arena);
}

static void test_version(void **state)
{
    (void)state;
    Arena *arena = arena_new();
    Buffer bytes = {0};
    write_sample(&bytes);
    bytes.at[14] = 99;
    RecordFile back;
    Error error = {0};
    assert_false(disk_parse(arena, "x", bytes.at, bytes.count, &back, &error));
    assert_non_null(strstr(error.message, "version 99"));
    vec_free(&bytes);
    arena_free(arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_round_trip), cmocka_unit_test(test_truncation),
        cmocka_unit_test(test_mutation), cmocka_unit_test(test_version)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
