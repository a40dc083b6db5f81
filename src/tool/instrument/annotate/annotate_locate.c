#include "tool/instrument/annotate/annotate_locate.h"
#include <ctype.h>
#include <errno.h>
#include <heddle_annotated.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "base/file.h"
#include "tool/instrument/build.h"

#define NO_FILE SIZE_MAX

int unit_line(const UnitFile *file, size_t at)
{
    DEBUG_ASSERT(at <= file->text.length);
    int line = 1;
    for (size_t i = 0; i < at && i < file->text.length; i++)
        line += file->text.at[i] == '\n';
    return line;
}

bool unit_fail(const Unit *unit, size_t file, size_t at, Error *error, const char *format, ...)
{
    char message[512];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(message, sizeof message, format, arguments);
    va_end(arguments);
    const UnitFile *in = &unit->files.at[file];
    size_t start = at;
    while (start > 0 && in->text.at[start - 1] != '\n')
        start--;
    return error_at(error, in->path, unit_line(in, at), (int)(at - start) + 1, "%s", message);
}

/* ---- files ---- */

static const char *file_name(const Unit *unit, ClangFile file)
{
    return file ? clang_text(unit->clang, unit->arena, unit->clang->getFileName(file)) : "";
}

static size_t find_file(const Unit *unit, const char *name)
{
    for (size_t i = 0; i < unit->files.count; i++)
        if (!strcmp(unit->files.at[i].path, name))
            return i;
    char real[4096];
    if (!*name || !realpath(name, real))
        return NO_FILE;
    for (size_t i = 0; i < unit->files.count; i++)
        if (!strcmp(unit->files.at[i].real, real))
            return i;
    return NO_FILE;
}

/* The file and offset of a location, macros expanded. */
static size_t place_of(Unit *unit, ClangLocation location, size_t *file, unsigned *line)
{
    ClangFile handle = NULL;
    unsigned column, offset = 0, number = 0;
    unit->clang->getExpansionLocation(location, &handle, &number, &column, &offset);
    *file = NO_FILE;
    bool known = false;
    for (size_t i = 0; i < unit->handles.count && !known; i++)
        if (unit->handles.at[i].handle == handle) {
            *file = unit->handles.at[i].file;
            known = true;
        }
    if (!known && handle) {
        *file = find_file(unit, file_name(unit, handle));
        arena_push(unit->arena, &unit->handles, (UnitHandle){handle, *file});
    }
    if (line)
        *line = number;
    return offset;
}

size_t unit_extent_of(Unit *unit, ClangCursor cursor, size_t *begin, size_t *end)
{
    ClangRange range = unit->clang->getCursorExtent(cursor);
    size_t file, last;
    *begin = place_of(unit, unit->clang->getRangeStart(range), &file, NULL);
    *end = place_of(unit, unit->clang->getRangeEnd(range), &last, NULL);
    return file == last ? file : NO_FILE;
}

typedef struct Gather {
    Unit *unit;
    bool edges; /* second pass: who includes whom */
} Gather;

static void gather_file(ClangFile file, ClangLocation *stack, unsigned depth, void *context)
{
    Gather *gather = context;
    Unit *unit = gather->unit;
    const char *name = file_name(unit, file);
    if (depth && unit->clang->Location_isInSystemHeader(stack[0]))
        return;
    if (!gather->edges) {
        char real[4096];
        if (find_file(unit, name) != NO_FILE || !realpath(name, real) ||
            (depth && str_starts(str_of(real), STR("/usr/"))))
            return;
        while (str_starts(str_of(name), STR("./")))
            name += 2;
        UnitFile fresh = {.path = name, .real = arena_copy(unit->arena, real, strlen(real))};
        arena_push(unit->arena, &unit->files, fresh);
        return;
    }
    size_t target = find_file(unit, name), from;
    unsigned line;
    if (!depth || target == NO_FILE)
        return;
    place_of(unit, stack[0], &from, &line);
    if (from == NO_FILE)
        return;
    UnitInclude include = {line, target};
    arena_push(unit->arena, &unit->files.at[from].includes, include);
}

static bool read_text(Arena *arena, const char *path, Str *text, Error *error)
{
    Buffer buffer = {0};
    bool fine = file_read(path, &buffer, error);
    *text = (Str){str_copy(arena, buffer_str(&buffer)), buffer.count};
    vec_free(&buffer);
    return fine;
}

