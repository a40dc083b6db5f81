#include "model/lexer.h"
#include <ctype.h>
#include <string.h>

enum { MAX_INCLUDE_DEPTH = 20 };

typedef struct Macro {
    const char *name;
    Tokens tokens;
    bool defined, active;
} Macro;

typedef struct Lexer {
    Arena *arena;
    const ModelOptions *options;
    Defines *defines;
    Tokens *out;
    Error *error;
    Vec(Macro) macros;
    int depth;
} Lexer;

typedef struct Cursor { /* a place in one file */
    const SourceFile *file;
    size_t at;
    int line, column;
} Cursor;

static int peek(const Cursor *cursor, size_t ahead)
{
    size_t i = cursor->at + ahead;
    return i < cursor->file->length ? (unsigned char)cursor->file->text[i] : -1;
}

static void advance(Cursor *cursor)
{
    if (cursor->file->text[cursor->at++] == '\n') {
        cursor->line++;
        cursor->column = 1;
    } else {
        cursor->column++;
    }
}

static Place place_of(const Cursor *cursor, int width)
{
    return (Place){cursor->file, cursor->line, cursor->column, width};
}

/* White space and comments; stops at a newline if within_line. */
static bool skip_blank(Lexer *lexer, Cursor *cursor, bool within_line)
{
    for (;;) {
        int c = peek(cursor, 0);
        if (c == '\n' && within_line)
            return true;
        if (c != -1 && isspace(c)) {
            advance(cursor);
        } else if (c == '\\' && within_line && peek(cursor, 1) == '\n') {
            advance(cursor);
            advance(cursor);
        } else if (c == '/' && peek(cursor, 1) == '/') {
            while (peek(cursor, 0) != -1 && peek(cursor, 0) != '\n')
                advance(cursor);
        } else if (c == '/' && peek(cursor, 1) == '*') {
            Place open = place_of(cursor, 2);
            advance(cursor);
            advance(cursor);
            while (peek(cursor, 0) != -1 && !(peek(cursor, 0) == '*' && peek(cursor, 1) == '/'))
                advance(cursor);
            if (peek(cursor, 0) == -1)
                return source_error(lexer->error, open, "this comment is never closed");
            advance(cursor);
            advance(cursor);
        } else {
            return true;
        }
    }
}

static bool read_number(Lexer *lexer, Cursor *cursor, Token *token)
{
    Cursor start = *cursor;
    int base = 10;
    if (peek(cursor, 0) == '0' && (peek(cursor, 1) == 'x' || peek(cursor, 1) == 'X')) {
        base = 16;
        advance(cursor);
        advance(cursor);
    }
    int64_t value = 0;
    size_t digits = 0;
    bool large = false;
    for (;; digits++) {
        int c = peek(cursor, 0);
        int digit = c >= '0' && c <= '9'                   ? c - '0'
                    : base == 16 && c != -1 && isxdigit(c) ? tolower(c) - 'a' + 10
                                                           : -1;
        if (digit < 0)
            break;
        value = value * base + digit;
        large |= value > INT32_MAX;
        if (large)
            value = 0;
        advance(cursor);
    }
    Place place = place_of(&start, (int)(cursor->at - start.at));
    if (large)
        return source_error(lexer->error, place, "this number is too large (at most %d)",
                            INT32_MAX);
    int c = peek(cursor, 0);
    if (digits == 0 || (c != -1 && (isalnum(c) || c == '_')))
        return source_error(lexer->error, place, "this is not a number");
    *token = (Token){TOKEN_NUMBER, "", value, place};
    return true;
}

static const char *const symbols[] = {
    "<<=", ">>=", "..", "->", "++", "--", "+=", "-=", "*=", "/=", "%=", "&=",
    "|=",  "^=",  "<<", ">>", "<=", ">=", "==", "!=", "&&", "||", "{",  "}",
    "(",   ")",   "[",  "]",  ";",  ",",  ":",  "?",  ".",  "=",  "<",  ">",
    "+",   "-",   "*",  "/",  "%",  "&",  "|",  "^",  "!",  "~",
};

