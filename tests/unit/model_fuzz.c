/* Damaged models: the reader must refuse or accept them, with a place in every message, and never
 * crash. Each round takes a model of the corpus or of the golden tests and deletes, doubles, swaps
 * or replaces some of its words; what is still accepted is compiled and explored a little. */
#include <stdarg.h>
#include <setjmp.h>
#include <stdlib.h>
#include <string.h>
#include <stdio.h>
#include <cmocka.h>
#include <ctype.h>
#include <glob.h>
#include "base/hash.h"
#include "refine/refine.h"

typedef Vec(Str) Words;

static void split(Str text, Words *words)
{
    size_t at = 0;
    vec_clear(words);
    while (at < text.length) {
        size_t start = at++;
        if (isalnum((unsigned char)text.at[start]) || text.at[start] == '_')
            while (at < text.length && (isalnum((unsigned char)text.at[at]) || text.at[at] == '_'))
                at++;
        vec_push(words, (Str){text.at + start, at - start});
    }
}

static const char *const spare[] = {"0",
                                    "1",
                                    "99999999999",
                                    "x",
                                    "none",
                                    "NULL",
                                    "{",
                                    "}",
                                    "(",
                                    ")",
                                    ";",
                                    "int",
                                    "[0]",
                                    "->next",
                                    "self",
                                    "atomic {",
                                    "*",
                                    "/ 0",
                                    "operation",
                                    "return",
                                    "new",
                                    "choose",
                                    "..",
                                    "\n#include <fifo.hm>\n",
                                    "auto",
                                    "&",
                                    "thread",
                                    "await",
                                    "=",
                                    "==",
                                    "\"",
                                    "\n#ifdef X\n",
                                    "\x01",
                                    "/*",
                                    "-1",
                                    "pool",
                                    "data",
                                    "break;",
                                    "while (true)",
                                    "param"};

static void damage(Random *random, const Words *words, Buffer *out)
{
    vec_clear(out);
    size_t changes = 1 + (size_t)random_below(random, 3);
    size_t places[4];
    for (size_t i = 0; i < changes; i++)
        places[i] = (size_t)random_below(random, words->count);
    for (size_t i = 0; i < words->count; i++) {
        Str word = words->at[i];
        int times = 1;
        for (size_t k = 0; k < changes; k++) {
            if (places[k] != i)
                continue;
            switch (random_below(random, 4)) {
            case 0:
                times = 0;
                break;
            case 1:
                times = 2;
                break;
            case 2:
                word = str_of(spare[random_below(random, COUNT_OF(spare))]);
                break;
            default:
                word = words->at[random_below(random, words->count)];
            }
        }
        while (times-- > 0)
            buffer_append(out, word.at, word.length);
    }
}

static void damaged_models_are_refused_or_run(void **state)
{
    (void)state;
    glob_t files = {0};
    assert_int_equal(glob("corpus/refine/*.hm", 0, NULL, &files), 0);
    glob("tests/golden/refine/*.hm", GLOB_APPEND, NULL, &files);
    glob("tests/pairs/*.hm", GLOB_APPEND, NULL, &files);
    const char *count_text = getenv("HEDDLE_COUNT");
    int rounds = count_text ? atoi(count_text) : getenv("HEDDLE_NIGHTLY") ? 100000 : 3000;
    int accepted = 0;
    Random random = {.state = 42};
    Words words = {0};
    Buffer text = {0};
    for (int i = 0; i < rounds; i++) {
        Arena *arena = arena_new();
        const SourceFile *file;
        Error error = {{0}, {0}, 0, 0};
        const Model *model;
        ModelOptions options = {0};
        assert_true(source_read(arena, files.gl_pathv[(size_t)i % files.gl_pathc], &file, &error));
        split((Str){file->text, file->length}, &words);
        damage(&random, &words, &text);
        if (model_read_text(arena, "damaged.hm", (Str){text.at, text.count}, &options, &model,
                            &error)) {
            accepted++;
            RefineOptions refine = {.model = model,
                                    .specification = model_find_specification(model, NULL),
                                    .state_limit = 60,
                                    .time_limit = 1,
                                    .jobs = 1};
            RefineResult result;
            if (!refine_run(arena, &refine, &result, &error))
                assert_true(error.message[0] != 0);
        } else {
            assert_true(error.message[0] != 0);
            assert_true(error.file[0] != 0 && error.line > 0);
        }
        arena_free(arena);
    }
    printf("%d damaged models, %d of them still models\n", rounds, accepted);
    vec_free(&words);
    vec_free(&text);
    globfree(&files);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(damaged_models_are_refused_or_run)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
