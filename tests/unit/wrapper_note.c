/* Notes of `heddle cc': what is written is read again; no damaged bytes are taken for a note. And
 * the command lines of compilers. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>
#include "tool/instrument/wrapper/flags.h"
#include "tool/instrument/wrapper/invocation.h"
#include "tool/instrument/wrapper/note.h"

static void free_notes(Notes *notes)
{
    for (size_t i = 0; i < notes->count; i++)
        vec_free(&notes->at[i].words);
    vec_free(notes);
}

static void write_two(Buffer *bytes)
{
    Note note = {.folder = "/a b", .source = "x.c", .language = FILE_C};
    vec_push(&note.words, "gcc");
    vec_push(&note.words, "");
    vec_push(&note.words, "-DX=\"a\nb\"");
    note_write(bytes, &note);
    note.language = FILE_CXX;
    note.source = "";
    note.words.count = 1;
    note_write(bytes, &note);
    vec_free(&note.words);
}

static void round_trip(void **state)
{
    (void)state;
    Arena *arena = arena_new();
    Buffer bytes = {0};
    Notes notes = {0};
    Error error;
    write_two(&bytes);
    assert_true(note_parse(arena, "x.o", buffer_str(&bytes), &notes, &error));
    assert_int_equal(notes.count, 2);
    assert_string_equal(notes.at[0].folder, "/a b");
    assert_string_equal(notes.at[0].source, "x.c");
    assert_int_equal(notes.at[0].words.count, 3);
    assert_string_equal(notes.at[0].words.at[1], "");
    assert_string_equal(notes.at[0].words.at[2], "-DX=\"a\nb\"");
    assert_int_equal(notes.at[1].language, FILE_CXX);
    assert_int_equal(notes.at[1].words.count, 1);
    free_notes(&notes);
    vec_free(&bytes);
    arena_free(arena);
}

/* Cut anywhere but between the notes, and with random bytes changed: never a crash, and a cut is
 * always noticed. */
static void damaged(void **state)
{
    (void)state;
    Arena *arena = arena_new();
    Buffer bytes = {0};
    Error error;
    size_t first;
    write_two(&bytes);
    Note one = {.folder = "/a b", .source = "", .language = FILE_CXX};
    Buffer last = {0};
    vec_push(&one.words, "gcc");
    note_write(&last, &one);
    first = bytes.count - last.count;
    for (size_t length = 1; length < bytes.count; length++) {
        Notes notes = {0};
        bool parsed = note_parse(arena, "x.o", (Str){bytes.at, length}, &notes, &error);
        assert_int_equal(parsed, length == first);
        free_notes(&notes);
    }
    srand(1);
    for (int i = 0; i < 2000; i++) {
        char *copy = arena_copy(arena, bytes.at, bytes.count);
        Notes notes = {0};
        for (int k = rand() % 4; k >= 0; k--)
            copy[(size_t)rand() % bytes.count] = (char)rand();
        if (note_parse(arena, "x.o", (Str){copy, bytes.count}, &notes, &error))
            for (size_t n = 0; n < notes.count; n++)
                assert_int_equal(notes.at[n].folder[0], '/');
        free_notes(&notes);
    }
    vec_free(&one.words);
    vec_free(&last);
    vec_free(&bytes);
    arena_free(arena);
}

static void read_command(Arena *arena, const char *command, bool cxx, Invocation *out)
{
    Words words = {0};
    Error error;
    flags_split(arena, command, &words);
    assert_true(invocation_read(arena, "/", &words, cxx, out, &error));
    vec_free(&words);
}

static void command_lines(void **state)
{
    (void)state;
    static const struct {
        const char *command;
        bool cxx;
        InvocationKind kind;
        size_t sources, inputs;
        const char *output;
    } cases[] = {
        {"gcc -c a.c", false, INVOCATION_COMPILE, 1, 0, NULL},
        {"gcc -MT x.c -MF y.c -c a.c -o b.o", false, INVOCATION_COMPILE, 1, 0, "b.o"},
        {"gcc -include c.c -I d.c -D e.c -c a.c -ob.o", false, INVOCATION_COMPILE, 1, 0, "b.o"},
        {"gcc a.c b.o libx.a -lm -l n -o p", false, INVOCATION_LINK, 1, 4, "p"},
        {"gcc -E a.c -o x", false, INVOCATION_OTHER, 1, 0, "x"},
        {"gcc -c -E a.c", false, INVOCATION_OTHER, 1, 0, NULL},
        {"gcc -E -c a.c", false, INVOCATION_OTHER, 1, 0, NULL},
        {"gcc --version", false, INVOCATION_OTHER, 0, 0, NULL},
        {"gcc -print-file-name=x a.c", false, INVOCATION_OTHER, 1, 0, NULL},
        {"gcc -x c -", false, INVOCATION_OTHER, 0, 0, NULL},
        {"gcc -c a.S", false, INVOCATION_COMPILE, 0, 1, NULL},
        {"g++ -shared -fPIC a.o -o l.so", true, INVOCATION_LINK, 0, 1, "l.so"},
        {"gcc -v", false, INVOCATION_OTHER, 0, 0, NULL},
    };
    Arena *arena = arena_new();
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        Invocation invocation = {0};
        read_command(arena, cases[i].command, cases[i].cxx, &invocation);
        assert_int_equal(invocation.kind, cases[i].kind);
        assert_int_equal(invocation.sources.count, cases[i].sources);
        assert_int_equal(invocation.inputs.count, cases[i].inputs);
        if (cases[i].output)
            assert_string_equal(invocation.output, cases[i].output);
        else
            assert_null(invocation.output);
        invocation_free(&invocation);
    }
    Invocation invocation = {0};
    read_command(arena, "g++ -x c a.cc -x none b.c -Wl,-rpath,x -Xlinker y", true, &invocation);
    assert_int_equal(invocation.sources.at[0].language, FILE_C);
    assert_int_equal(invocation.sources.at[1].language, FILE_CXX);
    assert_int_equal(invocation.linker.count, 3);
    assert_string_equal(invocation_object(arena, &invocation, "d/x.y.cc"), "x.y.o");
    invocation_free(&invocation);
    arena_free(arena);
}

static void kept_words(void **state)
{
    (void)state;
    Arena *arena = arena_new();
    Words words = {0}, kept = {0};
    flags_split(arena,
                "gcc -O3 -g -DX='a b' -I inc -isystem/s -Wall -Werror -Wno-narrowing -flto "
                "-include nosuch.h -fsanitize=address -lm -L. -Wl,-z,now -MD -MF x.d -std=c11 -c "
                "a.c -o a.o -fdebug-prefix-map=/a=/b -pthread",
                &words);
    flags_take(arena, "/nowhere", &words, &kept);
    static const char *const expected[] = {
        "-DX=a b",        "-I",       "/nowhere/inc", "-isystem", "/s",
        "-Wno-narrowing", "-include", "nosuch.h",     "-std=c11", "-pthread"};
    assert_int_equal(kept.count, COUNT_OF(expected));
    for (size_t i = 0; i < kept.count; i++)
        assert_string_equal(kept.at[i], expected[i]);
    vec_free(&words);
    vec_free(&kept);
    arena_free(arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(round_trip), cmocka_unit_test(damaged),
                                       cmocka_unit_test(command_lines),
                                       cmocka_unit_test(kept_words)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
