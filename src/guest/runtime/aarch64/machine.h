/* machine.h: what guest/runtime/arch.h declares, for AArch64; included by it alone. */
#ifndef HEDDLE_RUNTIME_AARCH64_MACHINE_H
#define HEDDLE_RUNTIME_AARCH64_MACHINE_H
#include <ucontext.h>
#include "guest/runtime/arch.h"

static inline void arch_switch(void **save, void *to)
{
    heddle__switch(save, to);
}

enum { ARCH_SAVED = 20, ARCH_SAVED_RETURN = 11 }; /* x19..x28 x29 x30 d8..d15 */
enum { ARCH_RESTORED = 11, ARCH_SWITCH_RETURN = 11, ARCH_SWITCH_BYTES = 160, ARCH_LINK = 11 };

static inline void *arch_first_frame(char *top, void (*entry)(void *), void *argument)
{
    void **sp = (void **)(void *)(((uintptr_t)top & ~(uintptr_t)15) - 32);
    sp[0] = sp[1] = NULL;
    sp -= ARCH_SAVED;
    for (int i = 0; i < ARCH_SAVED; i++)
        sp[i] = NULL;
    sp[0] = argument;                    /* x19 */
    sp[1] = __extension__(void *) entry; /* x20 */
    sp[ARCH_SAVED_RETURN] = __extension__(void *) heddle__fiber_start;
    return sp;
}

/* x0 to x7, then the stack behind the return address at SLOT. */
enum { ARCH_ARGUMENT_REGISTERS = 8 };
static inline uint64_t arch_argument(const uint64_t *registers, const uint64_t *slot, unsigned i)
{
    return i < ARCH_ARGUMENT_REGISTERS ? registers[i] : slot[1 + i - ARCH_ARGUMENT_REGISTERS];
}

/* The return address is in a register: a call whose address must stand on the stack keeps the frame
 * of heddle__opaque. */
enum { ARCH_OPEN_CALL = 2 };
#define ARCH_THUNK_BYTES 32
static inline void arch_write_thunk(void *at, const void *thunk)
{
    static const uint32_t code[] = {0x58000090,  /* ldr x16, at + 16 */
                                    0x580000b1,  /* ldr x17, at + 24 */
                                    0xd61f0220}; /* br x17 */
    uint64_t common = (uintptr_t)heddle__opaque, argument = (uintptr_t)thunk;
    __builtin_memcpy(at, code, sizeof code);
    __builtin_memcpy((char *)at + 16, &argument, 8);
    __builtin_memcpy((char *)at + 24, &common, 8);
    __builtin___clear_cache((char *)at, (char *)at + ARCH_THUNK_BYTES);
}

static inline uint64_t arch_thread_pointer(void)
{
    uint64_t value;
    __asm__ volatile("mrs %0, tpidr_el0" : "=r"(value));
    return value;
}

static inline void arch_set_thread_pointer(uint64_t value)
{
    __asm__ volatile("msr tpidr_el0, %0" ::"r"(value) : "memory");
}

/* ---- contexts of signals, traps ---- */
typedef uint32_t ArchTrap;
#define ARCH_TRAP UINT32_C(0xd4207d00) /* brk #1000 */
static inline uint64_t arch_context_pc(const void *context)
{
    return ((const ucontext_t *)context)->uc_mcontext.pc;
}
static inline void arch_context_set_pc(void *context, uint64_t pc)
{
    ((ucontext_t *)context)->uc_mcontext.pc = pc;
}
/* Where the trap stands that a thread has come to: the program counter does not move. */
static inline uint64_t arch_context_trap(const void *context)
{
    return arch_context_pc(context);
}
/* Is the instruction before PC a call of FUNCTION? */
static inline bool arch_is_call_of(const void *pc, const void *function)
{
    uint32_t call;
    __builtin_memcpy(&call, (const char *)pc - 4, 4);
    int64_t words = (int64_t)((uint64_t)call << 38) >> 38;
    return call >> 26 == 0x25 && (const char *)pc - 4 + 4 * words == (const char *)function;
}

#define ARCH_R_ABSOLUTE R_AARCH64_ABS64
#define ARCH_R_RELATIVE R_AARCH64_RELATIVE
#define ARCH_R_COPY R_AARCH64_COPY
#define ARCH_R_JUMP R_AARCH64_JUMP_SLOT
#define ARCH_R_DATA R_AARCH64_GLOB_DAT
#endif
