/* program.h: a module compiled to run: the layout of a state, and code for each atomic step.
 *
 * A state is an array of bytes: the shared part (globals, then pools) and, for an implementation,
 * one block a thread: program counter, result, locals. A scalar is stored as value - low in 1, 2 or
 * 4 bytes, so a state is compared and hashed as it is. A specification has no thread blocks: each
 * of its operations runs as a whole.
 *
 * Program counters (pc) number all points of all operations: 0 is idle, PC_FINISHED a program
 * thread that ended, operation k is at point p when pc = program->base[k] + p; point FLOW_DONE
 * means "returned, the client has not seen it yet". */
#ifndef HEDDLE_MODEL_PROGRAM_H
#define HEDDLE_MODEL_PROGRAM_H
#include "model/flow.h"

enum { PC_IDLE = 0, PC_FINISHED = 0xFFFF };

/* X(NAME, text) */
#define MODEL_FAULTS(X)                                                                            \
    X(NONE, "")                                                                                    \
    X(ASSERTION, "the assertion does not hold")                                                    \
    X(DIVISION, "division by zero")                                                                \
    X(INDEX, "the index is outside the array")                                                     \
    X(RANGE, "the value is outside the range of its type")                                         \
    X(NULL_REFERENCE, "NULL is dereferenced")                                                      \
    X(FREED_REFERENCE, "a node that was freed is used")                                            \
    X(DOUBLE_FREE, "the node was freed before")                                                    \
    X(POOL_EMPTY, "the pool has no node left for new")                                             \
    X(DATA_EMPTY, "more than 255 different data values are alive")                                 \
    X(ENDLESS, "the atomic step does not end")                                                     \
    X(CHOICES, "one step makes more than 64 choices")                                              \
    X(EMPTY_CHOICE, "choose(low..high) with low greater than high")                                \
    X(OVERFLOW, "the number is too large")                                                         \
    X(INVARIANT, "the invariant does not hold")
typedef enum Fault {
#define X(name, text) FAULT_##name,
    MODEL_FAULTS(X)
#undef X
} Fault;
const char *fault_text(Fault fault);

typedef enum CellKind { CELL_DATA, CELL_THREAD, CELL_REF } CellKind;
typedef struct ScalarCell { /* a scalar that symmetry renames */
    int offset;             /* within the state, node or locals */
    short bytes, pool;
    CellKind kind;
} ScalarCell;
typedef struct ScalarCells {
    ScalarCell *at;
    int count;
} ScalarCells;
typedef struct ThreadArray { /* an array indexed by thread, permuted with the threads */
    int offset, stride, count;
} ThreadArray;

typedef struct Instr {
    unsigned char op, bytes;
    int a, b, c;
} Instr;

typedef struct ProgramEdge {
    const Edge *edge;
    const ModelOperation *operation;
    int code;
    int to, leave_to; /* pc */
} ProgramEdge;

typedef struct ProgramOperation {
    const ModelOperation *operation;
    int base;                   /* pc of point 0 */
    int code;                   /* the whole body as one step (specifications) */
    ScalarCells cells;          /* of the locals */
    ScalarCells argument_cells; /* of the parameters among them */
    int locals_bytes, arguments_bytes;
} ProgramOperation;

typedef struct ClearRange { /* locals that are dead at a point */
    int offset, bytes;
} ClearRange;
typedef struct ProgramPoint {
    int first_edge, edge_count;
    int operation; /* -1 for idle */
    bool is_local;
    ClearRange *clear;
    int clear_count;
} ProgramPoint;

typedef struct Program {
    const Module *module;
    int thread_count;
    int shared_bytes, thread_bytes, state_bytes;
    int pc_bytes, result_bytes, locals_offset; /* within a thread block */
    int arguments_offset, arguments_bytes;     /* room for a copy of the arguments of the call, laid
                                                  out as the parameters are; the engine's to use */
    int scratch_bytes;                         /* locals of the largest operation or init */
    Instr *code;
    Place *places; /* of each instruction */
    ProgramEdge *edges;
    ProgramOperation *operations;
    ProgramPoint *points; /* by pc */
    int edge_count, operation_count, point_count;
    int init_code; /* -1: none */
    ScalarCells init_cells;
    int *invariant_code, *final_code;
    ScalarCells shared_cells; /* in globals */
    ScalarCells *node_cells;  /* by pool, within the fields of a node */
    ThreadArray *thread_arrays;
    int thread_array_count;
    bool has_collected_pools, has_refs, has_data, has_threads;
    bool has_fixed_threads; /* arrays by thread in nodes or locals: threads can't be exchanged */
} Program;

