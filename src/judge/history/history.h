/* history.h: operations and their order. An operation has a call and, unless it is pending, a
 * return; both have a position in one total order of events (interval form). `a` precedes `b` in
 * real time if a returned before b was called. A history cut out of an execution graph may carry a
 * partial order instead (`before`). Operations stand in the order of their calls. A HistoryBuilder
 * makes one from calls and returns as a log gives them and rejects what no run can produce. Depends
 * on libc only. */
#ifndef HEDDLE_HISTORY_HISTORY_H
#define HEDDLE_HISTORY_HISTORY_H
#include "base/error.h"
#include "base/hash.h"
#include "judge/history/value.h"

#define HISTORY_PENDING UINT32_MAX /* `returned` of an operation that has not returned */

typedef struct Operation {
    uint32_t process;          /* index into History.processes */
    uint32_t name;             /* symbol */
    uint32_t object;           /* symbol; 0: the history's only object */
    uint32_t arguments;        /* index of the first in History.arguments */
    uint16_t count;            /* of arguments */
    uint32_t line;             /* of the call in the log; 0 if it comes from none */
    uint32_t called, returned; /* positions in the order of events */
    Value result;              /* VALUE_UNKNOWN if pending */
} Operation;

/* Something that is no operation but belongs to the picture: a fault that was injected, a request
 * that is known not to have happened. */
typedef struct HistoryNote {
    uint32_t from, to; /* positions: it happened before the event FROM and lasted to before TO */
    uint32_t line;
    bool failed; /* a request that did not happen; else a fault */
    Value text;
} HistoryNote;

typedef struct History {
    Values *values; /* not owned; several histories may share one table */
    Vec(Operation) operations;
    Vec(Value) arguments;
    Vec(Value) processes; /* names, by index */
    Vec(HistoryNote) notes;
    Vec(Operation) failed; /* which are known not to have happened, in the order of their calls */
    uint32_t nil_reads;    /* of Jepsen: how many, whatever they were taken for */
    uint32_t positions;    /* all positions are below */
    bool stuck;            /* the run ended because its pending operations wait for ever */
    uint64_t *before;      /* NULL, or the partial order: row x holds bit y if y precedes x; then
                              `called`     is ignored and `returned` only tells pending operations */
    const char *source;    /* file, for messages; not owned */
    uint32_t number;       /* 1.. among the histories of the file */
} History;

History *history_new(Values *values);
void history_free(History *history); /* NULL is allowed */
size_t history_memory(const History *history);
static inline size_t history_row_words(size_t count)
{
    return (count + 63) / 64;
}
/* Replaces real time by the order of each process: what is then linearizable is sequentially
 * consistent. Operations of unknown outcome precede nothing. */
void history_forget_time(History *history);
/* Operations that may fail while they overlap another one of their object: those called NAME (0:
 * any) whose RESULT is that, or means the same (nothing there; no). Each of them that overlaps
 * another counts as not made: it leaves the history, and a note stays. Returns how many left. All
 * rules go by the overlaps of the history as it was read. GIVES: by name, what operations give when
 * they are done (spec_find_gives): "nothing there" is no failure of one that may give nothing, nor
 * of one that was only seen to wait; 0 is a value unless the operation only says yes or no. */
enum { HISTORY_GIVES_VALUE = 1, HISTORY_GIVES_NOTHING = 2, HISTORY_GIVES_TRUTH = 4 };
typedef struct HistoryFailure {
    uint32_t name; /* symbol */
    Value result;
} HistoryFailure;
size_t history_let_fail(History *history, const HistoryFailure *rules, size_t count,
                        const HashMap *gives);
/* Does x precede y? */
bool history_precedes(const History *history, size_t x, size_t y);
/* `deq() -> 3`, `put("k", 1)`, `read() -> ?`. */
void history_print_operation(const History *history, const Operation *operation, Buffer *out);

typedef struct HistoryBuilder {
    History *history;
    const char *file;
    HashMap process_index; /* word of the process' name -> index */
    Vec(uint32_t) open;    /* by process: open operation + 1, or 0 */
    size_t dropped;
    size_t memory_limit; /* 0: none */
} HistoryBuilder;

void history_build(HistoryBuilder *builder, History *history, const char *file);
/* An operation begins. Fails if PROCESS already has one open. */
MUST_USE bool history_call(HistoryBuilder *builder, Value process, uint32_t name, uint32_t object,
                           const Value *arguments, size_t count, uint32_t line, Error *error);
/* The open operation of PROCESS returns RESULT; its name, if NAME is not 0, must be NAME. */
MUST_USE bool history_return(HistoryBuilder *builder, Value process, uint32_t name, Value result,
                             uint32_t line, Error *error);
/* It is known to have had no effect: it goes to `failed` in the end, and a note stays. */
MUST_USE bool history_drop(HistoryBuilder *builder, Value process, uint32_t name, uint32_t line,
                           Error *error);
void history_note(HistoryBuilder *builder, HistoryNote note);
/* Its outcome is unknown: it stays open to the end, and the process may call again. */
MUST_USE bool history_leave(HistoryBuilder *builder, Value process, uint32_t name, uint32_t line,
                            Error *error);
/* The open operation of PROCESS, or NULL. */
Operation *history_open_operation(HistoryBuilder *builder, Value process);
/* Before history_finish: is it one that leaves? */
bool history_is_dropped(const Operation *operation);
/* Ends the history: what is still open stays pending. Frees the builder's own memory; call it also
 * after an error. */
void history_finish(HistoryBuilder *builder);
#endif