/* Annotations inside #if 0 and the like are none. */
static void drop_skipped(Unit *unit)
{
    ClangRanges *skipped = unit->clang->getAllSkippedRanges(unit->handle);
    for (unsigned r = 0; skipped && r < skipped->count; r++) {
        size_t file, other;
        size_t begin = place_of(unit, unit->clang->getRangeStart(skipped->ranges[r]), &file, NULL),
               end = place_of(unit, unit->clang->getRangeEnd(skipped->ranges[r]), &other, NULL);
        if (file == NO_FILE)
            continue;
        Annotations *list = &unit->files.at[file].annotations;
        size_t kept = 0;
        for (size_t i = 0; i < list->count; i++)
            if (list->at[i].begin < begin || list->at[i].begin >= end)
                list->at[kept++] = list->at[i];
        list->count = kept;
    }
    if (skipped)
        unit->clang->disposeSourceRangeList(skipped);
}

/* ---- functions and classes ---- */

static bool is_class(int kind)
{
    return kind == CLANG_STRUCT || kind == CLANG_UNION || kind == CLANG_CLASS ||
           kind == CLANG_CLASS_TEMPLATE || kind == CLANG_CLASS_PARTIAL;
}

static bool is_function(int kind)
{
    return kind == CLANG_FUNCTION || kind == CLANG_FUNCTION_TEMPLATE ||
           (kind >= CLANG_METHOD && kind <= CLANG_CONVERSION && kind != CLANG_NAMESPACE &&
            kind != CLANG_LINKAGE);
}

static UnitClass class_at(Unit *unit, ClangCursor cursor)
{
    UnitClass class = {0};
    ClangCursor definition = unit->clang->getCursorDefinition(cursor);
    if (!unit->cxx || unit->clang->Cursor_isNull(definition) || !is_class(definition.kind))
        return class;
    class.file = unit_extent_of(unit, definition, &class.begin, &class.end);
    class.present = class.file != NO_FILE;
    return class;
}

static int find_body(ClangCursor cursor, ClangCursor parent UNUSED, void *context)
{
    if (cursor.kind == CLANG_COMPOUND)
        *(ClangCursor *)context = cursor;
    return CLANG_VISIT_CONTINUE;
}

typedef struct Walk {
    Unit *unit;
    size_t outer; /* of the declaration at file scope, or SIZE_MAX */
} Walk;

static int gather_function(ClangCursor cursor, ClangCursor parent, void *context)
{
    Walk *walk = context;
    Unit *unit = walk->unit;
    size_t begin, end, file = unit_extent_of(unit, cursor, &begin, &end);
    if (file == NO_FILE && cursor.kind != CLANG_LINKAGE && cursor.kind != CLANG_NAMESPACE)
        return CLANG_VISIT_CONTINUE;
    bool scope = cursor.kind == CLANG_NAMESPACE || cursor.kind == CLANG_LINKAGE ||
                 (unit->cxx && cursor.kind == 1 /* unexposed: extern "C" */);
    if (scope) {
        unit->clang->visitChildren(cursor, gather_function, walk);
        return CLANG_VISIT_CONTINUE;
    }
    size_t outer = walk->outer == SIZE_MAX ? begin : walk->outer;
    if (is_class(cursor.kind)) {
        UnitClass class = {unit->cxx && unit->clang->isCursorDefinition(cursor), file, begin, end};
        if (class.present)
            arena_push(unit->arena, &unit->classes, class);
        Walk inner = {unit, outer};
        unit->clang->visitChildren(cursor, gather_function, &inner);
    } else if (is_function(cursor.kind)) {
        UnitFunction f = {
            .cursor = cursor, .file = file, .begin = begin, .end = end, .outer = outer};
        ClangCursor body = {0};
        unit->clang->visitChildren(cursor, find_body, &body);
        if (body.kind == CLANG_COMPOUND && unit->clang->isCursorDefinition(cursor)) {
            size_t body_end;
            f.has_body = unit_extent_of(unit, body, &f.body, &body_end) == file;
        }
        f.class = class_at(unit, unit->clang->getCursorSemanticParent(cursor));
        f.inside_class = is_class(parent.kind);
        arena_push(unit->arena, &unit->functions, f);
    }
    return CLANG_VISIT_CONTINUE;
}