/* Next token of the line or file; TOKEN_END at its end. */
static bool next_token(Lexer *lexer, Cursor *cursor, bool within_line, Token *token)
{
    if (!skip_blank(lexer, cursor, within_line))
        return false;
    int c = peek(cursor, 0);
    if (c == -1 || c == '\n') {
        *token = (Token){TOKEN_END, "", 0, place_of(cursor, 1)};
        return true;
    }
    Cursor start = *cursor;
    if (isdigit(c))
        return read_number(lexer, cursor, token);
    if (isalpha(c) || c == '_') {
        while ((c = peek(cursor, 0)) != -1 && (isalnum(c) || c == '_'))
            advance(cursor);
        size_t length = cursor->at - start.at;
        *token =
            (Token){TOKEN_NAME, str_copy(lexer->arena, (Str){start.file->text + start.at, length}),
                    0, place_of(&start, (int)length)};
        return true;
    }
    for (size_t i = 0; i < COUNT_OF(symbols); i++) {
        size_t length = strlen(symbols[i]);
        if (start.at + length <= start.file->length &&
            !memcmp(start.file->text + start.at, symbols[i], length)) {
            for (size_t j = 0; j < length; j++)
                advance(cursor);
            *token = (Token){TOKEN_SYMBOL, symbols[i], 0, place_of(&start, (int)length)};
            return true;
        }
    }
    if (isprint(c))
        return source_error(lexer->error, place_of(&start, 1), "unexpected character '%c'", c);
    return source_error(lexer->error, place_of(&start, 1), "unexpected byte 0x%02x", (unsigned)c);
}

static Macro *find_macro(Lexer *lexer, const char *name)
{
    for (size_t i = lexer->macros.count; i-- > 0;)
        if (!strcmp(lexer->macros.at[i].name, name))
            return lexer->macros.at[i].defined ? &lexer->macros.at[i] : NULL;
    return NULL;
}

static void emit(Lexer *lexer, Token token)
{
    Macro *macro = token.kind == TOKEN_NAME ? find_macro(lexer, token.text) : NULL;
    if (!macro || macro->active) {
        vec_push(lexer->out, token);
        return;
    }
    size_t index = (size_t)(macro - lexer->macros.at);
    macro->active = true; /* a name inside its own replacement stands for itself, as in C */
    for (size_t i = 0; i < lexer->macros.at[index].tokens.count; i++) {
        Token inner = lexer->macros.at[index].tokens.at[i];
        inner.place = token.place; /* messages point at the use */
        emit(lexer, inner);
    }
    lexer->macros.at[index].active = false;
}

static bool is_defined(Lexer *lexer, const char *name)
{
    bool found = find_macro(lexer, name) != NULL;
    for (size_t i = 0; i < lexer->defines->count; i++)
        if (!strcmp(lexer->defines->at[i].name, name)) {
            lexer->defines->at[i].used = true;
            found = true;
        }
    return found;
}

static bool read_file(Lexer *lexer, const SourceFile *file);

static bool include_file(Lexer *lexer, Cursor *cursor, Place directive)
{
    if (!skip_blank(lexer, cursor, true))
        return false;
    int open = peek(cursor, 0);
    int close = open == '<' ? '>' : '"';
    Place place = place_of(cursor, 1);
    if (open != '<' && open != '"')
        return source_error(lexer->error, place, "#include needs \"FILE\" or <FILE>");
    advance(cursor);
    size_t start = cursor->at;
    while (peek(cursor, 0) != close && peek(cursor, 0) != '\n' && peek(cursor, 0) != -1)
        advance(cursor);
    if (peek(cursor, 0) != close)
        return source_error(lexer->error, place, "the name of the file does not end");
    const char *name =
        str_copy(lexer->arena, (Str){cursor->file->text + start, cursor->at - start});
    place.width = (int)(cursor->at - start) + 2;
    advance(cursor);
    if (lexer->depth >= MAX_INCLUDE_DEPTH)
        return source_error(lexer->error, directive, "files include each other in a circle");

    const SourceFile *file = NULL;
    if (open == '"') { /* beside the including file first, as in C */
        const char *slash = strrchr(cursor->file->name, '/');
        int length = slash ? (int)(slash - cursor->file->name) + 1 : 0;
        const char *path = arena_printf(lexer->arena, "%.*s%s", length, cursor->file->name, name);
        if (!source_read(lexer->arena, path, &file, NULL))
            file = NULL;
    }
    for (int i = 0; !file && i < lexer->options->include_path_count; i++) {
        const char *path =
            arena_printf(lexer->arena, "%s/%s", lexer->options->include_paths[i], name);
        if (!source_read(lexer->arena, path, &file, NULL))
            file = NULL;
    }
    if (!file)
        file = source_library(lexer->arena, name);
    if (!file)
        return source_error(lexer->error, place, "there is no file '%s' to include", name);
    lexer->depth++;
    bool ok = read_file(lexer, file);
    lexer->depth--;
    return ok;
}

static bool define_macro(Lexer *lexer, Cursor *cursor)
{
    Token name, token;
    if (!next_token(lexer, cursor, true, &name))
        return false;
    if (name.kind != TOKEN_NAME)
        return source_error(lexer->error, name.place, "#define needs a name");
    if (peek(cursor, 0) == '(')
        return source_error(lexer->error, place_of(cursor, 1),
                            "macros have no arguments here: write a function");
    Macro macro = {.name = name.text, .defined = true};
    for (;;) {
        if (!next_token(lexer, cursor, true, &token))
            return false;
        if (token.kind == TOKEN_END)
            break;
        vec_push(&macro.tokens, token);
    }
    vec_push(&lexer->macros, macro);
    return true;
}

