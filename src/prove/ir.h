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

enum { IR_MOST_FACTOR = 10000 }; /* in products, quotients and remainders */

/* A kind says which terms are worth comparing: ints and keys are ordered, tids and bools only
 * equal or not, nodes are pointers to one structure; ranks number nodes (enlarge.h). */
typedef enum IrKind { KIND_INT, KIND_BOOL, KIND_KEY, KIND_TID, KIND_NODE, KIND_RANK } IrKind;
typedef struct IrType {
    IrKind kind;
    int structure; /* for KIND_NODE, else -1 */
} IrType;

typedef enum IrExprKind {
    IR_NUMBER,
    IR_ID,     /* a value above 1 that no other instance has */
    IR_LOCAL,  /* index: local of the operation */
    IR_GLOBAL, /* index: global */
    IR_BOUND,  /* index: quantified variable of a fact */
    IR_FIELD,  /* index: field (numbered over all structures); a: the node */
    IR_CELL,   /* index: array; a: the position */
    IR_ADD,
    IR_SUB,
    IR_WRAP,     /* a modulo b, and b is the program's size */
    IR_TIMES,    /* b is a number */
    IR_QUOTIENT, /* as in C; b is a number above 0 */
    IR_REST      /* the remainder, as in C, with the sign of a; b is a number above 0 */
} IrExprKind;
typedef struct IrExpr IrExpr;
struct IrExpr {
    IrExprKind kind;
    int index;
    int64_t number;
    const IrExpr *a, *b;
    IrType type;
};

typedef enum IrFormulaKind {
    FORMULA_TRUE,
    FORMULA_EQ,
    FORMULA_NE,
    FORMULA_LT,
    FORMULA_LE,
    FORMULA_LIVE, /* left is an allocated node */
    FORMULA_MINE, /* left was allocated by this very instance (facts only) */
    FORMULA_NONE, /* no value of the bound variable 0 satisfies a (guards only) */
    FORMULA_NOT,
    FORMULA_AND,
    FORMULA_OR,
    FORMULA_IMPLIES
} IrFormulaKind;
typedef struct IrFormula IrFormula;
struct IrFormula {
    IrFormulaKind kind;
    const IrExpr *left, *right;
    const IrFormula *a, *b;
    IrType bound; /* of FORMULA_NONE */
    bool each;    /* of FORMULA_NONE: each value is looked at in its own time (ordered.h) */
};

typedef enum IrStatementKind { IR_NEW, IR_FREE, IR_SET, IR_ASSUME } IrStatementKind;
typedef struct IrStatement {
    IrStatementKind kind;
    int local;            /* of new and free */
    const IrExpr *target; /* of set: local, global, field or cell */
    const IrExpr *value;
    const IrFormula *condition; /* of assume: must hold here, between the statements around it */
    bool claimed;               /* of assume: that it holds is to be shown (claims.h) */
} IrStatement;

typedef struct SubOp {
    bool anyone; /* tmark *: any thread may execute it */
    const char *label;
    int line;
    Vec(const IrFormula *) guards;
    Vec(IrStatement) statements;
} SubOp;

typedef struct IrVariable {
    const char *name;
    IrType type;
} IrVariable;

/* The declared meaning of a global: worth trying as a fact, not trusted. */
typedef struct IrRange {
    int global;
    int64_t low, high;
} IrRange;

/* A sequential obligation: a contiguous run of the operation from any state that satisfies the
 * invariants implies, in the state before it, that the formula holds (bound_count 0) or that no
 * value of the bound variable satisfies it (bound_count 1). */
typedef struct Ensure {
    int bound_count;
    IrType bound_type;
    const IrFormula *formula;
    int line;
} Ensure;

/* A fact of the user's: about one point of an operation (after point sub-operations), or global
 * (operation -1) with up to two quantified variables. Checked, never trusted. */
typedef struct UserFact {
    int operation, point;
    int bound_count;
    IrType bound[2];
    const IrFormula *formula;
    const char *text;
    int line;
} UserFact;

/* The hindsight lemma, as a claim to be checked (walk.h): the node LOCAL was met by following FIELD
 * from GLOBAL; so at some time since the call it satisfied KEEP (and UNTIL at the same time, if it
 * satisfies UNTIL when it is met; and its FIELD was the local TO at the same time, if that is read
 * last). The operation's first sub-operation may then test them, or what follows from them. */
typedef struct Walk {
    int local, global, field;
    int to; /* -1: none */
    Vec(const IrFormula *) keep;
    Vec(const IrFormula *) until;
    int line;
} Walk;

