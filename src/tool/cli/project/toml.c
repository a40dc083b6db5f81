#include "tool/cli/project/toml.h"
#include <ctype.h>
#include <string.h>

#define DEEPEST 8 /* arrays in arrays */

typedef struct Reader {
    Arena *arena;
    const char *path;
    const char *at, *end, *line_start;
    int line;
    Error *error;
} Reader;

static int column_of(const Reader *r, const char *at)
{
    int column = 1;
    for (const char *c = r->line_start; c < at; c++)
        column += ((unsigned char)*c & 0xC0) != 0x80;
    return column;
}

#define FAIL(r, ...)                                                                               \
    error_at((r)->error, (r)->path, (r)->line, column_of((r), (r)->at), __VA_ARGS__)

const char *toml_kind_word(TomlKind kind)
{
    static const char *const words[] = {"a string", "an integer", "a boolean", "an array"};
    return words[kind];
}

static bool at_end(const Reader *r)
{
    return r->at == r->end;
}

static bool see(const Reader *r, const char *text)
{
    size_t length = strlen(text);
    return (size_t)(r->end - r->at) >= length && !memcmp(r->at, text, length);
}

static void skip_blanks(Reader *r)
{
    while (!at_end(r) && (*r->at == ' ' || *r->at == '\t'))
        r->at++;
}

static void next_line(Reader *r)
{
    r->at++;
    r->line++;
    r->line_start = r->at;
}

/* A comment, if there is one, up to the end of the line. */
static bool skip_comment(Reader *r)
{
    if (at_end(r) || *r->at != '#')
        return true;
    for (; !at_end(r) && *r->at != '\n'; r->at++)
        if (((unsigned char)*r->at < 32 && *r->at != '\t' && !see(r, "\r\n")) || *r->at == 127)
            return FAIL(r, "a control character in a comment");
    return true;
}

/* Blanks, comments and line ends. */
static bool skip_lines(Reader *r)
{
    for (;;) {
        skip_blanks(r);
        if (!skip_comment(r))
            return false;
        if (see(r, "\r\n"))
            r->at++;
        if (at_end(r) || *r->at != '\n')
            return true;
        next_line(r);
    }
}

static bool end_of_line(Reader *r)
{
    skip_blanks(r);
    if (!skip_comment(r))
        return false;
    if (see(r, "\r\n"))
        r->at++;
    if (at_end(r))
        return true;
    if (*r->at != '\n')
        return FAIL(r, "nothing more was expected on this line");
    next_line(r);
    return true;
}

/* The bytes of one UTF-8 letter at the reader's place; 0 if it is none. */
static size_t letter_bytes(const Reader *r)
{
    const unsigned char *at = (const unsigned char *)r->at;
    size_t room = (size_t)(r->end - r->at);
    size_t bytes = at[0] < 0x80   ? 1
                   : at[0] < 0xC2 ? 0
                   : at[0] < 0xE0 ? 2
                   : at[0] < 0xF0 ? 3
                   : at[0] < 0xF5 ? 4
                                  : 0;
    if (!bytes || bytes > room)
        return 0;
    for (size_t i = 1; i < bytes; i++)
        if ((at[i] & 0xC0) != 0x80)
            return 0;
    bool odd = (at[0] == 0xE0 && at[1] < 0xA0) || (at[0] == 0xED && at[1] >= 0xA0) ||
               (at[0] == 0xF0 && at[1] < 0x90) || (at[0] == 0xF4 && at[1] >= 0x90);
    return odd ? 0 : bytes;
}

static void append_code_point(Buffer *out, uint32_t code)
{
    char bytes[4];
    size_t count = code < 0x80 ? 1 : code < 0x800 ? 2 : code < 0x10000 ? 3 : 4;
    static const unsigned char first[] = {0, 0x00, 0xC0, 0xE0, 0xF0};
    for (size_t i = count; i-- > 1; code >>= 6)
        bytes[i] = (char)(0x80 | (code & 0x3F));
    bytes[0] = (char)(first[count] | code);
    buffer_append(out, bytes, count);
}

static bool read_escape(Reader *r, Buffer *out)
{
    static const char letters[] = "btnfr\"\\", meanings[] = "\b\t\n\f\r\"\\";
    if (at_end(r))
        return FAIL(r, "the string has no end");
    const char *known = *r->at ? strchr(letters, *r->at) : NULL;
    if (known) {
        buffer_append(out, &meanings[known - letters], 1);
        r->at++;
        return true;
    }
    size_t digits = *r->at == 'u' ? 4 : *r->at == 'U' ? 8 : 0;
    if (!digits)
        return FAIL(r, "there is no escape like this; a backslash itself is written \\\\");
    uint32_t code = 0;
    r->at++;
    for (; digits; digits--, r->at++) {
        if (at_end(r) || !isxdigit((unsigned char)*r->at))
            return FAIL(r, "a hexadecimal digit is missing");
        code = code << 4 | (uint32_t)(isdigit((unsigned char)*r->at)
                                          ? *r->at - '0'
                                          : tolower((unsigned char)*r->at) - 'a' + 10);
    }
    if (!code || code > 0x10FFFF || (code >= 0xD800 && code < 0xE000))
        return FAIL(r, "this number is no character that a text can have");
    append_code_point(out, code);
    return true;
}

