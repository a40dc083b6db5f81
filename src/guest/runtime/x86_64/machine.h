/* machine.h: what guest/runtime/arch.h declares, for x86-64; included by it alone. */
#ifndef HEDDLE_RUNTIME_X86_64_MACHINE_H
#define HEDDLE_RUNTIME_X86_64_MACHINE_H
#include <ucontext.h>
#include "guest/runtime/arch.h"

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

enum { ARCH_RESTORED = 6, ARCH_SWITCH_RETURN = 6, ARCH_SWITCH_BYTES = 56, ARCH_LINK = -1 };

/* The registers as heddle__opaque has them on the stack. */
enum { ARCH_R9 = 2, ARCH_R8, ARCH_RDI, ARCH_RSI, ARCH_RDX, ARCH_RCX, ARCH_REGISTERS = 9 };

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

enum { ARCH_OPEN_CALL = 0 }; /* calls put their address on the stack */
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

static inline uint64_t arch_argument(const uint64_t *registers, const uint64_t *slot, unsigned i)
{
    static const int places[] = {ARCH_RDI, ARCH_RSI, ARCH_RDX, ARCH_RCX, ARCH_R8, ARCH_R9};
    return i < 6 ? registers[places[i]] : slot[1 + i - 6];
}

/* ---- contexts of signals, traps ---- */
typedef unsigned char ArchTrap;
#define ARCH_TRAP 0xcc /* int3 */
static inline uint64_t arch_context_pc(const void *context)
{
    return (uint64_t)((const ucontext_t *)context)->uc_mcontext.gregs[REG_RIP];
}
static inline void arch_context_set_pc(void *context, uint64_t pc)
{
    ((ucontext_t *)context)->uc_mcontext.gregs[REG_RIP] = (greg_t)pc;
}
static inline uint64_t arch_context_trap(const void *context)
{
    return arch_context_pc(context) - 1;
}
static inline bool arch_is_call_of(const void *pc, const void *function)
{
    int32_t distance;
    __builtin_memcpy(&distance, (const char *)pc - 4, sizeof distance);
    return ((const unsigned char *)pc)[-5] == 0xe8 &&
           (const char *)pc + distance == (const char *)function;
}
/* The frame pointer and the return address are its end. */
static inline bool arch_frame_end(const void *pc, char *sp, char *frame, char **end)
{
    (void)pc, (void)sp;
    *end = frame + 16;
    return true;
}
/* Behind the highest word with the return address, since copies of it may lie in the runtime's
 * frames. */
static inline const char *arch_find_caller(const void *saved, const char *base, uint64_t pc)
{
    const uint64_t *low = saved, *at = (const uint64_t *)(const void *)base;
    while (pc && at > low)
        if (*--at == pc)
            return (const char *)(at + 1);
    return NULL;
}

#define ARCH_R_ABSOLUTE R_X86_64_64
#define ARCH_R_RELATIVE R_X86_64_RELATIVE
#define ARCH_R_COPY R_X86_64_COPY
#define ARCH_R_JUMP R_X86_64_JUMP_SLOT
#define ARCH_R_DATA R_X86_64_GLOB_DAT
#endif