/* The effect of an operation on a stack or queue (ordered.h): it inserts or removes an element. */
typedef enum IrRoleKind { ROLE_NONE, ROLE_INSERTS, ROLE_REMOVES } IrRoleKind;
typedef struct IrRole {
    IrRoleKind kind;
    int element, value; /* locals: which element, and what it holds */
    int rank;           /* of inserts: the local that ranks it; -1: the order of appearance */
    int step;           /* at which it appears, or is taken */
    int line;
} IrRole;

/* A step at which this operation and a pending one of another thread take effect together
 * (meeting.h). */
typedef struct Meeting {
    const char *name;                    /* of the other operation */
    int other;                           /* its number, once all is read */
    const char *token_name, *given_name; /* locals of the other: which one it is; what it gets */
    int token, given;                    /* the same, as numbers */
    int own_token, own_given;            /* the locals of this operation that they equal */
    int step, line;
} Meeting;

typedef struct IrOperation {
    const char *name;
    const char *method; /* what was called: several operations may be paths of one method */
    bool private_steps; /* steps on a node that it has made and not yet stored may join the next */
    bool internal;      /* no abstract effect, no result: it is no part of a history */
    bool observer;      /* a copy that only adds conditions: its steps are another's too */
    int witness;        /* of an observer: the local that is the element it observes; -1: none */
    int line;
    Vec(IrVariable) locals;
    /* Ports are seen by the caller: of each argument and result of the method, the local that it is
     * in this operation (-1: none). Positions mean the same in a program and in its specification;
     * names never do. */
    Vec(int) ports;
    Vec(SubOp) subops;
    Vec(Ensure) ensures;
    Vec(Walk) walks;
    IrRole role;
    const Meeting *meets; /* NULL: none */
} IrOperation;

typedef struct IrField {
    const char *name;
    int structure;
    IrType type;
} IrField;

/* The specification is a stack or a queue, and the proof that of ordered.h. */
typedef enum IrDiscipline { DISCIPLINE_NONE, DISCIPLINE_STACK, DISCIPLINE_QUEUE } IrDiscipline;

typedef struct IrHolder { /* a ghost: who has set the number LOCK (enlarge.h) */
    int lock, holder;     /* globals */
} IrHolder;

typedef struct IrProgram IrProgram;
struct IrProgram {
    const char *path;
    bool collected;    /* the text declares garbage collection */
    bool frees;        /* some sub-operation frees a node */
    bool id_is_thread; /* ID names a thread, whose later operations have it too */
    Vec(const char *) structures;
    Vec(IrField) fields;
    Vec(IrVariable) globals;
    Vec(IrVariable) arrays; /* unbounded, indexed by int */
    int size; /* the global that is the size of a ring: at least 2, and never changed; -1: none */
    IrOperation initial; /* its statements are one sub-operation (none: no init) */
    Vec(IrOperation) operations;
    Vec(UserFact) facts;
    Vec(const char *) assumptions; /* `assume "..."`: printed with every verdict */
    IrProgram *specification;      /* operations of one sub-operation each; NULL if none */
    /* A specification has here what the user says of the relation between a program and it, between
     * the braces of `refinement { ... }` (read/text.h), and where that begins; empty if nothing. */
    Str refinement;
    int refinement_line, refinement_column;
    /* The operations have all executions of what was read and more (loops stand for their last
     * round), so a violation of theirs may be none. EXACT[i] has only executions of what was read,
     * those that meet no point of an operation more than i + 1 times; it is NULL if there are too
     * many or too long ways. */
    /* This program with the steps on a node that nobody else can see joined with the next step,
     * which is easier to prove; NULL if there are none. Whether it has the same results is an
     * obligation (memory.h). Violations are looked for in the program as it is. */
    const IrProgram *joined;
    bool manual; /* nodes are freed by the program, and touching a freed one is an error */
    bool stable; /* the text says that it is none: memory is type-stable */
    /* This program with the rounds of loops that change nothing but read fields: that these are
     * fields of nodes is all that has to be shown of them; NULL if there are none. */
    const IrProgram *looks;
    bool approximate;
    const IrProgram *exact[2];
    Vec(IrRange) ranges;
    int threads;             /* that were declared; 0: any number. It is proved for any number */
    Vec(const char *) alone; /* methods that a single thread calls, as was declared */
    IrDiscipline discipline;
    /* Ghosts that the tool added (ghost.h): so many of the last arrays are indexed by elements of
     * this type; before them stand, for each global that numbers are drawn from (-1: none), the
     * arrays that say which element drew a number. */
    int counted_from; /* globals from this number on count, so the positions before and after them
                         are worth naming (simulation.h); 0: none */
    int ghost_owner;  /* the field that says who will free a node (enlarge.h); -1: none */
    Vec(IrHolder) holders;
    int ghost_arrays;
    IrType ghost_index;
    Vec(int) drawn_from, drawn_arrays;
};

