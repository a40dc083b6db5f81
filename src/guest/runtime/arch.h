/* arch.h: everything of the runtime that depends on the processor, declared; each processor's
 * folder defines it (x86_64/machine.h and arch.S, aarch64/...), and the Makefile takes one of them:
 * the context switch, a new fiber's first stack frame, the thread pointer, thunks, contexts of
 * signals, traps, relocations. */
#ifndef HEDDLE_RUNTIME_ARCH_H
#define HEDDLE_RUNTIME_ARCH_H
#include "base/common.h"

/* Saves the callee-saved registers on the stack, the stack pointer in *save, and goes on at TO. */
void heddle__switch(void **save, void *to);
/* Does the same, without a call, and goes on at TO by a return. A processor foretells returns by
 * the calls before them, as a stack. When a thread asks for something, by a call, and is given the
 * answer by this, both ends of that call are seen, and so are those of its callers; nothing is
 * foretold wrongly as long as one thread goes on. heddle__switch comes back here by a jump. */
static inline void arch_switch(void **save, void *to);
/* heddle__baton switches between kernel threads: see x86_64/arch.S. The words are 1 for "go", 0
 * otherwise. */
void heddle__baton(void **save, void **load, uint32_t *own, uint32_t *other);
/* Calls SEE(a, b, c, sp) with the callee-saved registers on the stack from SP on. */
void heddle__registers(const void *a, size_t b, const void *c,
                       void (*see)(const void *, size_t, const void *, const char *));
/* First return address of a fiber: calls the function that arch_first_frame was given; the unwinder
 * stops here. */
void heddle__fiber_start(void);
/* On the stack of a thread that heddle__switch has left lie ARCH_RESTORED registers that it will
 * restore, and ARCH_SWITCH_BYTES further the frame of its caller; its return address is word
 * ARCH_SWITCH_RETURN. ARCH_LINK: which of the registers holds a function's return address when it
 * is entered, or -1: calls push it. */
/* Builds the frame that heddle__switch will return into, so that entry(argument) runs on the stack
 * that ends at TOP. Returns the stack pointer to switch to. */
static inline void *arch_first_frame(char *top, void (*entry)(void *), void *argument);

/* Where thunks lead: opaque_enter(where the return address stands, the thunk, the registers), then
 * the function that it names, with all arguments as they were; and opaque_leave(the same) when that
 * has returned, if opaque_enter asks for it: then the function must have no arguments on the stack.
 */
void heddle__opaque(void);
/* Argument I of a call, as heddle__opaque has the REGISTERS on the stack, and the return address at
 * SLOT. */
static inline uint64_t arch_argument(const uint64_t *registers, const uint64_t *slot, unsigned i);
/* Writes a thunk of ARCH_THUNK_BYTES: calls of it go to heddle__opaque, which asks
 * opaque_enter(.., THUNK) what to call. ARCH_OPEN_CALL is what opaque_enter adds for a call whose
 * return address must stay where it is while the function runs; 0 where calls put it there. */
static inline void arch_write_thunk(void *at, const void *thunk);

static inline uint64_t arch_thread_pointer(void);
static inline void arch_set_thread_pointer(uint64_t value);

/* Where a thread was when a signal came (ucontext_t). */
static inline uint64_t arch_context_pc(const void *context);
static inline void arch_context_set_pc(void *context, uint64_t pc);
/* The address of the trap that it has come to. ARCH_TRAP, an ArchTrap, is that instruction. */
static inline uint64_t arch_context_trap(const void *context);

/* Is the instruction before PC a call of FUNCTION by its address? */
static inline bool arch_is_call_of(const void *pc, const void *function);

#if defined __x86_64__
#define ARCH_INLINE static inline /* what is short there, and is not on others */
#else
#define ARCH_INLINE
#endif
/* A function has called what returns to PC; SP is its stack pointer, and FRAME its frame pointer.
 * *END is where its frame ends. False if that is not known. */
ARCH_INLINE bool arch_frame_end(const void *pc, char *sp, char *frame, char **end);
/* Returns where the frames of the program begin in a stack that ends at BASE, whose thread has
 * called the runtime, which returns to PC, and was left by heddle__switch with its stack pointer at
 * SAVED. NULL if that is not known. */
ARCH_INLINE const char *arch_find_caller(const void *saved, const char *base, uint64_t pc);

/* ARCH_R_ABSOLUTE, _RELATIVE, _COPY, _JUMP, _DATA: types of relocations. */
#if defined __x86_64__
#include "guest/runtime/x86_64/machine.h"
#elif defined __aarch64__
#include "guest/runtime/aarch64/machine.h"
#else
#error "Heddle's runtime knows x86-64 and AArch64: another processor needs a folder beside x86_64/"
#endif
#endif
