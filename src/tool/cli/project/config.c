#include "tool/cli/project/config.h"
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include "base/file.h"
#include "base/print.h"
#include "tool/cli/options.h"
#include "tool/cli/project/toml.h"

typedef enum KeyForm {
    FORM_TEXT,     /* --key=TEXT */
    FORM_COUNT,    /* --key=N */
    FORM_SWITCH,   /* --key if true */
    FORM_DURATION, /* --key=60s; an integer means seconds */
    FORM_SIZE,
    FORM_SHAPE,
    FORM_MODELS,  /* a word or several */
    FORM_FILES,   /* words as they are */
    FORM_FLAGS,   /* words for the compiler */
    FORM_OPTIONS, /* other options of the command */
    FORM_NAME,
    FORM_COMMAND,
    FORM_EXPECT
} KeyForm;

/* X(key, form): as in heddle.toml(5) */
#define CONFIG_KEYS(X)                                                                             \
    X("name", FORM_NAME)                                                                           \
    X("command", FORM_COMMAND)                                                                     \
    X("file", FORM_FILES)                                                                          \
    X("files", FORM_FILES)                                                                         \
    X("flags", FORM_FLAGS)                                                                         \
    X("options", FORM_OPTIONS)                                                                     \
    X("expect", FORM_EXPECT)                                                                       \
    X("model", FORM_MODELS)                                                                        \
    X("cc", FORM_TEXT)                                                                             \
    X("shape", FORM_SHAPE)                                                                         \
    X("samples", FORM_COUNT)                                                                       \
    X("exhaustive", FORM_SWITCH)                                                                   \
    X("scenario", FORM_TEXT)                                                                       \
    X("spec", FORM_TEXT)                                                                           \
    X("quasi", FORM_TEXT)                                                                          \
    X("semantics", FORM_TEXT)                                                                      \
    X("time", FORM_DURATION)                                                                       \
    X("hang", FORM_DURATION)                                                                       \
    X("memory", FORM_SIZE)                                                                         \
    X("jobs", FORM_COUNT)                                                                          \
    X("preemptions", FORM_COUNT)                                                                   \
    X("schedules", FORM_COUNT)                                                                     \
    X("seed", FORM_COUNT)                                                                          \
    X("loop-bound", FORM_COUNT)                                                                    \
    X("event-bound", FORM_COUNT)                                                                   \
    X("races", FORM_TEXT)                                                                          \
    X("release-sequences", FORM_TEXT)                                                              \
    X("tso", FORM_TEXT)                                                                            \
    X("exit-status", FORM_TEXT)                                                                    \
    X("leaks", FORM_TEXT)                                                                          \
    X("uninitialised", FORM_TEXT)                                                                  \
    X("weak-cas", FORM_SWITCH)                                                                     \
    X("rand", FORM_TEXT)                                                                           \
    X("clock", FORM_TEXT)                                                                          \
    X("sampler", FORM_TEXT)                                                                        \
    X("spurious-wakeups", FORM_COUNT)

typedef struct Key {
    const char *name;
    KeyForm form;
} Key;
static const Key keys[] = {
#define X(name, form) {name, form},
    CONFIG_KEYS(X)
#undef X
};

typedef struct Reading {
    Arena *arena;
    const char *path;
    Error *error;
} Reading;

#define COMPLAIN(r, value, ...)                                                                    \
    error_at((r)->error, (r)->path, (value)->line, (value)->column, __VA_ARGS__)

static bool is_plain(const char *text)
{
    bool safe = true;
    uint32_t code;
    for (Str rest = str_of(text); safe && rest.length;) {
        size_t length = print_character(rest, &code, &safe);
        safe = safe && code != '\n';
        rest = (Str){rest.at + length, rest.length - length};
    }
    return safe;
}

static bool wants(const Reading *r, const char *key, const TomlValue *value, TomlKind kind)
{
    if (value->kind != kind)
        return COMPLAIN(r, value, "%s wants %s, not %s", key, toml_kind_word(kind),
                        toml_kind_word(value->kind));
    return kind != TOML_STRING || is_plain(value->string) ||
           COMPLAIN(r, value, "a control character in a string");
}

/* One word or an array of words. */
static bool take_words(const Reading *r, const char *key, const TomlValue *value, bool options,
                       Words *out)
{
    const TomlValue *items = value->kind == TOML_ARRAY ? value->items : value;
    size_t count = value->kind == TOML_ARRAY ? value->count : 1;
    for (size_t i = 0; i < count; i++) {
        if (items[i].kind != TOML_STRING)
            return COMPLAIN(r, &items[i], "%s wants a string or an array of strings", key);
        if (!*items[i].string)
            return COMPLAIN(r, &items[i], "an empty word");
        if (!is_plain(items[i].string)) /* it may be printed by argp */
            return COMPLAIN(r, &items[i], "a control character in a word");
        if (options && items[i].string[0] != '-')
            return COMPLAIN(r, &items[i], "\"%.40s\" is no option", items[i].string);
        vec_push(out, items[i].string);
    }
    return true;
}

