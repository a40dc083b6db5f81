/* clang.h: the part of libclang that the annotation compiler needs, loaded when it is needed:
 * without the library everything else works. Its C interface is stable, so the few declarations
 * stand here and no header of it is wanted for building (names, types and numbers are those of
 * <clang-c/Index.h>, without the prefix). */
#ifndef HEDDLE_INSTRUMENT_ANNOTATE_CLANG_H
#define HEDDLE_INSTRUMENT_ANNOTATE_CLANG_H
#include "base/arena.h"
#include "base/error.h"

typedef struct ClangString {
    const void *data;
    unsigned flags;
} ClangString;
typedef struct ClangCursor {
    int kind, extra;
    const void *data[3];
} ClangCursor;
typedef struct ClangLocation {
    const void *data[2];
    unsigned number;
} ClangLocation;
typedef struct ClangRange {
    const void *data[2];
    unsigned begin, end;
} ClangRange;
typedef struct ClangRanges {
    unsigned count;
    ClangRange *ranges;
} ClangRanges;
typedef struct ClangType {
    int kind;
    void *data[2];
} ClangType;
typedef void *ClangIndex, *ClangUnit, *ClangFile, *ClangDiagnostic;
typedef int ClangVisitor(ClangCursor cursor, ClangCursor parent, void *context);
typedef void ClangInclusionVisitor(ClangFile file, ClangLocation *stack, unsigned depth,
                                   void *context);

enum { CLANG_VISIT_BREAK, CLANG_VISIT_CONTINUE, CLANG_VISIT_RECURSE };
enum { /* cursors */
       CLANG_STRUCT = 2,
       CLANG_UNION,
       CLANG_CLASS,
       CLANG_ENUM,
       CLANG_FIELD,
       CLANG_ENUM_CONSTANT,
       CLANG_FUNCTION,
       CLANG_PARAMETER = 10,
       CLANG_METHOD = 21,
       CLANG_NAMESPACE,
       CLANG_LINKAGE,
       CLANG_CONSTRUCTOR,
       CLANG_DESTRUCTOR,
       CLANG_CONVERSION,
       CLANG_TEMPLATE_TYPE = 27,
       CLANG_TEMPLATE_VALUE,
       CLANG_FUNCTION_TEMPLATE = 30,
       CLANG_CLASS_TEMPLATE,
       CLANG_CLASS_PARTIAL,
       CLANG_LAMBDA = 144,
       CLANG_LABEL_STMT = 201,
       CLANG_COMPOUND,
       CLANG_CASE,
       CLANG_DEFAULT,
       CLANG_IF,
       CLANG_SWITCH,
       CLANG_WHILE,
       CLANG_DO,
       CLANG_FOR,
       CLANG_RETURN = 214,
       CLANG_FOR_RANGE = 225
};
enum { /* types */
       CLANG_TYPE_UNEXPOSED = 1,
       CLANG_TYPE_VOID,
       CLANG_TYPE_BOOL = 3,
       CLANG_TYPE_CHAR_U = 4,
       CLANG_TYPE_UINT128 = 12,
       CLANG_TYPE_CHAR_S = 13,
       CLANG_TYPE_INT128 = 20,
       CLANG_TYPE_FLOAT = 21,
       CLANG_TYPE_DOUBLE = 22,
       CLANG_TYPE_POINTER = 101,
       CLANG_TYPE_LREFERENCE = 103,
       CLANG_TYPE_RREFERENCE = 104,
       CLANG_TYPE_RECORD = 105,
       CLANG_TYPE_ENUM = 106,
       CLANG_TYPE_FUNCTION_NO_PROTO = 110,
       CLANG_TYPE_FUNCTION = 111,
       CLANG_TYPE_ARRAY = 112,
       CLANG_TYPE_ARRAY_INCOMPLETE = 114,
       CLANG_TYPE_ARRAY_VARIABLE = 115,
       CLANG_TYPE_ARRAY_DEPENDENT = 116,
       CLANG_TYPE_AUTO = 118,
       CLANG_TYPE_ATOMIC = 177
};
enum { CLANG_SEVERITY_ERROR = 3 };
enum { CLANG_ACCESS_PUBLIC = 1 };
enum { CLANG_SIZE_DEPENDENT = -3 }; /* of a type that depends on template parameters */

