/* Names: every expected text follows from the source of tests/fixtures/names_program.c by hand. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "report/names.h"
#include "report/text.h"

static char program[64] = "/tmp/heddle-names-XXXXXX";
static struct {
    char name[64];
    uint64_t address;
} symbols[4096];
static size_t symbol_count;

static uint64_t address_of(const char *name)
{
    for (size_t i = 0; i < symbol_count; i++)
        if (!strcmp(symbols[i].name, name))
            return symbols[i].address;
    fail_msg("no symbol %s", name);
    return 0;
}

static void build_with(const char *compiler)
{
    char command[512];
    snprintf(command, sizeof command,
             "%s -g -O0 -no-pie -o %s tests/fixtures/names_program.c -lpthread", compiler, program);
    assert_int_equal(system(command), 0);
    snprintf(command, sizeof command, "nm %s", program);
    FILE *nm = popen(command, "r");
    char line[512];
    symbol_count = 0;
    while (fgets(line, sizeof line, nm) && symbol_count < COUNT_OF(symbols)) {
        char kind;
        unsigned long long address;
        if (sscanf(line, "%llx %c %63s", &address, &kind, symbols[symbol_count].name) == 3)
            symbols[symbol_count++].address = address;
    }
    pclose(nm);
}

static int set_up(void **state)
{
    (void)state;
    int fd = mkstemp(program);
    close(fd);
    return fd < 0;
}

static int tear_down(void **state)
{
    (void)state;
    return unlink(program);
}

#define LINE_OF_MARK_1 31 /* the first statement with a mark */

static void check_names(const char *compiler)
{
    build_with(compiler);
    Arena *arena = arena_new();
    RecordObject objects[] = {
        {.address = 0x70000000, .bytes = 16, .alloc_pc = address_of("mark_1")},
        {.address = 0x70001000, .bytes = 80, .alloc_pc = address_of("mark_2")},
        {.address = 0x70002000, .bytes = 16, .alloc_pc = address_of("mark_1")},
        {.address = 0x70003000, .bytes = 5, .alloc_pc = address_of("mark_5")}};
    Record record = {.objects = objects, .object_count = COUNT_OF(objects)};
    Names *names;
    Error error = {0};
    assert_true(names_open(&names, arena, program, &record, &error));

    uint64_t q = address_of("q"), many = address_of("many");
    /* struct queue: head 0, tail 8, counts 16 (12 bytes), lock 32 */
    assert_string_equal(names_location(names, q, 8), "q.head");
    assert_string_equal(names_location(names, q + 8, 8), "q.tail");
    assert_string_equal(names_location(names, q + 16, 2), "q.counts[0][0]");
    assert_string_equal(names_location(names, q + 16 + 8, 2), "q.counts[1][1]");
    assert_string_equal(names_location(names, q + 32, 4), "q.lock");
    assert_string_equal(names_location(names, many + 2 * 72 + 8, 8), "many[2].tail");
    assert_string_equal(names_location(names, address_of("letter"), 1), "letter");
    assert_string_equal(names_location(names, 0x70000008, 8), "node#1.next");
    assert_string_equal(names_location(names, 0x70002000, 4), "node#2.value");
    assert_string_equal(names_location(names, 0x70001010, 8), "block#1[2]");
    assert_string_equal(names_location(names, 0x70003004, 1), "block#2+4");
    assert_string_equal(names_location(names, 0x123, 4), "0x123");

    assert_string_equal(names_value(names, address_of("phase"), 4, 9), "PHASE_BUSY");
    assert_string_equal(names_value(names, address_of("phase"), 4, 5), "5");
    assert_string_equal(names_value(names, address_of("ready"), 1, 1), "true");
    assert_string_equal(names_value(names, address_of("number"), 4, 0xffffffff), "-1");
    assert_string_equal(names_value(names, address_of("wide"), 4, 0xffffffff), "4294967295");
    assert_string_equal(names_value(names, address_of("letter"), 1, 'x'), "'x'");
    assert_string_equal(names_value(names, address_of("ratio"), 8, 0x3ff8000000000000), "1.5");
    assert_string_equal(names_value(names, address_of("pointer"), 8, 0), "NULL");
    assert_string_equal(names_value(names, address_of("pointer"), 8, address_of("number")),
                        "&number");
    assert_string_equal(names_value(names, q, 8, 0x70002000), "&node#2");
    assert_string_equal(names_value(names, q, 8, 0x70000008), "&node#1.next");
    assert_string_equal(names_value(names, 0x123, 4, 77), "77");

    for (unsigned mark = 1; mark <= 4; mark++) {
        char symbol[16];
        snprintf(symbol, sizeof symbol, "mark_%u", mark);
        Place place = names_place(names, address_of(symbol));
        assert_int_equal(place.line, LINE_OF_MARK_1 + mark - 1);
        assert_string_equal(place.function, "producer");
    }
    assert_string_equal(names_place_text(names, address_of("mark_1")), "names_program.c:31");
    assert_string_equal(names_function(names, address_of("producer")), "producer");
    assert_string_equal(names_thread(names, 0), "main");
    assert_string_equal(names_thread(names, 3), "T3");
    names_close(names);
    arena_free(arena);
}