static bool take_expected(const Reading *r, const TomlValue *value, ConfigTest *test)
{
    Str rest = str_of(value->string), word;
    str_next(&rest, ' ', &word);
    int verdict = -1;
    for (int i = VERDICT_HOLDS; i <= VERDICT_INCONCLUSIVE; i++)
        if (str_is(word, verdict_word((Verdict)i)))
            verdict = i;
    if (verdict < 0)
        return COMPLAIN(r, value,
                        "expect is holds, inconclusive, violated, or violated and its kind, such "
                        "as \"violated race\"");
    test->expected = (Verdict)verdict;
    test->violation = VIOLATION_NONE;
    rest = str_trim(rest);
    if (!rest.length)
        return true;
    for (int kind = VIOLATION_NONE + 1; kind < VIOLATION_KIND_COUNT; kind++)
        if (verdict == VERDICT_VIOLATED && str_is(rest, violation_word((ViolationKind)kind))) {
            test->violation = (ViolationKind)kind;
            return true;
        }
    return COMPLAIN(r, value, "there is no kind of violation called \"%.*s\"", STR_ARG(rest));
}

/* Texts that mean something: better refused here, where the place is known, than later. */
static bool check_text(const Reading *r, const Key *key, const TomlValue *value)
{
    uint64_t number;
    uint32_t model;
    CheckOptions shape;
    switch (key->form) {
    case FORM_DURATION:
        return options_parse_duration(value->string, &number) ||
               COMPLAIN(r, value, "%s wants a time such as \"60s\" or \"5m\"", key->name);
    case FORM_SIZE:
        return options_parse_size(value->string, &number) ||
               COMPLAIN(r, value, "%s wants a size such as \"500M\" or \"2G\"", key->name);
    case FORM_SHAPE:
        return options_parse_shape(value->string, &shape) ||
               COMPLAIN(
                   r, value,
                   "shape is threads x calls, such as \"3x3\", or \"2x2+4\" with calls of main; "
                   "at most 8x16 and 32 calls");
    case FORM_MODELS:
        return model_from_word(value->string, &model) ||
               COMPLAIN(r, value, "unknown memory model \"%.40s\": it is one of" MODEL_WORDS,
                        value->string);
    default:
        return true;
    }
}

typedef struct Draft { /* a test as it is read; the models multiply it at the end */
    ConfigTest test;
    Words models, files, rest;
} Draft;

static bool take_entry(const Reading *r, const TomlEntry *entry, Draft *draft)
{
    const TomlValue *value = &entry->value;
    const Key *key = NULL;
    for (size_t i = 0; i < COUNT_OF(keys); i++)
        if (!strcmp(keys[i].name, entry->key))
            key = &keys[i];
    if (!key)
        return error_at(r->error, r->path, entry->line, entry->column,
                        "there is no key called %.60s; heddle.toml(5) lists them", entry->key);
    switch (key->form) {
    case FORM_NAME:
    case FORM_COMMAND:
    case FORM_EXPECT:
        if (!wants(r, key->name, value, TOML_STRING))
            return false;
        if (key->form == FORM_EXPECT)
            return take_expected(r, value, &draft->test);
        if (key->form == FORM_NAME)
            draft->test.name = value->string;
        else if (!strcmp(value->string, "check") || !strcmp(value->string, "run"))
            draft->test.command = value->string;
        else
            return COMPLAIN(r, value, "command is \"check\" or \"run\"");
        return *value->string || COMPLAIN(r, value, "an empty %s", key->name);
    case FORM_FILES:
        return take_words(r, key->name, value, false, &draft->files);
    case FORM_FLAGS:
    case FORM_OPTIONS:
        return take_words(r, key->name, value, key->form == FORM_OPTIONS, &draft->rest);
    case FORM_MODELS:
        vec_clear(&draft->models); /* those of the defaults */
        for (size_t i = 0; i < (value->kind == TOML_ARRAY ? value->count : 1); i++) {
            const TomlValue *item = value->kind == TOML_ARRAY ? &value->items[i] : value;
            if (!wants(r, key->name, item, TOML_STRING) || !check_text(r, key, item))
                return false;
            vec_push(&draft->models, item->string);
        }
        return true;
    case FORM_SWITCH:
        if (!wants(r, key->name, value, TOML_BOOLEAN))
            return false;
        if (value->integer)
            vec_push(&draft->rest, arena_printf(r->arena, "--%s", key->name));
        return true;
    case FORM_DURATION:
    case FORM_COUNT:
        if (value->kind == TOML_INTEGER || key->form == FORM_COUNT) {
            if (!wants(r, key->name, value, TOML_INTEGER))
                return false;
            if (value->integer < 0)
                return COMPLAIN(r, value, "%s can't be negative", key->name);
            vec_push(&draft->rest,
                     arena_printf(r->arena, "--%s=%lld", key->name, (long long)value->integer));
            return true;
        }
        break;
    default:
        break;
    }
    if (!wants(r, key->name, value, TOML_STRING) || !check_text(r, key, value))
        return false;
    vec_push(&draft->rest, arena_printf(r->arena, "--%s=%s", key->name, value->string));
    return true;
}

