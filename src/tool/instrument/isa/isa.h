/* isa.h: what the tool knows of a processor, one table each, chosen by the machine that a file is
 * for (e_machine) when it runs: a tool on x86-64 reads AArch64 code just as well. Analyses are
 * written on Code (code.h) and on the calling convention here, and name no register. */
#ifndef HEDDLE_INSTRUMENT_ISA_ISA_H
#define HEDDLE_INSTRUMENT_ISA_ISA_H
#include <capstone/capstone.h>
#include "base/str.h"
#include "record/link.h"
#include "tool/instrument/isa/code.h"

#define CALL_ARGUMENTS 10 /* registers: the most that a processor passes something in */

/* An operand of our own code, as unannounced/overlooked.h asks for it. */
typedef struct IsaOperand {
    LinkWatch watch; /* how to announce it, if the runtime can */
    bool is_known;   /* `watch` tells the operand's bytes, and which way they go */
    bool can_watch;
    bool
        is_elsewhere; /* no access, or found by other means (escapes, lanes, locked instructions) */
    char text[192];
} IsaOperand;

typedef void (*IsaFound)(void *context, uint64_t address, const char *instruction, const char *why);
/* There seems to be a call of TARGET, or a jump to it. GUESSED: too many bytes look like one. */
typedef void (*IsaCalled)(void *context, uint64_t target, bool guessed);

/* A function of others that is looked at, as far as it is known. */
typedef struct IsaSight {
    void *context;
    bool (*is_constant)(void *context, uint64_t address);
    bool frame;   /* the frame pointer is one */
    bool exposed; /* an address of the stack is taken */
    bool copied;  /* the code will be copied: frames are its own, and every way out is watched */
} IsaSight;
typedef enum IsaLook { ISA_PASSED, ISA_WATCHED, ISA_BEYOND } IsaLook;

/* How code is watched that heddle did not compile (machine/foreign.h, lanes.h, shared/). */
typedef struct IsaForeign {
    /* Is it a byte of the instructions that do nothing, which fill the space between functions? */
    bool (*is_filling)(uint8_t byte);
    /* Notes that the frame pointer is set up, or an address of the stack is computed. */
    void (*look_at_frame)(const cs_insn *instruction, IsaSight *sight);
    /* Fills *OUT if the runtime has to stop at an instruction, and can. */
    IsaLook (*look)(const IsaSight *sight, const cs_insn *instruction, LinkWatch *out);
    /* Looks for accesses by lanes alone. */
    IsaLook (*look_at_lanes)(const cs_insn *instruction, LinkWatch *out);
    /* Fills *OUT for a jump or a call to an address that a register holds. */
    bool (*look_at_leap)(const cs_insn *instruction, LinkWatch *out);
    /* Where in the instruction the 4 bytes stand that are to be changed if it moves, or 0; false if
     * that is not certain. */
    bool (*find_displacement)(const cs_insn *instruction, unsigned *at);
    bool (*is_jump)(csh handle, const cs_insn *instruction, uint64_t *target); /* a direct one */
    uint32_t links[3];   /* relocations that lead to functions of other objects */
    const char *folders; /* where the system has libraries, before those of all processors */
} IsaForeign;

typedef struct Isa {
    const char *name;
    uint16_t machine;          /* e_machine */
    const IsaForeign *foreign; /* NULL: the runtime can stop at our own code only, where `operand`
                                  says so (entry/watch.h) */
    /* registers, by number */
    RegSet all, callee_saved; /* the stack pointer is none of the latter */
    int stack_pointer, frame_pointer;
    int link; /* holds the return address when a function is entered and left, or REG_NONE: calls
                 push it */
    int return_bytes; /* that calls push */
    /* the place of the caller's frame pointer in a frame, to which the frame pointer leads once it
     * is set up (liveness/frame.h); 0: it may lead anywhere in the frame */
    int frame_pointer_place;
    int result, second_result;
    int result_place; /* where the caller says where a result is to stand that lies in memory */
    /* the registers of arguments, of which the first `argument_count` are the convention's; the
     * others, up to `passed_count`, hold what a compiler passes besides: where a result is to
     * stand, by what a nested function finds frames */
    int arguments[CALL_ARGUMENTS];
    int argument_count, passed_count;
    int vector_count; /* the register that holds the number of vectors given to a variadic
                            function, or REG_NONE */
    /* the place of a callee-saved register in the order of LIVENESS_*, or -1 */
    int (*saved_index)(int r);

    /* Opens the disassembler, with details. */
    void (*open)(csh *handle);
    /* Fills CODE, but for callees, `leader` and `target`; false if the instruction defies analysis.
     */
    bool (*decode)(csh handle, const cs_insn *instruction, Code *code);
    void (*operand)(const cs_insn *instruction, IsaOperand *out);

    /* Describes the call C of heddle__assembly that performs the instruction CODE
     * (record/assembly_code.h): what it reads, changes and overwrites. */
    void (*performed)(Code *c, uint32_t code);
    /* Do the COUNT bytes of CODE at ADDRESS begin with the linker's stub for a function of another
     * object? It jumps to the address in *SLOT. */
    bool (*stub_slot)(const uint8_t *code, size_t count, uint64_t address, uint64_t *slot);

    const char *comment; /* what begins one in assembly text; at the beginning of a line # does */
    /* Why one instruction of assembly text, without comment, escapes the compiler's
     * instrumentation; NULL if it does not. FROM_SOURCE: it stands in inline assembly, where plain
     * memory operands escape too. */
    const char *(*escape_in_text)(Str instruction, bool from_source);
    /* Names of the compiler's own functions that are atomic accesses, which nothing announces,
     * begin so; NULL if there are none. */
    const char *outlined;
    /* May it be (a part of) an atomic load of so many bytes that clang makes? */
    bool (*left_behind)(Str instruction, unsigned bytes);
    /* Does this instruction access memory by lanes (machine/lanes.h)? */
    bool (*is_by_lanes)(Str instruction);
    /* Finds calls, jumps and branches to other functions in the code of one, of BYTES at ADDRESS,
     * without decoding it: seeing too many does no harm. Those that stay in the function are left
     * out if it is ALONE: no other begins inside. */
    void (*each_call)(const uint8_t *code, size_t bytes, uint64_t address, bool alone,
                      IsaCalled called, void *context);
    /* Is there perhaps an indirect call? */
    bool (*calls_indirectly)(const uint8_t *code, size_t bytes);
    /* Disassembles machine code and calls FOUND for every escaping instruction. */
    void (*escapes_in_code)(const void *code, size_t bytes, uint64_t address, IsaFound found,
                            void *context);
} Isa;

/* Returns the table of a machine; NULL if it is not known. */
const Isa *isa_of(uint16_t machine);

/* Registers that calls do not preserve. */
static inline RegSet isa_caller_saved(const Isa *isa)
{
    return isa->all & ~(isa->callee_saved | REG_BIT(isa->stack_pointer));
}
/* Registers that a function leaves as it found them, the return address among them. */
static inline RegSet isa_restored(const Isa *isa)
{
    return isa->callee_saved | (isa->link == REG_NONE ? 0 : REG_BIT(isa->link));
}
/* Those that hold what a function returns. */
static inline RegSet isa_results(const Isa *isa)
{
    return REG_BIT(isa->result) | REG_BIT(isa->second_result);
}
/* The argument that is passed in register R, or -1. */
static inline int isa_argument_in(const Isa *isa, int r)
{
    for (int a = 0; a < isa->passed_count; a++)
        if (isa->arguments[a] == r)
            return a;
    return -1;
}
#endif