IrProgram *ir_program_new(Arena *arena, const char *path);
int ir_program_find_operation(const IrProgram *program, const char *name); /* -1 if none */
/* Are there nodes that a step must not touch: freed ones, or, in a model, NULL? */
bool ir_program_checks_nodes(const IrProgram *program);
/* Does some step, of the program or its specification, name ID; as the position of an array? */
bool ir_program_uses_id(const IrProgram *program);
bool ir_program_indexes_by_id(const IrProgram *program);
/* Does the sub-operation change the shared state? */
bool ir_subop_writes(const SubOp *subop);
/* Does every sub-operation of OPERATION before POINT leave the shared state alone? */
bool ir_operation_reads_only(const IrOperation *operation, int point);
/* The local that is argument or result PORT; -1: none. */
int ir_operation_port(const IrOperation *operation, size_t port);
/* Can the local be seen from outside: is it an argument or result of the specification's, too? */
bool ir_operation_shows_local(const IrProgram *program, const IrOperation *operation, int local);
/* How many sub-operations at the beginning of the two are the same, but for the numbers and names
 * of their locals? TO_A (may be NULL) has room for each local of B: the local of A that it is; -1:
 * none that is known. */
int ir_operation_common_prefix(const IrOperation *a, const IrOperation *b, int *to_a);

/* Makers; all live as long as the arena. */
const IrExpr *ir_number(Arena *arena, int64_t number);
const IrExpr *ir_variable(Arena *arena, IrExprKind kind, int index, IrType type);
const IrExpr *ir_id(Arena *arena);
const IrExpr *ir_field(Arena *arena, const IrProgram *program, int field, const IrExpr *base);
const IrExpr *ir_cell(Arena *arena, const IrProgram *program, int array, const IrExpr *position);
const IrExpr *ir_binary(Arena *arena, IrExprKind kind, const IrExpr *a, const IrExpr *b);
const IrFormula *ir_formula_compare(Arena *arena, IrFormulaKind kind, const IrExpr *l,
                                    const IrExpr *r);
const IrFormula *ir_formula_live(Arena *arena, const IrExpr *node);
const IrFormula *ir_formula_mine(Arena *arena, const IrExpr *node);
const IrFormula *ir_formula_none(Arena *arena, IrType bound, const IrFormula *a);
const IrFormula *ir_formula_each(Arena *arena, IrType bound, const IrFormula *a);
bool ir_formula_has_none(const IrFormula *formula);
const IrFormula *ir_formula_join(Arena *arena, IrFormulaKind kind, const IrFormula *a,
                                 const IrFormula *b);
const IrFormula *ir_formula_not(Arena *arena, const IrFormula *a);

bool ir_type_equal(IrType a, IrType b);
static inline bool ir_type_is_node(IrType type)
{
    return type.kind == KIND_NODE;
}

/* The words of the text. OPERATION names locals and may be NULL. */
void ir_expr_print(Buffer *out, const IrProgram *program, const IrOperation *operation,
                   const IrExpr *e);
void ir_formula_print(Buffer *out, const IrProgram *program, const IrOperation *operation,
                      const IrFormula *formula);
void ir_subop_print(Buffer *out, const IrProgram *program, const IrOperation *operation,
                    const SubOp *subop);
/* Does it name the local? Does it read no shared memory? */
bool ir_expr_uses_local(const IrExpr *e, int local);
bool ir_formula_uses_local(const IrFormula *formula, int local);
bool ir_statement_uses_local(const IrStatement *statement, int local);
bool ir_subop_uses_local(const SubOp *subop, int local);
bool ir_expr_is_pure(const IrExpr *e);
bool ir_formula_is_pure(const IrFormula *formula);
/* The formula with bound variable 0 replaced. */
const IrFormula *ir_formula_instantiate(Arena *arena, const IrFormula *formula, const IrExpr *by);
/* Same structure, e.g. to see that a fact is already there. */
bool ir_expr_equal(const IrExpr *a, const IrExpr *b);
bool ir_formula_equal(const IrFormula *a, const IrFormula *b);
#endif
