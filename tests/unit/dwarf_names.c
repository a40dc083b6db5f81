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
#include "record/check.h"
#include "tool/report/dwarf/names.h"
#include "tool/report/steps.h"
#include "tool/report/text.h"

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
        {.address = 0x70003000, .bytes = 5, .alloc_pc = address_of("mark_5")},
        {.address = 0x70004000, .bytes = 8 + 3 * 16, .alloc_pc = address_of("mark_6")}};
    RecordThread threads[] = {{.thread_pointer = 0}, {.thread_pointer = 0x7fff0000}};
    Record record = {.objects = objects,
                     .object_count = COUNT_OF(objects),
                     .threads = threads,
                     .thread_count = COUNT_OF(threads)};
    Names *names;
    Error error = {0};
    assert_true(names_open(&names, arena, program, &record, &error));

    /* the symbols of thread-local variables are offsets in the block, which ends at the pointer */
    uint64_t own = 0x7fff0000 - 24 + address_of("own");
    assert_string_equal(names_location(names, 0x7fff0000 - 24 + address_of("first_own"), 8),
                        "first_own of T1");
    assert_string_equal(names_location(names, own, 4), "own.value of T1");
    assert_string_equal(names_location(names, own + 8, 8), "own.next of T1");
    assert_string_equal(names_value(names, own + 8, 8, own), "&own of T1");
    assert_true(names_knows(names, own) && !names_knows(names, 0x7fff0000));

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
    assert_string_equal(names_location(names, 0x70004000, 8), "chain#1.length");
    assert_string_equal(names_location(names, 0x70004000 + 8 + 2 * 16 + 8, 8),
                        "chain#1.nodes[2].next");
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
        SourcePlace place = names_place(names, address_of(symbol));
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

/* The page for a record, 80 columns wide; the caller frees it. */
static char *page_of(Record *record, Arena *arena)
{
    Answer answer = {.command = "run",
                     .subject = "p.c",
                     .verdict = VERDICT_VIOLATED,
                     .violation = (ViolationKind)record->violation,
                     .model = "rc11",
                     .executions = 1,
                     .record = record};
    Names *names;
    Error error = {0};
    record->model = 2;
    assert_true(record_check(record, &error));
    assert_true(names_open(&names, arena, program, record, &error));
    answer.message = steps_sentence(names, record);
    char *page = NULL;
    size_t bytes = 0;
    FILE *to = open_memstream(&page, &bytes);
    TextStyle style = {.width = 80, .ascii = true};
    text_write_answer(to, &answer, names, &style);
    fclose(to);
    names_close(names);
    return page;
}

/* Each of TEXTS stands in PAGE, in that order, and no line is too wide. */
static void check_page(char *page, const char *const *texts, size_t count)
{
    const char *at = page;
    for (size_t i = 0; i < count; i++) {
        const char *found = strstr(at, texts[i]);
        if (!found)
            fail_msg("not there: %s\nin:\n%s", texts[i], page);
        at = found + strlen(texts[i]);
    }
    for (char *line = strtok(page, "\n"); line; line = strtok(NULL, "\n"))
        assert_true(strlen(line) <= 80);
    free(page);
}

