#include "tool/cli/session/unseen.h"
#include <string.h>
#include "base/str.h"
#include "tool/instrument/machine/demangle.h"
#include "tool/instrument/shared/file.h"
#include "tool/report/dwarf/names.h"

static void push_once(Words *words, const char *text)
{
    for (size_t i = 0; i < words->count; i++)
        if (!strcmp(words->at[i], text))
            return;
    vec_push(words, text);
}

/* A test framework runs the tests and does not take part in them: it is trusted, and the answer
 * says so. */
static bool is_test_framework(const char *library)
{
    static const char *const names[] = {"gtest",  "gtest_main", "gmock",         "gmock_main",
                                        "Catch2", "Catch2Main", "Catch2WithMain"};
    for (size_t i = 0; library && i < COUNT_OF(names); i++)
        if (!strcmp(library, names[i]))
            return true;
    return false;
}

void unseen_trust(Session *session)
{
    Escapes *escapes = &session->escapes;
    size_t kept = 0;
    for (size_t i = 0; i < escapes->count; i++) {
        const Escape escape = escapes->at[i];
        Str rest = str_of(session->options->explore.trust), word;
        bool framework = is_test_framework(escape.library), trusted = false;
        while (rest.length && str_next(&rest, ',', &word))
            trusted |= escapes_is_at(&escape, word);
        session->has_foreign |= escape.library || escape.whole;
        if (!framework && !trusted) {
            escapes->at[kept++] = escape;
            continue;
        }
        if (escape.whole || escape.library)
            vec_push(&session->trusted_objects, escape);
        session->trusts_unseen |= !framework;
        if (framework)
            push_once(&session->frameworks, escape.library);
        else
            push_once(&session->trusted, escapes_text(session->arena, &escape));
    }
    escapes->count = kept;
}

void unseen_find_trusted_code(Session *session)
{
    escapes_only_code(&session->build, &session->trusted_objects, &session->trusted_code);
}

/* Is the call that returns to PC part of an object that is trusted as a whole? */
static bool is_trusted_code(const Session *session, uint64_t pc)
{
    for (size_t i = 0; i < session->trusted_code.count; i++) {
        const CodeRange *range = &session->trusted_code.at[i];
        if (pc > range->from && pc <= range->to)
            return true;
    }
    return false;
}

/* Does a shared library that -l names define FUNCTION, and is it trusted? One that is not trusted
 * and defines it, too, may be the one that is called. */
static bool is_of_trusted_library(const Session *session, const char *function)
{
    const Escapes *lists[] = {&session->trusted_objects, &session->escapes};
    bool defines[COUNT_OF(lists)] = {false};
    LibraryFile program, file;
    if (!session->trusted_objects.count || !library_file_open(session->build.program, &program))
        return false;
    for (size_t i = 0; i < COUNT_OF(lists); i++)
        for (size_t k = 0; k < lists[i]->count; k++) {
            const Escape *escape = &lists[i]->at[k];
            const char *path = escape->library && !escape->whole
                                   ? library_file_path(session->arena, program.elf, escape->library)
                                   : NULL;
            if (path && library_file_open(path, &file)) {
                defines[i] |= library_file_defines(&file, function);
                library_file_close(&file);
            }
        }
    library_file_close(&program);
    return defines[0] && !defines[1];
}

/* Does --trust name CALL, by the function that is called or by PLACE, with or without its folder?
 */
static bool is_named(const Session *session, const LinkUnseenCall *call, const char *place)
{
    Str rest = str_of(session->options->explore.trust), word;
    bool is = false;
    while (rest.length && str_next(&rest, ',', &word))
        is |= str_is(word, call->name) || str_is(word, demangle(session->arena, call->name)) ||
              str_is(word, place);
    return is;
}

/* Keeps the first word that --trust would take for code that nobody answers for. */
static void note_word(Session *session, const char *word)
{
    if (!session->unseen_word)
        session->unseen_word = word;
}

static void take_call(Session *session, const LinkUnseenCall *call, const char *place, Words *out)
{
    Arena *arena = session->arena;
    if (is_trusted_code(session, call->pc) || is_of_trusted_library(session, call->name))
        return;
    const char *caller = *place                 ? place
                         : session->has_foreign ? "code that heddle did not compile"
                                                : "the program";
    const char *text = arena_printf(
        arena,
        "%s calls %s, and heddle does not know which memory that touches (heddle-library(7))",
        caller, demangle(arena, call->name));
    bool trusted = is_named(session, call, place);
    push_once(trusted ? &session->trusted : out, text);
    if (!trusted)
        note_word(session, arena_printf(arena, "%s", call->name));
}

void unseen_take(Session *session, const SuperviseResult *result, Words *out)
{
    Arena *arena = session->arena;
    Names *names = NULL;
    Error ignored;
    vec_free(out);
    *out = (Words){0};
    for (size_t i = 0; result->ran_unseen && i < session->escapes.count; i++)
        if (result->ran_unseen[i]) {
            push_once(out, escapes_text(arena, &session->escapes.at[i]));
            note_word(session, session->escapes.at[i].place);
        }
    if (result->unseen_call_count &&
        !names_open(&names, arena, session->build.program, NULL, &ignored))
        names = NULL;
    for (size_t i = 0; i < result->unseen_call_count; i++) {
        const LinkUnseenCall *call = &result->unseen_calls[i];
        take_call(session, call, names ? names_place_text(names, call->pc) : "", out);
    }
    if (result
            ->misses_unseen_calls) /* whose they are is not known, so nobody can answer for them */
        push_once(out, "functions whose memory accesses heddle does not know are called at more "
                       "places than it notes");
    names_close(names);
}
