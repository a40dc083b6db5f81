/* model.h: the modelling language: what a model is after parsing and type checking, and how to get
 * it.
 *
 * A model has an implementation (the declarations of the file) and any number of specifications
 * (`specification NAME { ... }`); both are a Module: variables, node pools, operations. Everything
 * here is typed, constants are folded, and calls of functions are already inlined: what is left is
 * C-like statements over scalar cells. Who wants operations as graphs of guarded atomic steps reads
 * model/flow.h; who wants to run them, model/program.h.
 *
 * Values are integers everywhere: bool 0/1; enum the index of the word; data and thread 0 for
 * `none` and 1, 2, ...; a reference 0 for NULL and 1, 2, ... for the nodes of its pool.
 *
 * All of it is immutable after model_read and lives as long as the arena. */
#ifndef HEDDLE_MODEL_MODEL_H
#define HEDDLE_MODEL_MODEL_H
#include "model/source.h"

enum {
    MODEL_MAX_THREADS = 8,
    MODEL_MAX_DATA = 255,   /* different data values alive in one state */
    MODEL_INT_LOW = -32768, /* plain `int`: a mathematical integer to the prover; a state */
    MODEL_INT_HIGH = 32767, /* in which one leaves these bounds is an error of the model */
    MODEL_MAX_PARAMETERS = 8,
};

/* ---- types ---- */
typedef enum TypeKind {
    TYPE_VOID,
    TYPE_BOOL,
    TYPE_INT,    /* low..high; bounded is false for plain `int` */
    TYPE_ENUM,   /* words[0..count) */
    TYPE_DATA,   /* uninterpreted: copied and compared with none, nothing else; calls bring new
                  * ones */
    TYPE_THREAD, /* a thread or none; compared for equality only */
    TYPE_REF,    /* a node of structure's pool or NULL */
    TYPE_STRUCT,
    TYPE_ARRAY, /* count elements of element; by_thread: indexed by a thread instead of an int */
    TYPE_NULL,  /* of the literal NULL */
    TYPE_NONE,  /* of the literal none */
} TypeKind;

typedef struct Type Type;
typedef struct Struct Struct;
typedef struct Variable Variable;
typedef struct Expr Expr;
typedef struct Stmt Stmt;
typedef struct ModelOperation ModelOperation;
typedef struct Module Module;
typedef struct Flow Flow; /* model/flow.h */

struct Type {
    TypeKind kind;
    bool bounded, by_thread;
    const char *name;    /* of enum, data, or as written */
    int64_t low, high;   /* every value of a scalar type lies between them */
    const char **words;  /* of an enum */
    int64_t count;       /* elements of an array, words of an enum */
    const Type *element; /* of an array */
    Struct *structure;   /* of a struct or reference */
    /* layout: bytes a value takes in a state (a scalar is stored as value - low) */
    int bytes;
};

typedef struct Field {
    const char *name;
    const Type *type;
    Place place;
    int offset; /* layout: bytes from the start of the struct */
} Field;

struct Struct {
    const char *name;
    Place place;
    Field *fields;
    int field_count;
    const Module *module; /* the one that declares it */
    int64_t pool;         /* nodes that `new` can give; 0: not a node type */
    bool manual;          /* nodes live until free(); else while a reference reaches them */
    int pool_index;       /* among the module's pools */
    int bytes;            /* layout: of one value, without the node's live flag */
    int pool_offset;      /* layout: of node 1 in the state; a node is 1 live byte + bytes */
};

typedef enum VariableKind { VARIABLE_GLOBAL, VARIABLE_LOCAL } VariableKind;
struct Variable {
    VariableKind kind;
    const char *name;
    const Type *type;
    Place place;
    bool is_parameter;
    int index;             /* among the module's globals, or the operation's locals */
    const int64_t *values; /* of a global: initial value of each scalar in it, in layout order */
    int offset;            /* layout: in the state, or from the start of the thread's locals */
};

/* ---- expressions: no side effects, one type each ---- */
typedef enum ExprKind {
    EXPR_CONST,       /* value */
    EXPR_VARIABLE,    /* variable */
    EXPR_ARROW,       /* a->field: a is a reference; NULL or a freed node is a run-time error */
    EXPR_FIELD,       /* a.field: a is a place of struct type */
    EXPR_INDEX,       /* a[b]: a is a place of array type; out of bounds is a run-time error */
    EXPR_UNARY,       /* operator a */
    EXPR_BINARY,      /* a operator b; && and || evaluate b only when needed */
    EXPR_CONDITIONAL, /* a ? b : c */
    EXPR_SELF,        /* the thread that executes */
    EXPR_AVAILABLE,   /* available(Node): nodes of structure's pool that `new` can still give */
    EXPR_NEW,    /* only as value of an assignment: a node with all fields at their first value */
    EXPR_CHOOSE, /* only as value of an assignment: any value of a..b */
} ExprKind;

/* X(NAME, text, precedence): a higher number binds tighter, as in C */
#define MODEL_OPERATORS(X)                                                                         \
    X(OR, "||", 1)                                                                                 \
    X(AND, "&&", 2)                                                                                \
    X(BIT_OR, "|", 3)                                                                              \
    X(BIT_XOR, "^", 4)                                                                             \
    X(BIT_AND, "&", 5)                                                                             \
    X(EQ, "==", 6)                                                                                 \
    X(NE, "!=", 6)                                                                                 \
    X(LT, "<", 7)                                                                                  \
    X(LE, "<=", 7)                                                                                 \
    X(GT, ">", 7)                                                                                  \
    X(GE, ">=", 7)                                                                                 \
    X(SHIFT_LEFT, "<<", 8)                                                                         \
    X(SHIFT_RIGHT, ">>", 8)                                                                        \
    X(ADD, "+", 9)                                                                                 \
    X(SUB, "-", 9)                                                                                 \
    X(MUL, "*", 10)                                                                                \
    X(DIV, "/", 10)                                                                                \
    X(MOD, "%", 10)                                                                                \
    X(NOT, "!", 11)                                                                                \
    X(NEG, "-", 11)                                                                                \
    X(BIT_NOT, "~", 11)
