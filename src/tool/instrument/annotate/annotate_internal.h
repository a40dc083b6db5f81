/* annotate_internal.h: the annotations of a whole program, numbered; shared by annotate.c, which
 * gathers them, and annotate_emit.c, which writes code. */
#ifndef HEDDLE_INSTRUMENT_ANNOTATE_ANNOTATE_INTERNAL_H
#define HEDDLE_INSTRUMENT_ANNOTATE_ANNOTATE_INTERNAL_H
#include "tool/instrument/annotate/annotate_locate.h"

typedef struct ProgramStructure {
    const char *path, *real;
    const Annotation *annotation;
    AnnotationWords names; /* of its variables */
} ProgramStructure;
typedef struct ProgramMethod {
    const char *path, *real;
    const Annotation *annotation;
    size_t structure;
    bool defined;        /* a body was found in some unit */
    UnitMethod function; /* then */
    int object;          /* number of the field; -1: none */
    uint64_t labels;
} ProgramMethod;
typedef struct AnnotatedProgramPoint {
    const char *path, *real;
    const Annotation *annotation;
    size_t label, potential;
} AnnotatedProgramPoint;
typedef struct ProgramRule {
    size_t structure, from, to;
    int from_condition, to_condition; /* -1: none */
    const AnnotationRule *rule;
} ProgramRule;

typedef struct ProgramPair {         /* of @Admissibility and @Commutativity */
    size_t structure, first, second; /* methods */
    const AnnotationPair *pair;
} ProgramPair;

typedef struct UnitStructure { /* a structure in one unit */
    size_t number, file;
    UnitScope scope;
} UnitStructure;
typedef struct UnitAnnotated { /* a method whose body is in this unit */
    size_t number;
    const UnitFunction *function;
} UnitAnnotated;
typedef struct UnitPoint {
    size_t number, file;
} UnitPoint;
typedef struct ProgramUnit {
    size_t source; /* number in the list of files */
    Unit unit;
    Vec(UnitStructure) structures;
    Vec(UnitAnnotated) methods;
    Vec(UnitPoint) points;
} ProgramUnit;

typedef struct AnnotatedProgram {
    Arena *arena;
    Vec(ProgramUnit) units;
    Vec(ProgramStructure) structures;
    Vec(ProgramMethod) methods;
    Vec(AnnotatedProgramPoint) points;
    Vec(ProgramRule) rules;
    Vec(ProgramPair) pairs;
    Vec(const char *) labels;
} AnnotatedProgram;

typedef struct Edit { /* of a file's text */
    size_t begin, end;
    const char *text;
    size_t serial; /* edits of one place stay in order */
} Edit;
typedef Vec(Edit) Edits;

/* The changes to file number FILE of the unit; the first unit also carries the table of all
 * annotations. */
void annotate_emit(const AnnotatedProgram *program, const ProgramUnit *unit, Edits *edits_of_file);
typedef enum Dialect {
    DIALECT_C,
    DIALECT_CXX,
    DIALECT_METHOD /* C++ that speaks of a method's `this` from outside */
} Dialect;
/* Code of the user's, with the words that mean something else replaced (annotate_words.c). */
void annotate_emit_words(Buffer *out, const AnnotationCode *code, Dialect dialect);
/* TEXT with each return as a jump to the label heddle_eNUMBER, the value in heddle_rNUMBER; ends
 * with a zero. */
void annotate_replace_returns(Buffer *out, const char *text, int number);
/* Which methods the rules of each structure are about, and which parameter is the object
 * (annotate_resolve.c). */
MUST_USE bool annotate_resolve_rules(AnnotatedProgram *program, Error *error);
void annotate_emit_string(Buffer *out, const char *text); /* as a literal of C */
/* The table, as C or C++ text for the end of a file. */
const char *annotate_emit_table(const AnnotatedProgram *program, bool cxx);
#endif
