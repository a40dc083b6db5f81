/* arch.h: everything that depends on the processor: the context switch, a new fiber's first stack
 * frame, the thread pointer, thunks. x86-64 only so far; another architecture needs this file
 * again. */
#ifndef HEDDLE_RUNTIME_ARCH_H
#define HEDDLE_RUNTIME_ARCH_H
#include "base/common.h"
#ifndef __x86_64__
#error "Heddle's runtime knows only x86-64 so far: port src/guest/runtime/arch.h and x86_64/arch.S"
#endif

/* Saves the callee-saved registers on the stack, the stack pointer in *save, and goes on at TO. */
void heddle__switch(void **save, void *to);
/* Does the same, without a call, and goes on at TO by a return. A processor foretells returns by
 * the calls before them, as a stack. When a thread asks for something, by a call, and is given the
 * answer by this, both ends of that call are seen, and so are those of its callers; nothing is
 * foretold wrongly as long as one thread goes on. heddle__switch comes back here by a jump. */
static inline void arch_switch(void **save, void *to)
{
    __asm__ volatile("lea -128(%%rsp), %%rsp\n\t" /* below what the compiler may use unasked */
                     "lea 1f(%%rip), %%rax\n\t"
                     "push %%rax\n\t"
                     "push %%rbp\n\t"
                     "push %%rbx\n\t"
                     "push %%r12\n\t"
                     "push %%r13\n\t"
                     "push %%r14\n\t"
                     "push %%r15\n\t"
                     "mov %%rsp, (%0)\n\t"
                     "mov %1, %%rsp\n\t"
                     "pop %%r15\n\t"
                     "pop %%r14\n\t"
                     "pop %%r13\n\t"
                     "pop %%r12\n\t"
                     "pop %%rbx\n\t"
                     "pop %%rbp\n\t"
                     "ret\n"
                     "1:\tlea 128(%%rsp), %%rsp"
                     : "+D"(save), "+S"(to)
                     :
                     : "rax", "rcx", "rdx", "r8", "r9", "r10", "r11", "xmm0", "xmm1", "xmm2",
                       "xmm3", "xmm4", "xmm5", "xmm6", "xmm7", "xmm8", "xmm9", "xmm10", "xmm11",
                       "xmm12", "xmm13", "xmm14", "xmm15", "memory", "cc");
}
/* heddle__baton switches between kernel threads: see x86_64/arch.S. The words are 1 for "go", 0
 * otherwise. */
void heddle__baton(void **save, void **load, uint32_t *own, uint32_t *other);
/* Calls SEE(a, b, c, sp) with the callee-saved registers on the stack from SP on. */
void heddle__registers(const void *a, size_t b, const void *c,
                       void (*see)(const void *, size_t, const void *, const char *));
/* First return address of a fiber: calls r13(r12); the unwinder stops here. */
void heddle__fiber_start(void);
/* Where thunks lead: opaque_enter(where the return address stands, the thunk, the registers), then
 * the function that it names, with all arguments as they were; and opaque_leave(the same) when that
 * has returned, if opaque_enter asks for it: then the function must have no arguments on the stack.
 */
void heddle__opaque(void);
/* The registers as heddle__opaque has them on the stack. */
enum { ARCH_R9 = 2, ARCH_R8, ARCH_RDI, ARCH_RSI, ARCH_RDX, ARCH_RCX, ARCH_REGISTERS = 9 };

/* Builds the frame that heddle__switch will return into, so that entry(argument) runs on the stack
 * that ends at TOP. Returns the stack pointer to switch to. */
static inline void *arch_first_frame(char *top, void (*entry)(void *), void *argument)
{
    void **sp = (void **)(void *)(((uintptr_t)top & ~(uintptr_t)15) - 16);
    *--sp = NULL;
    *--sp = NULL;
    *--sp =
        __extension__(void *) heddle__fiber_start; /* the stack is 16-byte aligned at its call */
    sp -= 6;                                       /* r15 r14 r13 r12 rbx rbp */
    sp[0] = sp[1] = sp[4] = sp[5] = NULL;
    sp[2] = __extension__(void *) entry;
    sp[3] = argument;
    return sp;
}

/* A thunk: calls of it go to heddle__opaque, which asks opaque_enter(.., THUNK) what to call. */
#define ARCH_THUNK_BYTES 32
static inline void arch_write_thunk(void *at, const void *thunk)
{
    static const unsigned char load[] = {0x49, 0xbb};             /* movabs $thunk, %r11 */
    static const unsigned char jump[] = {0xff, 0x25, 0, 0, 0, 0}; /* jmp *(what follows) */
    unsigned char *code = at;
    uint64_t common = (uintptr_t)heddle__opaque, argument = (uintptr_t)thunk;
    __builtin_memcpy(code, load, sizeof load);
    __builtin_memcpy(code + 2, &argument, 8);
    __builtin_memcpy(code + 10, jump, sizeof jump);
    __builtin_memcpy(code + 16, &common, 8);
}

static inline uint64_t arch_thread_pointer(void)
{
    uint64_t value;
    __asm__ volatile("rdfsbase %0" : "=r"(value));
    return value;
}

static inline void arch_set_thread_pointer(uint64_t value)
{
    __asm__ volatile("wrfsbase %0" ::"r"(value) : "memory");
}
#endif
