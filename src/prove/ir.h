/* ir.h: operations as sequences of guarded atomic sub-operations, the one form that all of prove/
 * works on. Readers of notations (text.h) make it; nobody changes it afterwards.
 *
 * The state is globals, one map per field, one map per array, and which nodes are allocated. All
 * values are integers; NULL is 0. A local is RIGID: it has one value for the whole life of its
 * operation instance, so `x = e` on a local is the guard x == e, inputs and read values and fresh
 * nodes are free symbols held by guards, and two orders of the same steps agree on all locals by
 * construction. Reading a field of NULL disables the step. */
#ifndef HEDDLE_PROVE_IR_H
#define HEDDLE_PROVE_IR_H
#include "base/arena.h"
#include "base/str.h"

/* A kind says which terms are worth comparing: ints and keys are ordered, tids and bools only
 * equal or not, nodes are pointers to one structure. */
typedef enum Kind { KIND_INT, KIND_BOOL, KIND_KEY, KIND_TID, KIND_NODE } Kind;
typedef struct Type {
    Kind kind;
    int structure; /* for KIND_NODE, else -1 */
} Type;

typedef enum ExprKind {
    EXPR_NUMBER,
    EXPR_ID,     /* a value above 1 that no other instance has */
    EXPR_LOCAL,  /* index: local of the operation */
    EXPR_GLOBAL, /* index: global */
    EXPR_BOUND,  /* index: quantified variable of a fact */
    EXPR_FIELD,  /* index: field (numbered over all structures); a: the node */
    EXPR_CELL,   /* index: array; a: the position */
    EXPR_ADD,
    EXPR_SUB
} ExprKind;
typedef struct Expr Expr;
struct Expr {
    ExprKind kind;
    int index;
    int64_t number;
    const Expr *a, *b;
    Type type;
};

typedef enum FormulaKind {
    FORMULA_TRUE,
    FORMULA_EQ,
    FORMULA_NE,
    FORMULA_LT,
    FORMULA_LE,
    FORMULA_LIVE, /* left is an allocated node */
    FORMULA_NOT,
    FORMULA_AND,
    FORMULA_OR,
    FORMULA_IMPLIES
} FormulaKind;
typedef struct Formula Formula;
struct Formula {
    FormulaKind kind;
    const Expr *left, *right;
    const Formula *a, *b;
};

typedef enum StatementKind { STATEMENT_NEW, STATEMENT_FREE, STATEMENT_SET } StatementKind;
typedef struct Statement {
    StatementKind kind;
    int local;          /* of new and free */
    const Expr *target; /* of set: local, global, field or cell */
    const Expr *value;
} Statement;

typedef struct SubOp {
    bool anyone; /* tmark *: any thread may execute it */
    const char *label;
    int line;
    Vec(const Formula *) guards;
    Vec(Statement) statements;
} SubOp;

typedef struct Variable {
    const char *name;
    Type type;
} Variable;

/* A sequential obligation: a contiguous run of the operation from any state that satisfies the
 * invariants implies, in the state before it, that the formula holds (bound_count 0) or that no
 * value of the bound variable satisfies it (bound_count 1). */
typedef struct Ensure {
    int bound_count;
    Type bound_type;
    const Formula *formula;
    int line;
} Ensure;

/* A fact of the user's: about one point of an operation (after point sub-operations), or global
 * (operation -1) with up to two quantified variables. Checked, never trusted. */
typedef struct UserFact {
    int operation, point;
    int bound_count;
    Type bound[2];
    const Formula *formula;
    const char *text;
    int line;
} UserFact;

/* The hindsight lemma, as a claim to be checked (walk.h): the node LOCAL was met by following FIELD
 * from GLOBAL; so at some time since the call it satisfied KEEP (and UNTIL at the same time, if it
 * satisfies UNTIL when it is met). The operation's first sub-operation may then test them. */
typedef struct Walk {
    int local, global, field;
    Vec(const Formula *) keep;
    Vec(const Formula *) until;
    int line;
} Walk;

typedef struct Operation {
    const char *name;
    bool internal; /* no abstract effect, no result: it is no part of a history */
    bool joint;    /* stands for one operation each of two threads */
    int line;
    Vec(Variable) locals;
    Vec(SubOp) subops;
    Vec(Ensure) ensures;
    Vec(Walk) walks;
} Operation;

typedef struct Field {
    const char *name;
    int structure;
    Type type;
} Field;

typedef struct Program Program;
struct Program {
    const char *path;
    bool collected;                    /* the text declares garbage collection */
    bool frees;                        /* some sub-operation frees a node */
    Vec(const char *) structures;
    Vec(Field) fields;
    Vec(Variable) globals;
    Vec(Variable) arrays;              /* unbounded, indexed by int */
    Operation initial;                 /* its statements are one sub-operation (none: no init) */
    Vec(Operation) operations;
    Vec(UserFact) facts;
    Vec(const char *) assumptions;     /* `assume "..."`: printed with every verdict */
    Program *specification;            /* operations of one sub-operation each; NULL if none */
};

Program *program_new(Arena *arena, const char *path);
int program_find_operation(const Program *program, const char *name); /* -1 if none */
/* Does the sub-operation change the shared state? */
bool subop_writes(const SubOp *subop);
/* Does every sub-operation of OPERATION before POINT leave the shared state alone? */
bool operation_reads_only(const Operation *operation, int point);
/* Are the first COUNT sub-operations of the two the same text? */
bool operation_same_prefix(const Program *program, const Operation *a, const Operation *b,
                           int count);

/* Makers; all live as long as the arena. */
const Expr *expr_number(Arena *arena, int64_t number);
const Expr *expr_variable(Arena *arena, ExprKind kind, int index, Type type);
const Expr *expr_id(Arena *arena);
const Expr *expr_field(Arena *arena, const Program *program, int field, const Expr *base);
const Expr *expr_cell(Arena *arena, const Program *program, int array, const Expr *position);
const Expr *expr_binary(Arena *arena, ExprKind kind, const Expr *a, const Expr *b);
const Formula *formula_compare(Arena *arena, FormulaKind kind, const Expr *l, const Expr *r);
const Formula *formula_live(Arena *arena, const Expr *node);
const Formula *formula_join(Arena *arena, FormulaKind kind, const Formula *a, const Formula *b);
const Formula *formula_not(Arena *arena, const Formula *a);

bool type_equal(Type a, Type b);
static inline bool type_is_node(Type type)
{
    return type.kind == KIND_NODE;
}

/* The words of the text. OPERATION names locals and may be NULL. */
void expr_print(Buffer *out, const Program *program, const Operation *operation, const Expr *e);
void formula_print(Buffer *out, const Program *program, const Operation *operation,
                   const Formula *formula);
void subop_print(Buffer *out, const Program *program, const Operation *operation,
                 const SubOp *subop);
/* Same structure, e.g. to see that a fact is already there. */
bool expr_equal(const Expr *a, const Expr *b);
bool formula_equal(const Formula *a, const Formula *b);
#endif
