/* annotate_method.c: inside a function: its values and returns, and places for statements. */
#include <ctype.h>
#include <heddle_annotated.h>
#include <string.h>
#include "tool/instrument/annotate/annotate_locate.h"

/* ---- types ---- */

static int kind_of(const Clang *clang, ClangType type)
{
    int kind = clang->getCanonicalType(type).kind;
    if (kind == CLANG_TYPE_BOOL)
        return HEDDLE_FIELD_BOOL;
    if (kind >= CLANG_TYPE_CHAR_U && kind < CLANG_TYPE_UINT128)
        return HEDDLE_FIELD_UNSIGNED;
    if ((kind >= CLANG_TYPE_CHAR_S && kind < CLANG_TYPE_INT128) || kind == CLANG_TYPE_ENUM)
        return HEDDLE_FIELD_SIGNED;
    if (kind == CLANG_TYPE_FLOAT || kind == CLANG_TYPE_DOUBLE)
        return HEDDLE_FIELD_DOUBLE;
    return kind == CLANG_TYPE_POINTER ? HEDDLE_FIELD_POINTER : HEDDLE_FIELD_OTHER;
}

static const char *spelling(const Unit *unit, ClangType type)
{
    return clang_text(unit->clang, unit->arena, unit->clang->getTypeSpelling(type));
}

static bool is_array(int kind)
{
    return kind == CLANG_TYPE_ARRAY || kind == CLANG_TYPE_ARRAY_INCOMPLETE ||
           kind == CLANG_TYPE_ARRAY_VARIABLE || kind == CLANG_TYPE_ARRAY_DEPENDENT;
}

/* The target of a pointer: can it be copied, can it be an object? */
static void describe_pointee(const Unit *unit, ClangType pointee, UnitValue *value)
{
    const Clang *clang = unit->clang;
    ClangType canonical = clang->getCanonicalType(pointee);
    long long bytes = clang->Type_getSizeOf(pointee);
    bool atomic = canonical.kind == CLANG_TYPE_ATOMIC, record = canonical.kind == CLANG_TYPE_RECORD;
    bool dependent = bytes == CLANG_SIZE_DEPENDENT; /* the compiler will know */
    if (((bytes > 0 && bytes <= 4096) || dependent) && canonical.kind != CLANG_TYPE_VOID &&
        !atomic && canonical.kind != CLANG_TYPE_FUNCTION &&
        canonical.kind != CLANG_TYPE_FUNCTION_NO_PROTO) {
        value->pointee = true;
        value->pointee_kind = kind_of(clang, pointee);
    }
    if (record || atomic)
        value->object = spelling(unit, canonical);
}

static void describe_value(const Unit *unit, ClangType type, UnitValue *value)
{
    const Clang *clang = unit->clang;
    ClangType canonical = clang->getCanonicalType(type);
    if (is_array(canonical.kind)) { /* a parameter: it is a pointer */
        ClangType element = clang->getArrayElementType(canonical);
        value->type = arena_printf(unit->arena, "%s *", spelling(unit, element));
        value->kind = HEDDLE_FIELD_POINTER;
        describe_pointee(unit, element, value);
        return;
    }
    if (canonical.kind == CLANG_TYPE_LREFERENCE || canonical.kind == CLANG_TYPE_RREFERENCE) {
        ClangType target = clang->getPointeeType(canonical);
        value->type =
            spelling(unit, clang->getPointeeType(type).kind ? clang->getPointeeType(type) : target);
        value->reference = true;
        value->kind = HEDDLE_FIELD_POINTER;
        describe_pointee(unit, target, value);
        return;
    }
    value->type = spelling(unit, type);
    value->kind = kind_of(clang, type);
    if (canonical.kind == CLANG_TYPE_POINTER)
        describe_pointee(unit, clang->getPointeeType(canonical), value);
}

/* ---- returns ---- */

typedef struct Returns {
    Unit *unit;
    const UnitFunction *function;
    UnitMethod *method;
    Error *error;
    bool failed;
} Returns;

static bool is_local_scope(int kind)
{
    return kind == CLANG_LAMBDA || kind == CLANG_STRUCT || kind == CLANG_CLASS ||
           kind == CLANG_UNION;
}

static int gather_return(ClangCursor cursor, ClangCursor parent UNUSED, void *context)
{
    Returns *returns = context;
    Unit *unit = returns->unit;
    if (is_local_scope(cursor.kind))
        return CLANG_VISIT_CONTINUE;
    if (cursor.kind != CLANG_RETURN)
        return CLANG_VISIT_RECURSE;
    size_t begin, end, file = unit_extent_of(unit, cursor, &begin, &end);
    Str text = unit->files.at[returns->function->file].text;
    if (file != returns->function->file || end > text.length ||
        !str_starts((Str){text.at + begin, end - begin}, STR("return"))) {
        returns->failed = true;
        (void)unit_fail(unit, returns->function->file,
                        file == returns->function->file ? begin : returns->function->begin,
                        returns->error,
                        "a return inside a macro: an annotated method must "
                        "return in plain sight");
        return CLANG_VISIT_BREAK;
    }
    UnitReturn found = {.at = begin + 6, .begin = begin + 6, .end = end};
    while (found.begin < end && isspace((unsigned char)text.at[found.begin]))
        found.begin++;
    if (found.begin < end)
        arena_push(returns->unit->arena, &returns->method->returns, found);
    return CLANG_VISIT_CONTINUE;
}

typedef struct Parameters {
    Unit *unit;
    UnitMethod *method;
} Parameters;