static bool read_string(Reader *r, const char **out)
{
    char quote = *r->at;
    if (see(r, "\"\"\"") || see(r, "'''"))
        return FAIL(r, "strings of several lines can't be used here");
    Buffer text = {0};
    bool fine = true;
    for (r->at++; fine && !at_end(r) && *r->at != quote;) {
        size_t bytes = letter_bytes(r);
        if (*r->at == '\n' || see(r, "\r\n"))
            break;
        if (!bytes)
            fine = FAIL(r, "this is no UTF-8");
        else if (((unsigned char)*r->at < 32 && *r->at != '\t') || *r->at == 127)
            fine = FAIL(r, "a control character in a string; write it as an escape");
        else if (quote == '"' && *r->at == '\\') {
            r->at++;
            fine = read_escape(r, &text);
        } else {
            buffer_append(&text, r->at, bytes);
            r->at += bytes;
        }
    }
    if (fine && (at_end(r) || *r->at != quote))
        fine = FAIL(r, "the string has no end");
    if (fine) {
        r->at++;
        *out = str_copy(r->arena, buffer_str(&text));
    }
    vec_free(&text);
    return fine;
}

static bool is_bare(char c)
{
    return isalnum((unsigned char)c) || c == '_' || c == '-';
}

static bool read_key(Reader *r, const char **out)
{
    if (at_end(r))
        return FAIL(r, "a name is missing");
    if (*r->at == '"' || *r->at == '\'') {
        if (!read_string(r, out))
            return false;
    } else {
        const char *start = r->at;
        while (!at_end(r) && is_bare(*r->at))
            r->at++;
        if (r->at == start)
            return FAIL(r, "a name is missing");
        *out = str_copy(r->arena, (Str){start, (size_t)(r->at - start)});
    }
    skip_blanks(r);
    if (!at_end(r) && *r->at == '.')
        return FAIL(r, "names with dots can't be used here");
    return true;
}

static bool read_number(Reader *r, TomlValue *value)
{
    const char *start = r->at;
    Buffer digits = {0};
    if (*r->at == '+' || *r->at == '-') {
        if (*r->at == '-')
            buffer_append(&digits, r->at, 1);
        r->at++;
    }
    const char *first = r->at;
    bool fine = true;
    for (; !at_end(r) && (isdigit((unsigned char)*r->at) || *r->at == '_'); r->at++) {
        bool between = r->at > first && r->at[-1] != '_' && r->at + 1 < r->end &&
                       isdigit((unsigned char)r->at[1]);
        if (*r->at == '_' && !between)
            fine = FAIL(r, "an underscore stands between two digits");
        else if (*r->at != '_')
            buffer_append(&digits, r->at, 1);
        if (!fine)
            break;
    }
    if (fine && r->at == first)
        fine = FAIL(r, "a value is missing");
    if (fine && *first == '0' && r->at > first + 1)
        fine = FAIL(r, "a number does not begin with 0");
    if (fine && !at_end(r) && (is_bare(*r->at) || strchr(".:", *r->at)))
        fine = FAIL(r, "only whole decimal numbers can be used here; a date, a fraction or a text "
                       "such as 60s must stand in quotes");
    if (fine && !str_to_int64(buffer_str(&digits), &value->integer)) {
        r->at = start;
        fine = FAIL(r, "the number is too large");
    }
    vec_free(&digits);
    return fine;
}

static bool read_value(Reader *r, TomlValue *value, int depth);

static bool read_array(Reader *r, TomlValue *value, int depth)
{
    Vec(TomlValue) items = {0};
    if (depth == DEEPEST)
        return FAIL(r, "too many arrays inside arrays");
    r->at++;
    bool fine = true;
    for (;;) {
        TomlValue item = {0};
        if (!(fine = skip_lines(r)))
            break;
        if (!at_end(r) && *r->at == ']')
            break;
        if (!(fine = read_value(r, &item, depth + 1)))
            break;
        vec_push(&items, item);
        if (!(fine = skip_lines(r)))
            break;
        if (!at_end(r) && *r->at == ',')
            r->at++;
        else if (at_end(r) || *r->at != ']')
            fine = FAIL(r, "a comma or the end of the array is missing");
        if (!fine)
            break;
    }
    if (fine) {
        r->at++;
        value->count = items.count;
        value->items = items.count
                           ? (void *)arena_copy(r->arena, items.at, items.count * sizeof *items.at)
                           : NULL;
    }
    vec_free(&items);
    return fine;
}

