#include "tool/cli/init/api.h"
#include <ctype.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include "base/file.h"
#include "base/str.h"
#include "tool/instrument/annotate/clang.h"
#include "tool/instrument/workspace.h"

typedef struct Reader {
    const Clang *clang;
    Arena *arena;
    Api *api;
    const char *real;      /* the header's one name */
    Words elements;        /* the names of the template's types that have no default */
    const char *own;       /* the same of a method that is a template itself */
    const char *class;     /* the class that is being read, without its arguments */
    const char *chosen;    /* the class whose methods are taken */
    const char *arguments; /* of the template: "int" */
    bool constructor, default_constructor;
} Reader;

static const char *text(const Reader *reader, ClangString string)
{
    return clang_text(reader->clang, reader->arena, string);
}

static bool in_header(const Reader *reader, ClangCursor cursor, unsigned *line)
{
    ClangFile file = NULL;
    unsigned column, offset;
    const Clang *clang = reader->clang;
    clang->getExpansionLocation(clang->getCursorLocation(cursor), &file, line, &column, &offset);
    if (!file)
        return false;
    char real[PATH_MAX];
    const char *name = text(reader, clang->getFileName(file));
    return realpath(name, real) && !strcmp(real, reader->real);
}

/* Drops "const " and "volatile " at the beginning of a type, and " const" at its end. */
static const char *plain(Arena *arena, const char *spelling)
{
    Str rest = str_of(spelling);
    static const char *const words[] = {"const ", "volatile ", "struct const "};
    for (size_t i = 0; i < COUNT_OF(words); i++)
        if (str_starts(rest, str_of(words[i])))
            rest = (Str){rest.at + strlen(words[i]), rest.length - strlen(words[i])};
    if (str_ends(rest, STR(" const")))
        rest.length -= strlen(" const");
    if (str_ends(rest, STR("*const")))
        rest.length -= strlen("const");
    return str_copy(arena, str_trim(rest));
}

static bool is_integer(int kind)
{
    return (kind >= CLANG_TYPE_CHAR_U && kind < CLANG_TYPE_UINT128) ||
           (kind >= CLANG_TYPE_CHAR_S && kind < CLANG_TYPE_INT128);
}

static int first_constant(ClangCursor cursor, ClangCursor parent, void *context)
{
    (void)parent;
    ClangCursor *found = context;
    if (cursor.kind != CLANG_ENUM_CONSTANT)
        return CLANG_VISIT_CONTINUE;
    *found = cursor;
    return CLANG_VISIT_BREAK;
}

static void read_enum(const Reader *reader, ClangType type, ApiType *out)
{
    ClangCursor found = {0};
    const Clang *clang = reader->clang;
    out->kind = API_ENUM;
    clang->visitChildren(clang->getTypeDeclaration(type), first_constant, &found);
    if (found.kind == CLANG_ENUM_CONSTANT)
        out->constant = text(reader, clang->getCursorSpelling(found));
}

static void read_pointer(const Reader *reader, ClangType type, ApiType *out)
{
    const Clang *clang = reader->clang;
    ClangType to = clang->getPointeeType(type), real = clang->getCanonicalType(to);
    out->pointee = plain(reader->arena, text(reader, clang->getTypeSpelling(to)));
    out->is_const = clang->isConstQualifiedType(real);
    if (real.kind == CLANG_TYPE_VOID) {
        out->kind = API_POINTER;
    } else if (real.kind == CLANG_TYPE_RECORD) {
        out->kind = API_RECORD_POINTER;
        out->record = plain(reader->arena, text(reader, clang->getTypeSpelling(real)));
        out->complete = clang->Type_getSizeOf(real) > 0;
    } else if (real.kind == CLANG_TYPE_CHAR_S && out->is_const) {
        out->kind = API_TEXT;
    } else if (is_integer(real.kind) || real.kind == CLANG_TYPE_BOOL) {
        out->kind = out->is_const ? API_OTHER : API_OUT_INTEGER;
    } else if (real.kind == CLANG_TYPE_POINTER && !out->is_const) {
        ClangType inner = clang->getCanonicalType(clang->getPointeeType(real));
        out->kind = API_OUT_POINTER;
        if (inner.kind == CLANG_TYPE_RECORD) {
            out->record = plain(reader->arena, text(reader, clang->getTypeSpelling(inner)));
            out->complete = clang->Type_getSizeOf(inner) > 0;
        } else if (inner.kind != CLANG_TYPE_VOID) {
            out->kind = API_OTHER;
        }
    }
}

