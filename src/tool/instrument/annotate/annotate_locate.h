/* annotate_locate.h: what annotations stand next to: one translation unit as libclang sees it, by
 * offsets into the text of its files. System headers are left out. */
#ifndef HEDDLE_INSTRUMENT_ANNOTATE_ANNOTATE_LOCATE_H
#define HEDDLE_INSTRUMENT_ANNOTATE_ANNOTATE_LOCATE_H
#include "base/str.h"
#include "tool/instrument/annotate/annotation.h"
#include "tool/instrument/annotate/clang.h"
#include "tool/instrument/compiler.h"

typedef struct UnitInclude { /* an #include line of a file */
    unsigned line;
    size_t target; /* the file it includes */
} UnitInclude;
typedef struct UnitFile {
    const char *path; /* as the compiler names it, relative to the current folder */
    const char *real; /* its one absolute name */
    Str text;
    Annotations annotations; /* without those in code that the preprocessor skips */
    Vec(UnitInclude) includes;
} UnitFile;
typedef struct UnitClass { /* a C++ class, or none */
    bool present;
    size_t file, begin, end; /* from its first word to after its closing brace */
} UnitClass;
typedef struct UnitFunction {
    ClangCursor cursor;
    size_t file, begin, end;
    size_t outer; /* where the declaration of the file's scope around it begins */
    bool has_body;
    size_t body;       /* of the opening brace */
    UnitClass class;   /* that it is a member of */
    bool inside_class; /* it is written inside it */
} UnitFunction;
typedef struct UnitHandle {
    ClangFile handle;
    size_t file;
} UnitHandle;
typedef struct Unit {
    const Clang *clang;
    Arena *arena;
    ClangIndex index;
    ClangUnit handle;
    const char *path;
    bool cxx;
    Vec(UnitFile) files; /* the first is the main one */
    Vec(UnitFunction) functions;
    Vec(UnitClass) classes;
    Vec(UnitHandle) handles; /* files by the names that libclang has for them */
} Unit;

/* COMPILE is the user's words for the compiler. An error of the source itself is an error here. */
MUST_USE bool unit_parse(Unit *unit, Arena *arena, const char *path, bool cxx, const Words *compile,
                         Error *error);
void unit_free(Unit *unit);

/* The function that follows the annotation with nothing between; NULL and an error if there is
 * none. If it is only declared here, its definition if the unit has one; *defined says whether. */
const UnitFunction *unit_function_after(const Unit *unit, size_t file, const Annotation *annotation,
                                        bool *defined, Error *error);

/* The scope that offset AT lies in: a class (C++ only), a function, or the file. */
typedef struct UnitScope {
    UnitClass class;
    const UnitFunction *function;
    size_t after; /* at file scope, where the declaration around it ends; AT if there is none */
} UnitScope;
void unit_scope_of(Unit *unit, size_t file, size_t at, UnitScope *scope);
/* May a statement be put at the annotation's place? */
MUST_USE bool unit_check_point(Unit *unit, size_t file, const Annotation *annotation,
                               const UnitFunction *function, Error *error);

/* The parameters and the result of a method. */
typedef struct UnitValue {
    const char *name; /* NULL: the result */
    const char *type; /* to declare a copy of it with __typeof__(type) */
    int kind;         /* HeddleFieldKind */
    bool reference;   /* kept as a pointer: type is what it refers to */
    bool pointee;     /* a pointer whose target is copied at the response */
    int pointee_kind;
    const char *object; /* of a pointer to something that can be the object of methods: its type */
} UnitValue;
typedef struct UnitReturn {
    size_t at;         /* behind the word */
    size_t begin, end; /* of the expression */
} UnitReturn;
typedef struct UnitMethod {
    const char *name;
    Vec(UnitValue) parameters;
    bool gives; /* it has a result */
    UnitValue result;
    bool has_this;
    Vec(UnitReturn) returns; /* with an expression */
} UnitMethod;
MUST_USE bool unit_method_of(Unit *unit, const UnitFunction *function, UnitMethod *method,
                             Error *error);
/* The file of a cursor, SIZE_MAX if it is in none of the unit's, and its offsets there; macros
 * expanded. */
size_t unit_extent_of(Unit *unit, ClangCursor cursor, size_t *begin, size_t *end);
/* The line of an offset. */
int unit_line(const UnitFile *file, size_t at);
/* An error at an offset of a file. */
bool unit_fail(const Unit *unit, size_t file, size_t at, Error *error, const char *format, ...)
    PRINTF_LIKE(5, 6);
#endif
