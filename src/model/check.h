/* check.h: inside the type checker: scopes, and the functions its files share. From syntax to the
 * typed model of model.h; calls of functions are inlined here. */
#ifndef HEDDLE_MODEL_CHECK_H
#define HEDDLE_MODEL_CHECK_H
#include "model/syntax.h"

typedef enum SymbolKind {
    SYMBOL_CONST,    /* value, type */
    SYMBOL_TYPE,     /* type */
    SYMBOL_VARIABLE, /* variable */
    SYMBOL_ALIAS,    /* expr: a parameter that stands for its argument */
    SYMBOL_FUNCTION, /* syntax, and the scope it was declared in */
    SYMBOL_OPERATION,
} SymbolKind;

typedef struct Scope Scope;
typedef struct Symbol {
    SymbolKind kind;
    const char *name;
    Place place;
    const Module *module; /* of a variable, function, pool: the module it belongs to */
    int64_t value;
    const Type *type;
    Variable *variable;
    const Expr *expr;
    const Syntax *syntax;
    Scope *scope;
} Symbol;

struct Scope {
    Scope *parent;
    Vec(Symbol) symbols;
    bool is_top; /* the file: its variables are not visible inside a specification */
};

typedef Vec(const Stmt *) StmtList;
typedef Vec(Variable *) VariableList;
typedef Vec(Scope *) ScopeList;

typedef struct ModelChecker {
    Arena *arena;
    Error *error;
    Defines *defines;
    Model *model;
    Scope *top;
    ScopeList scopes; /* all, to be freed */
} ModelChecker;

/* The surroundings of the statement being checked. */
typedef struct Inline { /* the function whose body is being inlined */
    const Syntax *function;
    Variable
        *result; /* NULL for void; its type is NULL until the first return of an auto function */
    const struct Inline *outer;
    bool returns;
} Inline;
typedef struct Context {
    ModelChecker *checker;
    Module *module;
    const Type *result; /* of the operation; NULL where return is not allowed */
    VariableList *locals;
    Scope *scope;
    Inline *inlined;  /* NULL in the operation's own text */
    StmtList *before; /* where calls inside an expression go; NULL: calls are not allowed */
    int atomic_depth, loop_depth;
    bool no_self;
} Context;

Scope *scope_new(ModelChecker *checker, Scope *parent);
Symbol *scope_find(Scope *scope, const char *name); /* in it and those around it */
MUST_USE bool scope_add(ModelChecker *checker, Scope *scope, Symbol symbol);

/* check.c: fills checker->model from the declarations of a file. */
MUST_USE bool check_model(ModelChecker *checker, const SourceFile *file, Syntax **items, int count);

/* check_type.c */
const Type *type_basic(TypeKind kind);
const Type *check_type(Context *context, const Syntax *syntax); /* NULL: error */
const Type *check_declared_type(Context *context, const Syntax *declaration);
MUST_USE bool check_constant(Context *context, const Syntax *syntax, int64_t *value);
int type_scalar_count(const Type *type);
/* Appends the initial value of each scalar of a global to values. */
MUST_USE bool check_initial(Context *context, const Type *type, const Syntax *initial,
                            int64_t **values);
int64_t type_first_value(const Type *type); /* 0, or low when 0 is not allowed */
MUST_USE bool check_struct(Context *context, const Syntax *syntax, Struct *structure);
/* Can a value of type from be assigned to (compared with) one of type to? */
bool type_accepts(const Type *to, const Type *from);

/* check_expr.c */
/* The value of an operation on constants; false if it has none (division by zero, a shift too
 * far). */
bool operator_apply(Operator operator, int64_t a, int64_t b, int64_t *out);
const Expr *check_expr(Context *context, const Syntax *syntax);  /* NULL: error */
const Expr *check_value(Context *context, const Syntax *syntax); /* also new and choose */
const Expr *check_condition(Context *context, const Syntax *syntax);
const Expr *check_place(Context *context, const Syntax *syntax); /* something assignable */
const Expr *expr_const(Arena *arena, const Type *type, int64_t value, Place place);
const Expr *expr_not(Arena *arena, const Expr *expr);
const Expr *expr_variable(Arena *arena, const Variable *variable, Place place);
bool expr_is_local(const Expr *expr); /* no globals, no nodes */
bool expr_is_true(const Expr *expr);  /* the constant */
bool expr_is_false(const Expr *expr);

/* check_stmt.c */
const Stmt *check_stmt(Context *context, const Syntax *syntax); /* NULL: error */
Variable *context_add_local(Context *context, const char *name, const Type *type, Place place);
Stmt *stmt_new(Context *context, StmtKind kind, Place place);
/* One with one or two (second not NULL) bodies. */
const Stmt *stmt_with(Context *context, StmtKind kind, Place place, const Stmt *first,
                      const Stmt *second);
const Stmt *stmt_block(Context *context, Place place, StmtList *list); /* takes the list */
const Stmt *stmt_assign(Context *context, const Expr *target, const Expr *value, Place place);
/* A value for a target of a type: the types must agree, a constant must be in range. */
MUST_USE bool check_assignable(Context *context, const Type *to, const Expr *value, Place place);
/* check_call.c */
/* Inlines a call; *result is the value, NULL for a void function. */
MUST_USE bool check_call(Context *context, const Syntax *call, const Expr **result);
/* Can control pass the end of the statement? */
bool stmt_falls_through(const Stmt *stmt);
#endif