/* ---- the whole ---- */

/* Keeps those of the user's words that decide what the source means. */
static void clang_words(Arena *arena, const Words *compile, bool cxx, Words *to)
{
    vec_push(to, "-x");
    vec_push(to, cxx ? "c++" : "c");
    if (cxx) /* as g++ has it; the user's own -std= comes later and counts */
        vec_push(to, "-std=gnu++17");
    for (size_t i = 0; i < compile->count; i++) {
        const char *word = compile->at[i];
        static const char *const wanted[] = {
            "-D", "-U", "-I", "-std=", "-include", "-isystem", "-iquote", "-idirafter", "-imacros"};
        static const char *const separate[] = {"-D",       "-U",      "-I",         "-include",
                                               "-isystem", "-iquote", "-idirafter", "-imacros"};
        for (size_t k = 0; k < COUNT_OF(wanted); k++)
            if (str_starts(str_of(word), str_of(wanted[k]))) {
                vec_push(to, word);
                bool more = false;
                for (size_t s = 0; s < COUNT_OF(separate); s++)
                    more |= !strcmp(word, separate[s]);
                if (more && i + 1 < compile->count)
                    vec_push(to, compile->at[++i]);
                break;
            }
    }
    const char *header = build_own_file(arena, "heddle.h");
    if (header) {
        vec_push(to, "-idirafter");
        vec_push(to, arena_printf(arena, "%.*s", (int)(strrchr(header, '/') - header), header));
    }
}

static bool report_diagnostics(const Unit *unit, Error *error)
{
    const Clang *clang = unit->clang;
    for (unsigned i = 0; i < clang->getNumDiagnostics(unit->handle); i++) {
        ClangDiagnostic diagnostic = clang->getDiagnostic(unit->handle, i);
        if (clang->getDiagnosticSeverity(diagnostic) >= CLANG_SEVERITY_ERROR) {
            ClangFile file = NULL;
            unsigned line = 0, column = 0, offset;
            clang->getExpansionLocation(clang->getDiagnosticLocation(diagnostic), &file, &line,
                                        &column, &offset);
            return error_at(
                error, file_name(unit, file), (int)line, (int)column,
                "libclang, which finds the annotated functions, does not understand "
                "this: %s",
                clang_text(clang, unit->arena, clang->getDiagnosticSpelling(diagnostic)));
        }
        clang->disposeDiagnostic(diagnostic);
    }
    return true;
}

bool unit_parse(Unit *unit, Arena *arena, const char *path, bool cxx, const Words *compile,
                Error *error)
{
    *unit = (Unit){.arena = arena, .path = path, .cxx = cxx};
    if (!clang_load(&unit->clang, error))
        return false;
    Words words = {0};
    clang_words(arena, compile, cxx, &words);
    unit->index = unit->clang->createIndex(0, 0);
    int status =
        unit->clang->parseTranslationUnit2(unit->index, path, words.at, (int)words.count, NULL, 0,
                                           1 /* detailed preprocessing */, &unit->handle);
    vec_free(&words);
    if (status != 0 || !unit->handle)
        return error_set(error, "%s: libclang can't read it (code %d)", path, status);
    Gather gather = {unit, false};
    unit->clang->getInclusions(unit->handle, gather_file, &gather);
    if (!unit->files.count)
        return error_set(error, "%s: libclang knows no file of that name", path);
    vec_clear(&unit->handles); /* files are known only now */
    if (!report_diagnostics(unit, error))
        return false;
    gather.edges = true;
    unit->clang->getInclusions(unit->handle, gather_file, &gather);
    for (size_t i = 0; i < unit->files.count; i++) {
        UnitFile *file = &unit->files.at[i];
        if (!read_text(arena, file->path, &file->text, error) ||
            !annotation_read(arena, file->path, file->text, &file->annotations, error))
            return false;
    }
    drop_skipped(unit);
    Walk walk = {unit, SIZE_MAX};
    unit->clang->visitChildren(unit->clang->getTranslationUnitCursor(unit->handle), gather_function,
                               &walk);
    return true;
}

