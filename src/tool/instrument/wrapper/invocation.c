#include "tool/instrument/wrapper/invocation.h"
#include <string.h>
#include "base/file.h"
#include "base/str.h"
#include "tool/instrument/wrapper/flags.h"

#define DEEPEST_FILE 8 /* @FILE within @FILE */

/* Options of gcc and clang whose value is the next word. */
static bool takes_next(const char *word)
{
    static const char *const words[] = {"-o",
                                        "-x",
                                        "-D",
                                        "-U",
                                        "-I",
                                        "-L",
                                        "-l",
                                        "-T",
                                        "-u",
                                        "-z",
                                        "-e",
                                        "-h",
                                        "-A",
                                        "-B",
                                        "-MF",
                                        "-MT",
                                        "-MQ",
                                        "-MJ",
                                        "-include",
                                        "-imacros",
                                        "-isystem",
                                        "-iquote",
                                        "-idirafter",
                                        "-iprefix",
                                        "-iwithprefix",
                                        "-iwithprefixbefore",
                                        "-isysroot",
                                        "-imultilib",
                                        "-cxx-isystem",
                                        "-Xlinker",
                                        "-Xassembler",
                                        "-Xpreprocessor",
                                        "-Xclang",
                                        "-mllvm",
                                        "-target",
                                        "-arch",
                                        "-aux-info",
                                        "-dumpbase",
                                        "-dumpbase-ext",
                                        "-dumpdir",
                                        "-wrapper",
                                        "-soname",
                                        "-rpath",
                                        "--param",
                                        "--sysroot",
                                        "--include",
                                        "--output"};
    for (size_t i = 0; i < COUNT_OF(words); i++)
        if (!strcmp(word, words[i]))
            return true;
    return false;
}

/* Appends WORD, or, for @FILE, the words of that file. A file that can't be read is a word of that
 * name, as gcc has it. */
static bool append_word(Arena *arena, const char *folder, const char *word, unsigned depth,
                        Words *out, Error *error)
{
    Buffer text = {0};
    Error ignored;
    if (word[0] != '@' || !file_read(flags_path(arena, folder, word + 1), &text, &ignored)) {
        vec_push(out, word);
        vec_free(&text);
        return true;
    }
    if (depth == DEEPEST_FILE) {
        vec_free(&text);
        return error_set(error, "%s: lists of words name each other", word);
    }
    Words words = {0};
    flags_split(arena, text.at ? text.at : "", &words);
    bool fine = true;
    for (size_t i = 0; fine && i < words.count; i++)
        fine = append_word(arena, folder, words.at[i], depth + 1, out, error);
    vec_free(&words);
    vec_free(&text);
    return fine;
}

static FileLanguage language_word(const char *word, FileLanguage before)
{
    if (!strcmp(word, "c"))
        return FILE_C;
    if (!strcmp(word, "c++"))
        return FILE_CXX;
    return !strcmp(word, "none") ? FILE_UNKNOWN : before;
}

static void add_file(Invocation *out, const char *path, FileLanguage language, bool cxx)
{
    FileLanguage own = language ? language : compiler_file_language(path);
    if (own == FILE_C && cxx && !language)
        own = FILE_CXX;
    if (own == FILE_C || own == FILE_CXX)
        vec_push(&out->sources, (InvocationSource){path, own});
    else
        vec_push(&out->inputs, path);
}

/* An option that decides what the compiler makes. */
static bool decides_kind(const char *word, InvocationKind *kind)
{
    static const char *const others[] = {"-E",
                                         "-S",
                                         "-M",
                                         "-MM",
                                         "--version",
                                         "--help",
                                         "-dumpversion",
                                         "-dumpmachine",
                                         "-###",
                                         "-fsyntax-only",
                                         "-r",
                                         "-dumpspecs",
                                         "-dumpfullversion"};
    for (size_t i = 0; i < COUNT_OF(others); i++)
        if (!strcmp(word, others[i])) {
            *kind = INVOCATION_OTHER;
            return true;
        }
    if (strcmp(word, "-c") != 0)
        return false;
    if (*kind == INVOCATION_LINK)
        *kind = INVOCATION_COMPILE;
    return true;
}

static void add_linker_words(Arena *arena, const char *text, Invocation *out)
{
    Str rest = str_of(text), word;
    while (str_next(&rest, ',', &word))
        vec_push(&out->linker, str_copy(arena, word));
}

static void read_option(Arena *arena, const char *word, const char *value, Invocation *out)
{
    if (!strcmp(word, "-o") && value)
        out->output = value;
    else if (!strcmp(word, "-shared"))
        out->shared = true;
    else if (!strncmp(word, "-L", 2) && (value || word[2]))
        vec_push(&out->folders, value ? value : word + 2);
    else if (!strncmp(word, "-l", 2) && (value || word[2]))
        vec_push(&out->inputs, value ? arena_printf(arena, "-l%s", value) : word);
    else if (!strncmp(word, "-Wl,", 4))
        add_linker_words(arena, word + 4, out);
    else if (!strcmp(word, "-Xlinker") && value)
        vec_push(&out->linker, value);
}

bool invocation_read(Arena *arena, const char *folder, const Words *words, bool cxx,
                     Invocation *out, Error *error)
{
    *out = (Invocation){.kind = INVOCATION_LINK};
    FileLanguage language = FILE_UNKNOWN;
    bool standard_input = false;
    for (size_t i = 0; i < words->count; i++)
        if (!append_word(arena, folder, words->at[i], 0, &out->words, error))
            return false;
    for (size_t i = 1; i < out->words.count; i++) {
        const char *word = out->words.at[i], *value = NULL;
        if (takes_next(word) && i + 1 < out->words.count)
            value = out->words.at[++i];
        if (word[0] != '-')
            add_file(out, word, language, cxx);
        else if (!word[1])
            standard_input = true;
        else if (!strncmp(word, "-x", 2) && (value || word[2]))
            language = language_word(value ? value : word + 2, language);
        else if (!strncmp(word, "-print-", 7) || !strncmp(word, "--print-", 8) ||
                 !strncmp(word, "--help=", 7))
            out->kind = INVOCATION_OTHER;
        else if (!decides_kind(word, &out->kind))
            read_option(arena, word, value, out);
        if (!strncmp(word, "-o", 2) && word[2] && !value)
            out->output = word + 2;
    }
    if (standard_input || (!out->sources.count && !out->inputs.count))
        out->kind = INVOCATION_OTHER;
    return true;
}

void invocation_free(Invocation *invocation)
{
    vec_free(&invocation->words);
    vec_free(&invocation->sources);
    vec_free(&invocation->inputs);
    vec_free(&invocation->folders);
    vec_free(&invocation->linker);
}

const char *invocation_object(Arena *arena, const Invocation *invocation, const char *source)
{
    if (invocation->output)
        return invocation->output;
    const char *slash = strrchr(source, '/'), *base = slash ? slash + 1 : source;
    const char *dot = strrchr(base, '.');
    return arena_printf(arena, "%.*s.o", dot ? (int)(dot - base) : (int)strlen(base), base);
}