static bool read_value(Reader *r, TomlValue *value, int depth)
{
    *value = (TomlValue){.line = r->line, .column = column_of(r, r->at)};
    if (at_end(r) || *r->at == '\n' || *r->at == '#' || *r->at == '\r')
        return FAIL(r, "a value is missing");
    switch (*r->at) {
    case '"':
    case '\'':
        value->kind = TOML_STRING;
        return read_string(r, &value->string);
    case '[':
        value->kind = TOML_ARRAY;
        return read_array(r, value, depth);
    case '{':
        return FAIL(r, "inline tables can't be used here");
    default:
        break;
    }
    bool truth = see(r, "true");
    if (truth || see(r, "false")) {
        const char *behind = r->at + (truth ? 4 : 5);
        if (behind == r->end || !is_bare(*behind)) {
            value->kind = TOML_BOOLEAN;
            value->integer = truth;
            r->at = behind;
            return true;
        }
    }
    if (!isdigit((unsigned char)*r->at) && *r->at != '+' && *r->at != '-')
        return FAIL(r, "a text must stand in quotes");
    value->kind = TOML_INTEGER;
    return read_number(r, value);
}

static bool read_header(Reader *r, TomlTable *table)
{
    *table = (TomlTable){.line = r->line, .column = column_of(r, r->at)};
    table->one_of_many = see(r, "[[");
    r->at += table->one_of_many ? 2 : 1;
    skip_blanks(r);
    if (!read_key(r, &table->name))
        return false;
    const char *close = table->one_of_many ? "]]" : "]";
    if (!see(r, close))
        return FAIL(r, "%s is missing", close);
    r->at += strlen(close);
    return end_of_line(r);
}

static bool read_entry(Reader *r, TomlEntries *entries)
{
    TomlEntry entry = {.line = r->line, .column = column_of(r, r->at)};
    if (!read_key(r, &entry.key))
        return false;
    for (size_t i = 0; i < entries->count; i++)
        if (!strcmp(entries->at[i].key, entry.key))
            return error_at(r->error, r->path, entry.line, entry.column,
                            "%.200s was given already, in line %d", entry.key, entries->at[i].line);
    if (at_end(r) || *r->at != '=')
        return FAIL(r, "= is missing");
    r->at++;
    skip_blanks(r);
    if (!read_value(r, &entry.value, 0))
        return false;
    vec_push(entries, entry);
    return end_of_line(r);
}

static bool check_name(Reader *r, const TomlTable *tables, size_t count, const TomlTable *table)
{
    for (size_t i = 1; i < count; i++)
        if (!strcmp(tables[i].name, table->name) && !(tables[i].one_of_many && table->one_of_many))
            return error_at(r->error, r->path, table->line, table->column,
                            "[%.200s] was there already, in line %d", table->name, tables[i].line);
    return true;
}

bool toml_parse(Arena *arena, const char *path, Str text, TomlDocument *out, Error *error)
{
    Reader r = {.arena = arena,
                .path = path,
                .at = text.at,
                .end = text.at + text.length,
                .line_start = text.at,
                .line = 1,
                .error = error};
    Vec(TomlTable) tables = {0};
    TomlEntries entries = {0};
    bool fine = true;
    if (see(&r, "\xEF\xBB\xBF"))
        r.line_start = r.at += 3;
    vec_push(&tables, (TomlTable){.name = "", .line = 1, .column = 1});
    while ((fine = skip_lines(&r)) && !at_end(&r)) {
        bool header = *r.at == '[';
        TomlTable next = {0};
        fine = header ? read_header(&r, &next) && check_name(&r, tables.at, tables.count, &next)
                      : read_entry(&r, &entries);
        if (!fine)
            break;
        if (!header)
            continue;
        TomlTable *last = &vec_last(&tables);
        last->count = entries.count;
        last->entries = (void *)arena_copy(arena, entries.at, entries.count * sizeof *entries.at);
        vec_clear(&entries);
        vec_push(&tables, next);
    }
    if (fine) {
        TomlTable *last = &vec_last(&tables);
        last->count = entries.count;
        last->entries = (void *)arena_copy(arena, entries.at, entries.count * sizeof *entries.at);
        out->count = tables.count;
        out->tables = (void *)arena_copy(arena, tables.at, tables.count * sizeof *tables.at);
    }
    vec_free(&tables);
    vec_free(&entries);
    return fine;
}