static int gather_parameter(ClangCursor cursor, ClangCursor parent UNUSED, void *context)
{
    Parameters *parameters = context;
    Unit *unit = parameters->unit;
    if (cursor.kind != CLANG_PARAMETER)
        return CLANG_VISIT_CONTINUE;
    UnitValue value = {
        .name = clang_text(unit->clang, unit->arena, unit->clang->getCursorSpelling(cursor))};
    if (!*value.name)
        return CLANG_VISIT_CONTINUE; /* nobody can speak of it */
    describe_value(unit, unit->clang->getCursorType(cursor), &value);
    arena_push(unit->arena, &parameters->method->parameters, value);
    return CLANG_VISIT_CONTINUE;
}

bool unit_method_of(Unit *unit, const UnitFunction *function, UnitMethod *method, Error *error)
{
    const Clang *clang = unit->clang;
    *method = (UnitMethod){
        .name = clang_text(clang, unit->arena, clang->getCursorSpelling(function->cursor))};
    Parameters parameters = {unit, method};
    clang->visitChildren(function->cursor, gather_parameter, &parameters);
    int kind = function->cursor.kind;
    ClangType result = clang->getCursorResultType(function->cursor);
    bool nothing = kind == CLANG_CONSTRUCTOR || kind == CLANG_DESTRUCTOR;
    if (!nothing && clang->getCanonicalType(result).kind == CLANG_TYPE_AUTO)
        return unit_fail(unit, function->file, function->begin, error,
                         "an annotated method must name the type it returns, not auto");
    method->gives = !nothing && clang->getCanonicalType(result).kind != CLANG_TYPE_VOID;
    if (method->gives)
        describe_value(unit, result, &method->result);
    method->result.object = NULL;
    bool is_method = function->class.present && kind != CLANG_FUNCTION;
    method->has_this = is_method && !clang->CXXMethod_isStatic(function->cursor);
    if (!method->gives)
        return true;
    Returns returns = {unit, function, method, error, false};
    clang->visitChildren(function->cursor, gather_return, &returns);
    return !returns.failed;
}

/* ---- places for statements ---- */

typedef struct Place {
    Unit *unit;
    size_t file, at;
    ClangCursor inner; /* the innermost block around the place */
    bool found;
    ClangCursor straddles; /* a child of it that lies around the place */
    bool straddled;
    ClangCursor before; /* the last child of it before the place */
    bool any_before;
} Place;

static int find_block(ClangCursor cursor, ClangCursor parent UNUSED, void *context)
{
    Place *place = context;
    size_t begin, end, file = unit_extent_of(place->unit, cursor, &begin, &end);
    if (file != place->file || place->at <= begin || place->at >= end)
        return CLANG_VISIT_CONTINUE;
    if (cursor.kind == CLANG_COMPOUND) {
        place->inner = cursor;
        place->found = true;
    }
    return CLANG_VISIT_RECURSE;
}

static int look_around(ClangCursor cursor, ClangCursor parent UNUSED, void *context)
{
    Place *place = context;
    size_t begin, end, file = unit_extent_of(place->unit, cursor, &begin, &end);
    if (file != place->file)
        return CLANG_VISIT_CONTINUE;
    if (begin < place->at && place->at < end) {
        place->straddles = cursor;
        place->straddled = true;
    } else if (end <= place->at) {
        place->before = cursor;
        place->any_before = true;
    }
    return CLANG_VISIT_CONTINUE;
}

static int last_child(ClangCursor cursor, ClangCursor parent UNUSED, void *context)
{
    *(ClangCursor *)context = cursor;
    return CLANG_VISIT_CONTINUE;
}

/* Does the statement end with one that has no braces of its own, as in: if (x) f(); ? */
static bool ends_bare(Unit *unit, ClangCursor statement)
{
    for (;;) {
        int kind = statement.kind;
        if (kind != CLANG_IF && kind != CLANG_WHILE && kind != CLANG_FOR &&
            kind != CLANG_FOR_RANGE && kind != CLANG_SWITCH)
            return false;
        ClangCursor last = {0};
        unit->clang->visitChildren(statement, last_child, &last);
        if (last.kind == CLANG_COMPOUND)
            return false;
        if (last.kind != CLANG_IF && last.kind != CLANG_WHILE && last.kind != CLANG_FOR)
            return true;
        statement = last;
    }
}

static size_t column_of(Str text, size_t at)
{
    size_t column = 0;
    while (at > 0 && text.at[at - 1] != '\n') {
        at--;
        column++;
    }
    return column;
}

bool unit_check_point(Unit *unit, size_t file, const Annotation *annotation,
                      const UnitFunction *function, Error *error)
{
    const char *keyword = annotation_keyword(annotation->kind);
    const UnitFile *in = &unit->files.at[file];
    if (!function)
        return error_at(error, in->path, annotation->line, annotation->column,
                        "@%s is out of place: it must stand inside a function, after the atomic "
                        "operation",
                        keyword);
    Place place = {.unit = unit, .file = file, .at = annotation->begin};
    unit->clang->visitChildren(function->cursor, find_block, &place);
    if (place.found)
        unit->clang->visitChildren(place.inner, look_around, &place);
    if (!place.found || place.straddled)
        return error_at(error, in->path, annotation->line, annotation->column,
                        "@%s is out of place: it must stand between two statements of a block",
                        keyword);
    size_t begin, end;
    if (!place.any_before || !ends_bare(unit, place.before) ||
        unit_extent_of(unit, place.before, &begin, &end) != file)
        return true;
    /* is it meant to be inside? by the eye: on the same line, or further to the right */
    bool same_line = !memchr(in->text.at + end, '\n', annotation->begin - end);
    if (same_line || column_of(in->text, annotation->begin) > column_of(in->text, begin))
        return error_at(error, in->path, annotation->line, annotation->column,
                        "@%s comes after a statement without braces: put braces around both if it "
                        "belongs there, or move it",
                        keyword);
    return true;
}