typedef enum Operator {
#define X(name, text, precedence) OP_##name,
    MODEL_OPERATORS(X)
#undef X
        OP_COUNT
} Operator;

struct Expr {
    ExprKind kind;
    Operator operator;
    const Type *type;
    Place place;
    int64_t value;
    const Variable *variable;
    const Field *field;
    const Struct *structure;
    const Expr *a, *b, *c;
};

/* ---- statements ---- */
typedef enum StmtKind {
    STMT_BLOCK,  /* body[0..count) in turn */
    STMT_ASSIGN, /* target = value */
    STMT_FREE,   /* free(value) */
    STMT_AWAIT,  /* blocks until value holds; inside atomic: the whole step waits */
    STMT_ASSERT, /* an error of the behaviour when value does not hold */
    STMT_IF,     /* value ? body[0] : body[1]; body[1] may be NULL */
    STMT_WHILE,  /* while (value) body[0]; body[1], if any, runs after each round and on continue;
                    do_first: the first round does not test */
    STMT_CHOOSE, /* any one of body[0..count) that can make its first step */
    STMT_ATOMIC, /* body[0] as one step */
    STMT_INLINE, /* body[0], which STMT_LEAVE ends: an inlined function, its name in name */
    STMT_LEAVE,  /* ends the innermost STMT_INLINE */
    STMT_RETURN, /* ends the operation with value (NULL: void) */
    STMT_BREAK,
    STMT_CONTINUE,
} StmtKind;

struct Stmt {
    StmtKind kind;
    bool do_first;
    Place place;
    const char *name;
    const Expr *target, *value;
    const Stmt **body;
    int count;
};

/* ---- modules ---- */
struct ModelOperation {
    const char *name;
    Place place;
    const Module *module;
    int index;
    const Type *result; /* void or a scalar */
    Variable **locals;  /* the parameters first */
    int local_count, parameter_count;
    const Stmt *body;
    bool is_program; /* the body of a `thread { }`: runs once */
    const Flow *flow;
};

struct Module {
    const char *name; /* of a specification; "implementation" */
    Place place;
    bool is_specification;
    Variable **globals;
    int global_count;
    Struct **pools; /* structs with a pool */
    int pool_count;
    ModelOperation **operations;
    int operation_count;
    const Stmt *init; /* NULL: none; runs as one step of no thread */
    Variable **init_locals;
    int init_local_count;
    const Expr **invariants; /* must hold in every state, over globals */
    int invariant_count;
    const Expr **finals; /* of a specification: it may end where one of them holds */
    int final_count;
};

/* Threads first .. first+count-1 call any of the operations in the mask, for ever
 * (or once, if is_program). */
typedef struct ThreadGroup {
    int first, count;
    uint64_t operations; /* bit i: operation i of the implementation */
    bool is_program;
    Place place;
} ThreadGroup;

typedef struct QuasiFactor {
    const char *operation;
    int factor;
    Place place;
} QuasiFactor;

/* An expression to print in outcomes, with its text. */
typedef struct Observation {
    const char *text;
    const Expr *expr;
} Observation;

typedef struct Model {
    const char *name; /* the file */
    uint64_t hash;    /* of what it says: of its tokens, with parameters and included files */
    Module *implementation;
    Module **specifications;
    int specification_count;
    ThreadGroup *groups; /* in thread order, covering 0..thread_count-1 */
    int group_count, thread_count;
    QuasiFactor *quasi; /* `quasi deq : 2;` */
    int quasi_count;
    Observation *observations; /* `observe r1, r2;` */
    int observation_count;
    Place refinement;    /* of what is between the braces of `refinement { ... }`; and that, in */
    Str refinement_text; /* the prover's words (prove/read/text.h); empty: there is none */
} Model;

typedef struct ModelOptions {
    const char **defines; /* "SEGMENTS=3" or "BUG" (= 1) */
    int define_count;
    const char **include_paths;
    int include_path_count;
    const char *specification; /* a library specification to add, e.g. "fifo"; NULL: none */
} ModelOptions;

/* Reads, parses and checks a model; on failure *error has message, place, line and caret. */
MUST_USE bool model_read(Arena *arena, const char *path, const ModelOptions *options,
                         const Model **out, Error *error);
/* Does the same for text in memory (tests, generated models); name appears in messages. */
MUST_USE bool model_read_text(Arena *arena, const char *name, Str text, const ModelOptions *options,
                              const Model **out, Error *error);
/* NULL if there is none of that name; a NULL name gives the first. */
const Module *model_find_specification(const Model *model, const char *name);
const ModelOperation *module_find_operation(const Module *module, const char *name);

/* ---- text ---- */
bool type_is_scalar(const Type *type);
const char *type_text(Arena *arena, const Type *type); /* "int(0..3)" */
const char *operator_text(Operator operator);
/* A value as the user would write it: 3, true, EMPTY, a, b, c (data), none, t1, NULL, Node#2. */
void model_value_print(Buffer *out, const Type *type, int64_t value);
void expr_print(Buffer *out, const Expr *expr);
#endif
