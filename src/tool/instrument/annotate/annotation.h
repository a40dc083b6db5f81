/* annotation.h: specifications in the comments of C and C++ sources, in the grammar of CDSSpec's
 * Figure 4 (heddle-annotations(7)): found in the text of one file and taken apart. What they stand
 * next to is not known here: annotate_locate.c asks libclang.
 *
 * The keywords are read without regard to case and underscores, the colon after them may be left
 * out, and the text of each ends at the next keyword or at the end of the comment. */
#ifndef HEDDLE_INSTRUMENT_ANNOTATE_ANNOTATION_H
#define HEDDLE_INSTRUMENT_ANNOTATE_ANNOTATION_H
#include "base/arena.h"
#include "base/error.h"
#include "base/str.h"

/* X(NAME, keyword, group): a keyword of group HEAD begins an annotation, the others belong to the
 * one before. */
#define ANNOTATION_KEYS(X)                                                                         \
    X(STRUCTURE, "Structure_Define", HEAD)                                                         \
    X(DECLARE_STRUCT, "DeclareStruct", STRUCTURE)                                                  \
    X(DECLARE_VAR, "DeclareVar", STRUCTURE)                                                        \
    X(INIT_VAR, "InitVar", STRUCTURE)                                                              \
    X(DEFINE_FUNC, "DefineFunc", STRUCTURE)                                                        \
    X(HAPPENS_BEFORE, "Happens_Before", STRUCTURE)                                                 \
    X(METHOD, "Method", HEAD)                                                                      \
    X(INTERFACE, "Interface", HEAD)                                                                \
    X(POINT_SET, "Ordering_Point_Set", METHOD)                                                     \
    X(HB_CONDITION, "HB_Condition", METHOD)                                                        \
    X(ID, "ID", METHOD)                                                                            \
    X(PRE_CONDITION, "PreCondition", METHOD)                                                       \
    X(SIDE_EFFECT, "SideEffect", METHOD)                                                           \
    X(POST_CONDITION, "PostCondition", METHOD)                                                     \
    X(POTENTIAL, "Potential_Ordering_Point", HEAD)                                                 \
    X(CHECK, "Ordering_Point_Check", HEAD)                                                         \
    X(LABEL_CHECK, "Ordering_Point_Label_Check", HEAD)                                             \
    X(CLEAR, "Ordering_Point_Clear", HEAD)                                                         \
    X(POTENTIAL_LABEL, "Potential_Ordering_Point_Label", POINT)                                    \
    X(LABEL, "Label", POINT)                                                                       \
    /* the words of the later CDSSpec papers */                                                    \
    X(DECLARE_STATE, "DeclareState", HEAD)                                                         \
    X(INITIAL, "Initial", STRUCTURE)                                                               \
    X(ADMISSIBILITY, "Admissibility", STRUCTURE)                                                   \
    X(COMMUTATIVITY, "Commutativity", STRUCTURE)                                                   \
    X(TRANSITION, "Transition", METHOD)                                                            \
    X(JUSTIFYING_PRE, "JustifyingPrecondition", METHOD)                                            \
    X(JUSTIFYING_POST, "JustifyingPostcondition", METHOD)                                          \
    X(OP_DEFINE, "OPDefine", HEAD)                                                                 \
    X(OP_CLEAR, "OPClear", HEAD)                                                                   \
    X(OP_CLEAR_DEFINE, "OPClearDefine", HEAD)                                                      \
    X(POTENTIAL_OP, "PotentialOP", HEAD)                                                           \
    X(OP_CHECK, "OPCheck", HEAD)
typedef enum AnnotationKey {
#define X(name, keyword, group) ANNOTATION_##name,
    ANNOTATION_KEYS(X)
#undef X
        ANNOTATION_KEY_COUNT
} AnnotationKey;
const char *annotation_keyword(AnnotationKey key); /* "InitVar" */

typedef struct AnnotationCode { /* C or C++ code of the user's */
    const char *text;           /* NULL: none is given; the decoration of comment lines is blank */
    int line, column;
    bool later; /* STATE(x), C_RET, S_RET and the like have a meaning (annotate_words.c) */
} AnnotationCode;
typedef Vec(AnnotationCode) AnnotationCodes;
typedef struct AnnotationName {
    const char *text; /* NULL: none */
    int line, column;
} AnnotationName;

typedef struct AnnotationRule { /* from(from_condition) -> to(to_condition) */
    AnnotationName from, from_condition, to, to_condition;
} AnnotationRule;
typedef struct AnnotationPair { /* calls that must be ordered, or need not be */
    AnnotationName first, second;
    AnnotationCode condition; /* of M1 and M2; text NULL: always */
    bool commutes;            /* @Commutativity, not @Admissibility */
} AnnotationPair;
typedef struct AnnotationCondition {
    AnnotationName name;
    AnnotationCode code;
} AnnotationCondition;

typedef struct Annotation {
    AnnotationKey kind; /* STRUCTURE, METHOD, POTENTIAL, CHECK, LABEL_CHECK or CLEAR */
    int line, column;   /* of its first keyword */
    size_t begin, end;  /* of the comment, in the text */
    /* STRUCTURE */
    AnnotationCodes structs, variables, inits, functions;
    Vec(AnnotationRule) rules;
    Vec(AnnotationPair) pairs;
    /* METHOD */
    AnnotationName name;
    Vec(AnnotationName) point_set;
    Vec(AnnotationCondition) conditions;
    AnnotationCode id, pre, side, post, justify_pre, justify_post;
    /* the others */
    AnnotationCode condition;
    AnnotationName label, potential_label;
} Annotation;
typedef Vec(Annotation) Annotations; /* in the order of the text */

/* The label of ordering points that have none, and the set of methods that name none: @OPDefine. */
#define ANNOTATION_OP "OP"

/* Reads all annotations of TEXT, the contents of FILE. Everything lives in the arena, the elements
 * of the vectors too (arena_push). */
MUST_USE bool annotation_read(Arena *arena, const char *file, Str text, Annotations *out,
                              Error *error);
/* Is there anything in TEXT that annotation_read would look at? */
bool annotation_present(Str text);
/* Does WORD stand in CODE as a token of its own? */
bool annotation_has_token(const char *code, const char *word);
/* Does the code of a method speak of NAME? */
bool annotation_mentions(const Annotation *annotation, const char *name);
/* The names that declarations such as "int a, *b[2]; struct x c;" declare, as C code in a struct
 * would. */
typedef Vec(const char *) AnnotationWords;
void annotation_declared_names(Arena *arena, Str declarations, AnnotationWords *names);
#endif