static bool is_element(const Reader *reader, const char *name)
{
    for (size_t i = 0; i < reader->elements.count; i++)
        if (!strcmp(name, reader->elements.at[i]))
            return true;
    return reader->own && !strcmp(name, reader->own);
}

/* Is it a value of the C++ library whose parts a test can tell: std::pair<bool, T>, say? */
static bool is_told(const Reader *reader, const char *spelling)
{
    static const char *const words[] = {
        "std",        "const",      "optional", "pair",    "tuple",   "variant",     "monostate",
        "unique_ptr", "shared_ptr", "string",   "bool",    "char",    "string_view", "value_type",
        "int",        "unsigned",   "long",     "short",   "size_t",  "int32_t",     "uint32_t",
        "int64_t",    "uint64_t",   "int8_t",   "uint8_t", "int16_t", "uint16_t",    "signed"};
    if (!strstr(spelling, "std::") || strpbrk(spelling, "*[(&") ||
        (strstr(spelling, "string") && strchr(spelling, ','))) /* a value is a text or numbers */
        return false;
    for (const char *at = spelling; *at;) {
        size_t length = 0;
        while (isalnum((unsigned char)at[length]) || at[length] == '_')
            length++;
        const char *word = arena_printf(reader->arena, "%.*s", (int)length, at);
        bool known = !length || is_element(reader, word);
        for (size_t i = 0; i < COUNT_OF(words) && !known; i++)
            known = !strcmp(word, words[i]);
        if (!known)
            return false;
        at += length ? length : 1;
    }
    return true;
}

/* T, const T &, T && of a template's parameter T; T & is to be filled in. */
static bool read_element(const Reader *reader, ClangType type, ApiType *out)
{
    const Clang *clang = reader->clang;
    bool reference = type.kind == CLANG_TYPE_LREFERENCE;
    ClangType to = type;
    if (reference || type.kind == CLANG_TYPE_RREFERENCE)
        to = clang->getPointeeType(type);
    const char *name = plain(reader->arena, text(reader, clang->getTypeSpelling(to)));
    if (!is_element(reader, name))
        return false;
    bool out_value = reference && !clang->isConstQualifiedType(to);
    out->kind = out_value ? API_OUT_ELEMENT : API_ELEMENT;
    out->spelling = "int";
    return true;
}

static int last_field(ClangCursor cursor, ClangCursor parent, void *context)
{
    (void)parent;
    if (cursor.kind == CLANG_FIELD)
        *(ClangCursor *)context = cursor;
    return CLANG_VISIT_CONTINUE;
}

/* A union of pointers, passed by value, is a transparent one: a parameter that takes any of them.
 * Its last member is the public one where there are several (urcu). */
static void read_union(const Reader *reader, ClangType type, ApiType *out)
{
    const Clang *clang = reader->clang;
    ClangCursor declaration = clang->getTypeDeclaration(type), field = {0};
    if (declaration.kind != CLANG_UNION)
        return;
    clang->visitChildren(declaration, last_field, &field);
    if (field.kind != CLANG_FIELD)
        return;
    ClangType inner = clang->getCanonicalType(clang->getCursorType(field));
    if (inner.kind == CLANG_TYPE_POINTER)
        read_pointer(reader, inner, out);
}