/* A race: the two accesses, and the edge that is missing between them. */
static void test_race(void **state)
{
    (void)state;
    build_with("gcc");
    Arena *arena = arena_new();
    uint64_t number = address_of("number"), wide = address_of("wide"), pc = address_of("mark_3");
    RecordEvent events[] = {{.kind = RECORD_CREATE, .other = 1, .pc = pc, .rf = RECORD_NONE},
                            {.kind = RECORD_PLAIN_WRITE,
                             .has_value = 1,
                             .address = number,
                             .size = 4,
                             .value = {7},
                             .index = 1,
                             .pc = pc,
                             .flags = RECORD_FLAG_PARTNER,
                             .rf = RECORD_NONE},
                            {.kind = RECORD_WRITE,
                             .address = wide,
                             .size = 4,
                             .value = {1},
                             .index = 2,
                             .pc = pc,
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
                             .has_value = 1,
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
                     .message = 1};
    static const char *const expected[] = {
        "violated: race in p.c under rc11\n",
        "data race on number: main writes it at names_program.c:33, T1 reads it at",
        "names_program.c:34, and nothing orders the two",
        "T1's step 4 reads wide from main's step 3, but that does not order them: the",
        "write is no release.",
        "main T1",
        " 1  *         names_program.c:33  create T1 (producer)",
        ">  2  *    |    names_program.c:33  write number = 7",
        " 3  *    |    names_program.c:33  store wide = 1",
        "relaxed",
        " 4  |...>*    names_program.c:33  load wide = 1",
        "acquire  from 3",
        ">  5  |    *    names_program.c:34  read number = 7",
        "| n->value = letter; MARK(4);"};
    check_page(page_of(&record, arena), expected, COUNT_OF(expected));
    arena_free(arena);
}

/* Two threads that each hold what the other wants. */
static void test_deadlock(void **state)
{
    (void)state;
    Arena *arena = arena_new();
    uint64_t first = address_of("q") + 32, second = address_of("many") + 32; /* .lock */
    uint64_t pc = address_of("mark_3");
    char text[] = "\0mutex lock\0deadlock";
    enum { LOCK = 1, MESSAGE = 12 };
#define TAKE(who, what, position)                                                                  \
    {.kind = RECORD_READ,                                                                          \
     .thread = who,                                                                                \
     .address = what,                                                                              \
     .size = 4,                                                                                    \
     .rf = RECORD_INIT,                                                                            \
     .pc = pc,                                                                                     \
     .flags = RECORD_FLAG_RMW | RECORD_FLAG_AWAIT,                                                 \
     .text = LOCK,                                                                                 \
     .order = 2},                                                                                  \
        {.kind = RECORD_WRITE,                                                                     \
         .thread = who,                                                                            \
         .address = what,                                                                          \
         .size = 4,                                                                                \
         .rf = RECORD_NONE,                                                                        \
         .pc = pc,                                                                                 \
         .value = {who + 1},                                                                       \
         .flags = RECORD_FLAG_RMW | RECORD_FLAG_AWAIT,                                             \
         .co = position,                                                                           \
         .text = LOCK,                                                                             \
         .order = 2}
    RecordEvent events[] = {TAKE(0, first, 1),
                            TAKE(1, second, 1),
                            {.kind = RECORD_READ,
                             .address = second,
                             .size = 4,
                             .rf = 3,
                             .pc = pc,
                             .value = {2},
                             .flags = RECORD_FLAG_AWAIT | RECORD_FLAG_BLOCKED,
                             .text = LOCK}};
    RecordThread threads[] = {
        {.state = 2, .waits_address = second, .waits_pc = pc, .waits_text = LOCK},
        {.state = 2, .waits_address = first, .waits_pc = pc, .waits_text = LOCK}};
    Record record = {.violation = VIOLATION_DEADLOCK,
                     .events = events,
                     .event_count = COUNT_OF(events),
                     .threads = threads,
                     .thread_count = 2,
                     .text = text,
                     .text_bytes = sizeof text,
                     .message = MESSAGE};
    static const char *const expected[] = {
        "violated: deadlock in p.c under rc11\n",
        "main waits for ever for many[0].lock, held by T1; T1 waits for ever for",
        "q.lock, held by main\n",
        "main waits at names_program.c:33 for many[0].lock, which T1 has held since",
        "step 2.",
        "T1 waits at names_program.c:33 for q.lock, which main has held since step 1.",
        "1  *         names_program.c:33  mutex lock q.lock",
        "2  |...>*    names_program.c:33  mutex lock many[0].lock",
        "3  *<...     names_program.c:33  mutex lock many[0].lock",
        "waits for ever"};
    check_page(page_of(&record, arena), expected, COUNT_OF(expected));
    arena_free(arena);
}

/* Stale reads say what they missed; compare-exchanges say what they did. */
static void test_atomics(void **state)
{
    (void)state;
    Arena *arena = arena_new();
    uint64_t number = address_of("number"), head = address_of("q"), pc = address_of("mark_3");
    RecordObject objects[] = {
        {.address = 0x70000000, .bytes = 16, .alloc_pc = address_of("mark_1")}};
    RecordThread threads[2] = {{.state = 1}, {.state = 1}};
    char text[] = "\0wrong";
    RecordEvent events[] = {{.kind = RECORD_WRITE,
                             .address = number,
                             .size = 4,
                             .value = {5},
                             .co = 1,
                             .rf = RECORD_NONE,
                             .pc = pc,
                             .order = 5},
                            {.kind = RECORD_READ,
                             .thread = 1,
                             .address = number,
                             .size = 4,
                             .rf = RECORD_INIT,
                             .pc = pc,
                             .flags = RECORD_FLAG_STALE},
                            {.kind = RECORD_READ,
                             .thread = 1,
                             .address = head,
                             .size = 8,
                             .rf = RECORD_INIT,
                             .pc = pc,
                             .flags = RECORD_FLAG_RMW | RECORD_FLAG_CAS,
                             .order = 4},
                            {.kind = RECORD_WRITE,
                             .thread = 1,
                             .address = head,
                             .size = 8,
                             .value = {0x70000000},
                             .co = 1,
                             .rf = RECORD_NONE,
                             .pc = pc,
                             .flags = RECORD_FLAG_RMW | RECORD_FLAG_CAS,
                             .order = 4},
                            {.kind = RECORD_READ,
                             .address = head,
                             .size = 8,
                             .value = {0x70000000},
                             .rf = 3,
                             .pc = pc,
                             .flags = RECORD_FLAG_CAS,
                             .order = 2},
                            {.kind = RECORD_READ,
                             .address = number,
                             .size = 4,
                             .value = {5},
                             .rf = 0,
                             .pc = pc,
                             .flags = RECORD_FLAG_RMW,
                             .rmw_op = 1},
                            {.kind = RECORD_WRITE,
                             .address = number,
                             .size = 4,
                             .value = {6},
                             .co = 2,
                             .pc = pc,
                             .rf = RECORD_NONE,
                             .flags = RECORD_FLAG_RMW | RECORD_FLAG_BAD,
                             .rmw_op = 1}};
    Record record = {.violation = VIOLATION_ASSERTION,
                     .events = events,
                     .event_count = COUNT_OF(events),
                     .threads = threads,
                     .thread_count = 2,
                     .objects = objects,
                     .object_count = 1,
                     .text = text,
                     .text_bytes = sizeof text,
                     .message = 1};
    static const char *const expected[] = {
        "wrong",
        "1  *         names_program.c:33  store number = 5",
        "seq_cst",
        "2  |...>*    names_program.c:33  load number = 0",
        "relaxed",
        "STALE: initial value, misses 1",
        "3  |    *    names_program.c:33  cas q.head: NULL -> &node#1",
        "acq_rel",
        "initial value",
        "4  *<...     names_program.c:33  cas q.head fails: found &node#1, not NULL",
        "acquire  from 3",
        ">  5  *         names_program.c:33  fetch_add number: 5 -> 6",
        "relaxed  from 1"};
    check_page(page_of(&record, arena), expected, COUNT_OF(expected));
    arena_free(arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_gcc), cmocka_unit_test(test_clang),
                                       cmocka_unit_test(test_race), cmocka_unit_test(test_deadlock),
                                       cmocka_unit_test(test_atomics)};
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