/* X(result, name, parameters) */
#define CLANG_FUNCTIONS(X)                                                                         \
    X(ClangIndex, createIndex, (int, int))                                                         \
    X(void, disposeIndex, (ClangIndex))                                                            \
    X(int, parseTranslationUnit2,                                                                  \
      (ClangIndex, const char *, const char *const *, int, void *, unsigned, unsigned,             \
       ClangUnit *))                                                                               \
    X(void, disposeTranslationUnit, (ClangUnit))                                                   \
    X(ClangCursor, getTranslationUnitCursor, (ClangUnit))                                          \
    X(unsigned, visitChildren, (ClangCursor, ClangVisitor *, void *))                              \
    X(ClangRange, getCursorExtent, (ClangCursor))                                                  \
    X(ClangLocation, getCursorLocation, (ClangCursor))                                             \
    X(ClangLocation, getRangeStart, (ClangRange))                                                  \
    X(ClangLocation, getRangeEnd, (ClangRange))                                                    \
    X(void, getExpansionLocation,                                                                  \
      (ClangLocation, ClangFile *, unsigned *, unsigned *, unsigned *))                            \
    X(int, Location_isInSystemHeader, (ClangLocation))                                             \
    X(ClangString, getFileName, (ClangFile))                                                       \
    X(const char *, getCString, (ClangString))                                                     \
    X(void, disposeString, (ClangString))                                                          \
    X(ClangString, getCursorSpelling, (ClangCursor))                                               \
    X(ClangType, getCursorType, (ClangCursor))                                                     \
    X(ClangType, getCursorResultType, (ClangCursor))                                               \
    X(ClangString, getTypeSpelling, (ClangType))                                                   \
    X(ClangType, getCanonicalType, (ClangType))                                                    \
    X(ClangType, getPointeeType, (ClangType))                                                      \
    X(ClangType, getArrayElementType, (ClangType))                                                 \
    X(ClangCursor, getTypeDeclaration, (ClangType))                                                \
    X(long long, Type_getSizeOf, (ClangType))                                                      \
    X(unsigned, isCursorDefinition, (ClangCursor))                                                 \
    X(ClangCursor, getCursorDefinition, (ClangCursor))                                             \
    X(ClangCursor, getCursorSemanticParent, (ClangCursor))                                         \
    X(unsigned, Cursor_isNull, (ClangCursor))                                                      \
    X(unsigned, equalCursors, (ClangCursor, ClangCursor))                                          \
    X(unsigned, CXXMethod_isStatic, (ClangCursor))                                                 \
    X(unsigned, Cursor_isVariadic, (ClangCursor))                                                  \
    X(int, Cursor_getNumArguments, (ClangCursor))                                                  \
    X(ClangCursor, Cursor_getArgument, (ClangCursor, unsigned))                                    \
    X(unsigned, isConstQualifiedType, (ClangType))                                                 \
    X(int, getCXXAccessSpecifier, (ClangCursor))                                                   \
    X(void, getInclusions, (ClangUnit, ClangInclusionVisitor *, void *))                           \
    X(ClangRanges *, getAllSkippedRanges, (ClangUnit))                                             \
    X(void, disposeSourceRangeList, (ClangRanges *))                                               \
    X(unsigned, getNumDiagnostics, (ClangUnit))                                                    \
    X(ClangDiagnostic, getDiagnostic, (ClangUnit, unsigned))                                       \
    X(void, disposeDiagnostic, (ClangDiagnostic))                                                  \
    X(int, getDiagnosticSeverity, (ClangDiagnostic))                                               \
    X(ClangString, getDiagnosticSpelling, (ClangDiagnostic))                                       \
    X(ClangString, getDiagnosticOption, (ClangDiagnostic, ClangString *))                          \
    X(ClangLocation, getDiagnosticLocation, (ClangDiagnostic))

typedef struct Clang {
#define X(result, name, parameters) result(*name) parameters;
    CLANG_FUNCTIONS(X)
#undef X
} Clang;

/* Loads it; the error says what to install. */
MUST_USE bool clang_load(const Clang **out, Error *error);
/* Copies a string of libclang's and gives it back. */
const char *clang_text(const Clang *clang, Arena *arena, ClangString string);
#endif