static ApiType read_type(const Reader *reader, ClangType type)
{
    const Clang *clang = reader->clang;
    ApiType out = {.kind = API_OTHER,
                   .spelling = plain(reader->arena, text(reader, clang->getTypeSpelling(type)))};
    ClangType real = clang->getCanonicalType(type);
    if (read_element(reader, type, &out))
        return out;
    out.told = is_told(reader, out.spelling);
    if (real.kind == CLANG_TYPE_VOID)
        out.kind = API_VOID;
    else if (real.kind == CLANG_TYPE_BOOL)
        out.kind = API_BOOL;
    else if (is_integer(real.kind))
        out.kind = API_INTEGER;
    else if (real.kind == CLANG_TYPE_ENUM)
        read_enum(reader, real, &out);
    else if (real.kind == CLANG_TYPE_POINTER)
        read_pointer(reader, real, &out);
    else if (real.kind == CLANG_TYPE_RECORD)
        read_union(reader, real, &out);
    /* the name that the header uses is better than the canonical one */
    if (out.kind == API_RECORD_POINTER && type.kind == CLANG_TYPE_POINTER)
        out.pointee =
            plain(reader->arena, text(reader, clang->getTypeSpelling(clang->getPointeeType(type))));
    return out;
}

typedef struct Parameters {
    Reader *reader;
    ApiFunction *function;
} Parameters;

/* Parameters are children; libclang counts none of those of a template. */
static int visit_parameter(ClangCursor cursor, ClangCursor parent, void *context)
{
    (void)parent;
    const Parameters *parameters = context;
    Reader *reader = parameters->reader;
    const Clang *clang = reader->clang;
    if (cursor.kind == CLANG_TEMPLATE_TYPE && !reader->own)
        reader->own = text(reader, clang->getCursorSpelling(cursor));
    if (cursor.kind == CLANG_PARAMETER) {
        ApiParameter parameter = {.name = text(reader, clang->getCursorSpelling(cursor)),
                                  .type = read_type(reader, clang->getCursorType(cursor))};
        vec_push(&parameters->function->parameters, parameter);
    }
    return CLANG_VISIT_CONTINUE;
}

static void read_function(Reader *reader, ClangCursor cursor, bool member, unsigned line)
{
    const Clang *clang = reader->clang;
    ApiFunction function = {.name = text(reader, clang->getCursorSpelling(cursor)),
                            .result = read_type(reader, clang->getCursorResultType(cursor)),
                            .variadic = clang->Cursor_isVariadic(cursor),
                            .member = member,
                            .line = line};
    reader->own = NULL;
    clang->visitChildren(cursor, visit_parameter, &(Parameters){reader, &function});
    for (size_t i = 0; i < reader->api->functions.count; i++)
        if (!strcmp(reader->api->functions.at[i].name, function.name)) {
            vec_free(
                &function.parameters); /* declared again, or overloaded: the first one counts */
            return;
        }
    vec_push(&reader->api->functions, function);
}

static int has_children(ClangCursor cursor, ClangCursor parent, void *context)
{
    (void)cursor;
    (void)parent;
    *(bool *)context = true;
    return CLANG_VISIT_BREAK;
}

/* A parameter of a class template: an int for the first type and for each other one without a
 * default, which then is an element of what the class holds; 16 for a number without one. */
static void read_template_parameter(Reader *reader, ClangCursor cursor)
{
    const Clang *clang = reader->clang;
    bool default_value = false;
    if (cursor.kind == CLANG_TEMPLATE_TYPE)
        clang->visitChildren(cursor, has_children, &default_value);
    bool first = cursor.kind == CLANG_TEMPLATE_TYPE && !reader->elements.count;
    if (!first &&
        (default_value || (cursor.kind == CLANG_TEMPLATE_VALUE && reader->elements.count)))
        return;
    if (cursor.kind == CLANG_TEMPLATE_TYPE)
        vec_push(&reader->elements, text(reader, clang->getCursorSpelling(cursor)));
    const char *argument = cursor.kind == CLANG_TEMPLATE_TYPE ? "int" : "16";
    reader->arguments = reader->arguments
                            ? arena_printf(reader->arena, "%s, %s", reader->arguments, argument)
                            : argument;
}