void unit_free(Unit *unit)
{
    if (unit->handle)
        unit->clang->disposeTranslationUnit(unit->handle);
    if (unit->index)
        unit->clang->disposeIndex(unit->index);
    unit->handle = unit->index = NULL;
}

/* ---- the function after an annotation ---- */

/* Is there anything between but white space, comments, preprocessor lines and words such as macros
 * or "public:"? */
static bool is_gap(Str text, size_t begin, size_t end)
{
    DEBUG_ASSERT(begin <= end && end <= text.length);
    for (size_t i = begin; i < end; i++) {
        if (text.at[i] == '/' && i + 1 < end && text.at[i + 1] == '*') {
            for (i += 2; i + 1 < end && (text.at[i] != '*' || text.at[i + 1] != '/'); i++)
                ;
            i++;
        } else if (text.at[i] == '#' ||
                   (text.at[i] == '/' && i + 1 < end && text.at[i + 1] == '/')) {
            while (i < end && text.at[i] != '\n')
                i++;
        } else if (strchr(";{}=", text.at[i])) {
            return false;
        }
    }
    return true;
}

const UnitFunction *unit_function_after(const Unit *unit, size_t file, const Annotation *annotation,
                                        bool *defined, Error *error)
{
    const UnitFunction *best = NULL;
    for (size_t i = 0; i < unit->functions.count; i++) {
        const UnitFunction *f = &unit->functions.at[i];
        if (f->file == file && f->begin >= annotation->end && (!best || f->begin < best->begin))
            best = f;
    }
    const UnitFile *in = &unit->files.at[file];
    if (!best || !is_gap(in->text, annotation->end, best->begin)) {
        (void)error_at(error, in->path, annotation->line, annotation->column,
                       "@Method %s is out of place: it must stand right before a function",
                       annotation->name.text);
        return NULL;
    }
    *defined = best->has_body;
    if (best->has_body)
        return best;
    ClangCursor definition = unit->clang->getCursorDefinition(best->cursor);
    for (size_t i = 0; i < unit->functions.count; i++)
        if (unit->functions.at[i].has_body &&
            unit->clang->equalCursors(unit->functions.at[i].cursor, definition)) {
            *defined = true;
            return &unit->functions.at[i];
        }
    return best;
}

/* ---- scopes ---- */

typedef struct After {
    Unit *unit;
    size_t file, at, end;
} After;

static int widen(ClangCursor cursor, ClangCursor parent UNUSED, void *context)
{
    After *after = context;
    size_t begin, end, file = unit_extent_of(after->unit, cursor, &begin, &end);
    if (cursor.kind == CLANG_NAMESPACE || cursor.kind == CLANG_LINKAGE) {
        after->unit->clang->visitChildren(cursor, widen, context);
        return CLANG_VISIT_CONTINUE;
    }
    if (file == after->file && begin <= after->at && after->at < end)
        after->end = MAX(after->end, end);
    return CLANG_VISIT_CONTINUE;
}

void unit_scope_of(Unit *unit, size_t file, size_t at, UnitScope *scope)
{
    *scope = (UnitScope){.after = at};
    for (size_t i = 0; i < unit->functions.count; i++) {
        const UnitFunction *f = &unit->functions.at[i];
        if (f->file == file && f->has_body && f->body <= at && at < f->end &&
            (!scope->function || f->begin > scope->function->begin))
            scope->function = f;
    }
    for (size_t i = 0; i < unit->classes.count; i++) {
        const UnitClass *class = &unit->classes.at[i];
        if (class->file == file && class->begin <= at && at < class->end &&
            (!scope->class.present || class->begin > scope->class.begin))
            scope->class = *class;
    }
    if (scope->function && scope->class.present && scope->class.begin < scope->function->begin)
        scope->class.present = false;
    After after = {unit, file, at, at};
    unit->clang->visitChildren(unit->clang->getTranslationUnitCursor(unit->handle), widen, &after);
    if (after.end == at)
        return;
    Str text = unit->files.at[file].text;
    while (after.end < text.length && text.at[after.end] != ';' && text.at[after.end] != '\n')
        after.end++;
    scope->after = after.end < text.length && text.at[after.end] == ';' ? after.end + 1 : after.end;
}