/* Skips to the #else or #endif that belongs to the #if just read; true in *stopped_at_else. */
static bool skip_conditional(Lexer *lexer, Cursor *cursor, Place opened, bool *stopped_at_else)
{
    int depth = 0;
    for (;;) {
        int c = peek(cursor, 0);
        if (c == -1)
            return source_error(lexer->error, opened, "this has no #endif");
        size_t at = cursor->at;
        while ((c = peek(cursor, 0)) == ' ' || c == '\t')
            advance(cursor);
        if (c == '#') {
            advance(cursor);
            Token word;
            if (!next_token(lexer, cursor, true, &word))
                return false;
            if (!strcmp(word.text, "ifdef") || !strcmp(word.text, "ifndef")) {
                depth++;
            } else if (!strcmp(word.text, "else") && depth == 0) {
                *stopped_at_else = true;
                return true;
            } else if (!strcmp(word.text, "endif") && depth-- == 0) {
                *stopped_at_else = false;
                return true;
            }
        }
        while (peek(cursor, 0) != '\n' && peek(cursor, 0) != -1)
            advance(cursor);
        if (peek(cursor, 0) == '\n')
            advance(cursor);
        ASSERT(cursor->at > at);
    }
}

static bool read_directive(Lexer *lexer, Cursor *cursor, int *open_ifs)
{
    Place place = place_of(cursor, 1);
    advance(cursor);
    Token word, name;
    if (!next_token(lexer, cursor, true, &word))
        return false;
    place.width = word.place.column + word.place.width - place.column;
    bool negated = !strcmp(word.text, "ifndef"), at_else = false;
    if (!strcmp(word.text, "include"))
        return include_file(lexer, cursor, place);
    if (!strcmp(word.text, "define"))
        return define_macro(lexer, cursor);
    if (!strcmp(word.text, "undef") || !strcmp(word.text, "ifdef") || negated) {
        if (!next_token(lexer, cursor, true, &name))
            return false;
        if (name.kind != TOKEN_NAME)
            return source_error(lexer->error, name.place, "#%s needs a name", word.text);
        if (!strcmp(word.text, "undef")) {
            vec_push(&lexer->macros, (Macro){.name = name.text});
            return true;
        }
        if (is_defined(lexer, name.text) != negated) {
            ++*open_ifs;
            return true;
        }
        if (!skip_conditional(lexer, cursor, place, &at_else))
            return false;
        *open_ifs += at_else;
        return true;
    }
    if ((!strcmp(word.text, "else") || !strcmp(word.text, "endif")) && *open_ifs == 0)
        return source_error(lexer->error, place, "#%s without #ifdef", word.text);
    if (!strcmp(word.text, "else")) { /* the first part was taken: skip the second */
        --*open_ifs;
        if (!skip_conditional(lexer, cursor, place, &at_else))
            return false;
        if (at_else)
            return source_error(lexer->error, place, "two #else for one #ifdef");
        return true;
    }
    if (!strcmp(word.text, "endif")) {
        --*open_ifs;
        return true;
    }
    return source_error(lexer->error, place,
                        "unknown directive: #include, #define, #undef, #ifdef, #ifndef, #else and "
                        "#endif are known");
}

static bool read_file(Lexer *lexer, const SourceFile *file)
{
    Cursor cursor = {file, 0, 1, 1};
    int open_ifs = 0;
    for (;;) {
        if (!skip_blank(lexer, &cursor, false))
            return false;
        if (peek(&cursor, 0) == '#') {
            Place place = place_of(&cursor, 1);
            if (!read_directive(lexer, &cursor, &open_ifs))
                return false;
            Token extra;
            if (!next_token(lexer, &cursor, true, &extra))
                return false;
            if (extra.kind != TOKEN_END)
                return source_error(lexer->error, extra.place,
                                    "unexpected text after the directive");
            (void)place;
            continue;
        }
        Token token;
        if (!next_token(lexer, &cursor, false, &token))
            return false;
        if (token.kind == TOKEN_END) {
            if (open_ifs)
                return source_error(lexer->error, token.place, "an #ifdef has no #endif");
            return true;
        }
        emit(lexer, token);
    }
}

bool lexer_read(Arena *arena, const SourceFile *file, const ModelOptions *options, Defines *defines,
                Tokens *out, Error *error)
{
    Lexer lexer = {arena, options, defines, out, error, {0}, 0};
    bool ok = read_file(&lexer, file);
    for (size_t i = 0; i < lexer.macros.count; i++)
        vec_free(&lexer.macros.at[i].tokens);
    vec_free(&lexer.macros);
    return ok;
}