static int visit_member(ClangCursor cursor, ClangCursor parent, void *context)
{
    (void)parent;
    Reader *reader = context;
    const Clang *clang = reader->clang;
    unsigned line = 0;
    if (cursor.kind == CLANG_TEMPLATE_TYPE || cursor.kind == CLANG_TEMPLATE_VALUE)
        read_template_parameter(reader, cursor);
    if (clang->getCXXAccessSpecifier(cursor) != CLANG_ACCESS_PUBLIC)
        return CLANG_VISIT_CONTINUE;
    if (cursor.kind == CLANG_CONSTRUCTOR) {
        int count = clang->Cursor_getNumArguments(cursor);
        bool default_value = count == 0;
        if (count > 0)
            clang->visitChildren(clang->Cursor_getArgument(cursor, 0), has_children,
                                 &default_value);
        ClangType type = {0};
        if (count > 0)
            type =
                clang->getCanonicalType(clang->getCursorType(clang->Cursor_getArgument(cursor, 0)));
        reader->constructor |= count > 0 && is_integer(type.kind);
        reader->default_constructor |= count == 0;
    }
    bool method = cursor.kind == CLANG_METHOD || cursor.kind == CLANG_FUNCTION_TEMPLATE;
    if (method && !clang->CXXMethod_isStatic(cursor)) {
        const char *name = text(reader, clang->getCursorSpelling(cursor));
        clang->getExpansionLocation(clang->getCursorLocation(cursor), &(ClangFile){NULL}, &line,
                                    &(unsigned){0}, &(unsigned){0});
        if (strncmp(name, "operator", 8) != 0 && !strchr(name, '<'))
            read_function(reader, cursor, true, line);
    }
    return CLANG_VISIT_CONTINUE;
}

static bool is_class(int kind)
{
    return kind == CLANG_CLASS || kind == CLANG_CLASS_TEMPLATE || kind == CLANG_STRUCT;
}

static size_t public_methods(const Reader *reader, ClangCursor class);

/* The class with the most public methods is the one to test. */
static void read_class(Reader *reader, ClangCursor cursor, const char *scope)
{
    const Clang *clang = reader->clang;
    size_t methods = public_methods(reader, cursor);
    if (methods < 2 || methods <= reader->api->functions.count)
        return;
    for (size_t i = 0; i < reader->api->functions.count; i++)
        vec_free(&reader->api->functions.at[i].parameters);
    vec_clear(&reader->api->functions);
    vec_clear(&reader->elements);
    reader->arguments = NULL;
    reader->constructor = reader->default_constructor = false;
    clang->visitChildren(cursor, visit_member, reader);
    const char *name = text(reader, clang->getCursorSpelling(cursor));
    const char *whole = arena_printf(reader->arena, "%s%s", scope, name);
    reader->api->class =
        reader->arguments ? arena_printf(reader->arena, "%s<%s>", whole, reader->arguments) : whole;
    reader->api->needs_size = reader->constructor && !reader->default_constructor;
}

typedef struct Scope {
    Reader *reader;
    const char *name; /* "moodycamel::" */
} Scope;

static int visit_top(ClangCursor cursor, ClangCursor parent, void *context)
{
    (void)parent;
    const Scope *scope = context;
    Reader *reader = scope->reader;
    unsigned line = 0;
    if (cursor.kind == CLANG_LINKAGE)
        return CLANG_VISIT_RECURSE;
    if (!in_header(reader, cursor, &line))
        return CLANG_VISIT_CONTINUE;
    const char *name = text(reader, reader->clang->getCursorSpelling(cursor));
    if (cursor.kind == CLANG_NAMESPACE && strcmp(name, "detail") && strcmp(name, "details")) {
        Scope inner = {reader, *name ? arena_printf(reader->arena, "%s%s::", scope->name, name)
                                     : scope->name};
        reader->clang->visitChildren(cursor, visit_top, &inner);
    } else if (cursor.kind == CLANG_FUNCTION && !reader->api->class) {
        read_function(reader, cursor, false, line);
    } else if (reader->api->cxx && is_class(cursor.kind) &&
               reader->clang->isCursorDefinition(cursor)) {
        read_class(reader, cursor, scope->name);
    }
    return CLANG_VISIT_CONTINUE;
}

typedef struct Count {
    const Clang *clang;
    size_t methods;
} Count;