/* Compiles a module. With threads 0 it is a specification. */
const Program *program_compile(Arena *arena, const Module *module, int thread_count);
/* Code for one expression over the shared part, ending in a return of its value. */
typedef struct ProgramExpr {
    const Program *program;
    Instr *code;
} ProgramExpr;
ProgramExpr program_compile_expr(Arena *arena, const Program *program, const Expr *expr);

/* ---- running ---- */
enum { MAX_CHOICES = 64 };
typedef enum RunStatus { RUN_NEXT, RUN_LEAVE, RUN_RETURN, RUN_BLOCKED, RUN_FAULT } RunStatus;

typedef struct Machine {
    const Program *program;
    unsigned char *memory; /* the state; for a specification followed by scratch_bytes of locals */
    int locals;            /* offset of the locals in memory */
    int self;              /* 1, 2, ...; 0: no thread */
    const ScalarCells *cells; /* of the locals, when they are not part of a thread block */
    int64_t result;           /* of RUN_RETURN */
    /* choices of this run: give a prefix, the rest is 0; machine_next_choice moves to the next
     * run */
    int choice[MAX_CHOICES], choice_limit[MAX_CHOICES];
    int choice_count, choice_at;
    /* a fault */
    Fault fault;
    Place fault_place;
    int64_t fault_value;
} Machine;

static inline void machine_init(Machine *machine, const Program *program, unsigned char *memory,
                                int locals, int self)
{
    machine->program = program;
    machine->memory = memory;
    machine->locals = locals;
    machine->self = self;
    machine->cells = NULL;
    machine->choice_count = 0;
    machine->fault = FAULT_NONE;
}
/* Runs code; on RUN_BLOCKED and RUN_FAULT memory is half changed and must be thrown away. */
RunStatus machine_run(Machine *machine, const Instr *code);
/* After a run: sets up the next combination of choices; false when all were run. */
bool machine_next_choice(Machine *machine);

/* The initial shared part (globals at their values, pools empty), without init. */
void program_initial(const Program *program, unsigned char *memory);
static inline unsigned char *program_thread(const Program *program, unsigned char *state,
                                            int thread)
{
    return state + program->shared_bytes + thread * program->thread_bytes;
}
static inline int cell_read(const unsigned char *at, int bytes)
{
    return bytes == 1   ? at[0]
           : bytes == 2 ? at[0] | at[1] << 8
                        : (int)((unsigned)at[0] | (unsigned)at[1] << 8 | (unsigned)at[2] << 16 |
                                (unsigned)at[3] << 24);
}
static inline void cell_write(unsigned char *at, int bytes, int value)
{
    at[0] = (unsigned char)value;
    if (bytes > 1)
        at[1] = (unsigned char)((unsigned)value >> 8);
    if (bytes > 2) {
        at[2] = (unsigned char)((unsigned)value >> 16);
        at[3] = (unsigned char)((unsigned)value >> 24);
    }
}
static inline int program_pc(const Program *program, const unsigned char *thread)
{
    return cell_read(thread, program->pc_bytes);
}
/* A stored scalar of a type, as a value. */
int64_t program_load(const Type *type, const unsigned char *at);
void program_store(const Type *type, unsigned char *at, int64_t value);
/* Frees nodes of pools without `manual` that no global and no live local reaches. */
void program_collect(const Program *program, unsigned char *memory, int locals,
                     const ScalarCells *cells);
/* The roots outside the globals: the cells of a thread's locals at its pc; NULL when idle. */
const ScalarCells *program_thread_cells(const Program *program, const unsigned char *thread);
#endif