static void copy_words(Words *to, const Words *from)
{
    for (size_t i = 0; i < from->count; i++)
        vec_push(to, from->at[i]);
}

static void draft_free(Draft *draft)
{
    vec_free(&draft->models);
    vec_free(&draft->files);
    vec_free(&draft->rest);
}

typedef Vec(ConfigTest) ConfigTests;

static bool add_tests(const Reading *r, const TomlTable *table, Draft *draft, ConfigTests *tests)
{
    if (!draft->files.count)
        return error_at(r->error, r->path, table->line, table->column, "this test names no file");
    const char *name = draft->test.name ? draft->test.name : draft->files.at[0];
    if (!draft->models.count)
        vec_push(&draft->models, "");
    for (size_t i = 0; i < draft->models.count; i++) {
        ConfigTest test = draft->test;
        test.model = draft->models.at[i];
        test.name =
            draft->models.count == 1 ? name : arena_printf(r->arena, "%s (%s)", name, test.model);
        for (size_t k = 0; k < tests->count; k++)
            if (!strcmp(tests->at[k].name, test.name))
                return error_at(r->error, r->path, table->line, table->column,
                                "there is another test called %.100s, in line %d: give it a name",
                                test.name, tests->at[k].line);
        if (*test.model)
            vec_push(&test.words, arena_printf(r->arena, "--model=%s", test.model));
        copy_words(&test.words, &draft->rest);
        copy_words(&test.words, &draft->files);
        vec_push(tests, test);
    }
    return true;
}

static bool take_table(const Reading *r, const TomlTable *table, Draft *draft)
{
    for (size_t i = 0; i < table->count; i++)
        if (!take_entry(r, &table->entries[i], draft))
            return false;
    return true;
}

static bool take_tables(const Reading *r, const TomlDocument *document, Draft *defaults,
                        ConfigTests *tests)
{
    if (document->tables[0].count)
        return error_at(r->error, r->path, document->tables[0].entries[0].line,
                        document->tables[0].entries[0].column,
                        "keys stand under [defaults] or [[test]]");
    for (size_t i = 1; i < document->count; i++) { /* wherever they stand */
        const TomlTable *table = &document->tables[i];
        if (!strcmp(table->name, "defaults") && !table->one_of_many) {
            if (!take_table(r, table, defaults))
                return false;
            if (defaults->test.name || defaults->files.count)
                return error_at(r->error, r->path, table->line, table->column,
                                "name and file belong to a test, not to the defaults");
        } else if (strcmp(table->name, "test") != 0 || !table->one_of_many) {
            return error_at(r->error, r->path, table->line, table->column,
                            "there is [defaults] and [[test]], but no %s%.60s%s",
                            table->one_of_many ? "[[" : "[", table->name,
                            table->one_of_many ? "]]" : "]");
        }
    }
    for (size_t i = 1; i < document->count; i++) {
        const TomlTable *table = &document->tables[i];
        if (!table->one_of_many)
            continue;
        Draft draft = {.test = defaults->test};
        draft.test.line = table->line;
        copy_words(&draft.models, &defaults->models);
        copy_words(&draft.rest, &defaults->rest);
        bool fine = take_table(r, table, &draft) && add_tests(r, table, &draft, tests);
        draft_free(&draft);
        if (!fine)
            return false;
    }
    return tests->count || error_set(r->error, "%s: no [[test]] is there", r->path);
}

bool config_parse(Arena *arena, const char *path, Str text, Config *out, Error *error)
{
    Reading reading = {arena, path, error};
    TomlDocument document;
    if (!toml_parse(arena, path, text, &document, error))
        return false;
    Draft defaults = {.test = {.command = "check", .expected = VERDICT_HOLDS}};
    ConfigTests tests = {0};
    bool fine = take_tables(&reading, &document, &defaults, &tests);
    draft_free(&defaults);
    *out =
        (Config){(void *)arena_copy(arena, tests.at, tests.count * sizeof *tests.at), tests.count};
    vec_free(&tests);
    if (!fine)
        config_free(out);
    return fine;
}

bool config_read(Arena *arena, const char *path, Config *out, Error *error)
{
    enum { MOST_BYTES = 1 << 20 };
    Buffer text = {0};
    bool fine = file_read_at_most(path, MOST_BYTES, &text, error) &&
                config_parse(arena, path, buffer_str(&text), out, error);
    vec_free(&text);
    return fine;
}

void config_free(Config *config)
{
    for (size_t i = 0; i < config->count; i++)
        vec_free(&config->tests[i].words);
    config->count = 0;
}