static int count_method(ClangCursor cursor, ClangCursor parent, void *context)
{
    (void)parent;
    Count *count = context;
    count->methods += cursor.kind == CLANG_METHOD &&
                      count->clang->getCXXAccessSpecifier(cursor) == CLANG_ACCESS_PUBLIC;
    return CLANG_VISIT_CONTINUE;
}

static size_t public_methods(const Reader *reader, ClangCursor class)
{
    Count count = {reader->clang, 0};
    reader->clang->visitChildren(class, count_method, &count);
    return count.methods;
}

/* Is DIAGNOSTIC an error, and none that is a warning by its name? Newer versions of clang turn more
 * and more warnings into errors, of code that the user's compiler takes. */
static bool is_error(const Reader *reader, ClangDiagnostic diagnostic)
{
    const Clang *clang = reader->clang;
    return clang->getDiagnosticSeverity(diagnostic) >= CLANG_SEVERITY_ERROR &&
           strncmp(text(reader, clang->getDiagnosticOption(diagnostic, NULL)), "-W", 2) != 0;
}

static bool first_error(const Reader *reader, ClangUnit unit, Error *error)
{
    const Clang *clang = reader->clang;
    for (unsigned i = 0; i < clang->getNumDiagnostics(unit); i++) {
        ClangDiagnostic diagnostic = clang->getDiagnostic(unit, i);
        bool bad = is_error(reader, diagnostic);
        const char *what = text(reader, clang->getDiagnosticSpelling(diagnostic));
        ClangFile file = NULL;
        unsigned line = 0, column = 0, offset;
        clang->getExpansionLocation(clang->getDiagnosticLocation(diagnostic), &file, &line, &column,
                                    &offset);
        clang->disposeDiagnostic(diagnostic);
        if (bad)
            return error_at(error, file ? text(reader, clang->getFileName(file)) : "", (int)line,
                            (int)column, "libclang does not understand this: %s", what);
    }
    return true;
}

bool api_read(Arena *arena, const char *header, const Words *includes, const Words *compile,
              bool cxx, Api *api, Error *error)
{
    *api = (Api){.path = header, .cxx = cxx};
    Reader reader = {.arena = arena, .api = api};
    char real[PATH_MAX];
    if (!realpath(header, real))
        return error_set(error, "%s: no such header", header);
    if (!file_is_readable(header, error))
        return false;
    file_protect(header);
    reader.real = real;
    if (!clang_load(&reader.clang, error))
        return false;
    const Clang *clang = reader.clang;
    Words words = {0};
    vec_push(&words, "-x");
    vec_push(&words, cxx ? "c++-header" : "c-header");
    if (cxx) /* as g++ has it; the user's own -std= comes later and counts */
        vec_push(&words, "-std=gnu++17");
    for (size_t i = 0; i < compile->count; i++)
        vec_push(&words, compile->at[i]);
    for (size_t i = 0; i < includes->count; i++) {
        vec_push(&words, "-include");
        vec_push(&words, includes->at[i]);
    }
    ClangIndex index = clang->createIndex(0, 0);
    ClangUnit unit = NULL;
    int status =
        clang->parseTranslationUnit2(index, header, words.at, (int)words.count, NULL, 0, 0, &unit);
    vec_free(&words);
    bool fine = status == 0 && unit;
    if (!fine)
        error_set(error, "%s: libclang can't read it (code %d)", header, status);
    /* a header that may only be included by another one complains, but its declarations were seen
     * by then */
    fine = fine && (includes->count || first_error(&reader, unit, error));
    Scope scope = {&reader, ""};
    if (fine)
        clang->visitChildren(clang->getTranslationUnitCursor(unit), visit_top, &scope);
    if (unit)
        clang->disposeTranslationUnit(unit);
    clang->disposeIndex(index);
    vec_free(&reader.elements);
    if (fine && !api->functions.count)
        return error_set(error, "%s declares no function%s", header, cxx ? " and no class" : "");
    return fine;
}

void api_free(Api *api)
{
    for (size_t i = 0; i < api->functions.count; i++)
        vec_free(&api->functions.at[i].parameters);
    vec_free(&api->functions);
}
