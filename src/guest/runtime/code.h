/* code.h: what the program's own machine code does between two hooks. gcc announces a copy of a
 * structure
 * (*a = *b) by the hook of the write, then that of the read, and copies after both; in every other
 * case a write is done before the next hook comes. */
#ifndef HEDDLE_RUNTIME_CODE_H
#define HEDDLE_RUNTIME_CODE_H
#include "base/common.h"

typedef enum CodeBetween {
    CODE_STORES,  /* memory is written between */
    CODE_NOTHING, /* straight to the second call, only registers change */
    CODE_UNKNOWN  /* an instruction that we can't read */
} CodeBetween;

/* FROM and TO are the return addresses of two calls. Stores to the stack are the compiler's own
 * (saved registers) unless STACK_COUNTS. A store to the stack is one whose address begins with the
 * stack pointer, or with rbp if RBP_ON_STACK: rbp points into the thread's stack when the second
 * call is made. Code without frame pointers keeps addresses of shared variables in rbp, and a store
 * to one of them must not be taken for one to the stack: it would be explored after the access that
 * comes next. If rbp changes after a store by it, its value at the second call tells nothing of
 * that store: CODE_UNKNOWN. */
CodeBetween code_between(const void *from, const void *to, bool stack_counts, bool rbp_on_stack);
/* FROM is the return address of a call that announces a store, and control has come to the
 * instruction AT. Is that store made? CODE_NOTHING: not yet. Of an instruction before AT whose
 * first byte is a trap, TRAPPED tells the length; it is none of what was announced. */
CodeBetween code_before(const void *from, const void *at, bool stack_counts, bool rbp_on_stack,
                        unsigned (*trapped)(const void *address));
/* FROM is the return address of a call that announces a store. Does the code load what it is about
 * to store to? gcc does so to store a bit field, and announces the store only. STACK_COUNTS: the
 * store may be to the stack. Also true if an instruction can't be read: to take a store for both
 * is no mistake. */
bool code_loads_first(const void *from, bool stack_counts);
#endif