static void test_gcc(void **state)
{
    (void)state;
    check_names("gcc");
}

static void test_clang(void **state)
{
    (void)state;
    check_names("clang -gdwarf-aranges");
}

/* A race as a person sees it: nothing is wider than asked for, and the missing edge is named. */
static void test_text(void **state)
{
    (void)state;
    build_with("gcc");
    Arena *arena = arena_new();
    uint64_t number = address_of("number"), wide = address_of("wide");
    RecordEvent events[] = {
        {.kind = RECORD_CREATE, .other = 1, .pc = address_of("mark_5"), .rf = RECORD_NONE},
        {.kind = RECORD_PLAIN_WRITE,
         .address = number,
         .size = 4,
         .value = {7},
         .index = 1,
         .pc = address_of("mark_5"),
         .flags = RECORD_FLAG_PARTNER,
         .rf = RECORD_NONE},
        {.kind = RECORD_WRITE,
         .address = wide,
         .size = 4,
         .value = {1},
         .index = 2,
         .order = 0,
         .pc = address_of("mark_5"),
         .co = 1,
         .rf = RECORD_NONE},
        {.kind = RECORD_READ,
         .address = wide,
         .size = 4,
         .value = {1},
         .thread = 1,
         .index = 1,
         .order = 2,
         .pc = address_of("mark_3"),
         .rf = 2},
        {.kind = RECORD_PLAIN_READ,
         .address = number,
         .size = 4,
         .value = {7},
         .thread = 1,
         .index = 2,
         .pc = address_of("mark_4"),
         .flags = RECORD_FLAG_BAD,
         .rf = RECORD_NONE}};
    RecordThread threads[] = {{.state = 0}, {.function = address_of("producer")}};
    char text[] = "\0data race on number";
    Record record = {.violation = VIOLATION_RACE,
                     .events = events,
                     .event_count = COUNT_OF(events),
                     .threads = threads,
                     .thread_count = 2,
                     .text = text,
                     .text_bytes = sizeof text,
                     .message = 1,
                     .model = 2};
    Answer answer = {.command = "run",
                     .subject = "p.c",
                     .verdict = VERDICT_VIOLATED,
                     .violation = VIOLATION_RACE,
                     .model = "rc11",
                     .executions = 1,
                     .record = &record};
    Names *names;
    Error error = {0};
    assert_true(names_open(&names, arena, program, &record, &error));
    char *page = NULL;
    size_t bytes = 0;
    FILE *to = open_memstream(&page, &bytes);
    TextStyle style = {.width = 80, .ascii = true};
    text_write_answer(to, &answer, names, &style);
    fclose(to);
    static const char *const expected[] = {
        "violated: race in p.c under rc11:",
        "data race on number",
        "main's step 2 and T1's step 5 both touch number, and nothing orders them.",
        "T1's step 4 reads wide from main's step 3, but that does not order them:",
        "create T1 (producer)",
        "write number = 7",
        "store wide = 1",
        "relaxed",
        "load wide = 1",
        "acquire  from 3",
        ">  5"};
    for (size_t i = 0; i < COUNT_OF(expected); i++)
        if (!strstr(page, expected[i]))
            fail_msg("not there: %s\nin:\n%s", expected[i], page);
    for (char *line = strtok(page, "\n"); line; line = strtok(NULL, "\n"))
        assert_true(strlen(line) <= 80);
    free(page);
    names_close(names);
    arena_free(arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_gcc), cmocka_unit_test(test_clang),
                                       cmocka_unit_test(test_text)};
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
