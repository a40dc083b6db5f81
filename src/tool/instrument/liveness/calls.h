/* calls.h: what functions of the runtime and of libc do with addresses that they are
 * given, as far as the liveness analysis relies on it. */
#ifndef HEDDLE_INSTRUMENT_LIVENESS_CALLS_H
#define HEDDLE_INSTRUMENT_LIVENESS_CALLS_H
#include "tool/instrument/isa/isa.h"

typedef struct CallModel {
    bool is_hook; /* a __tsan_* function of the runtime: no arguments on the stack but numbers */
    bool copies;  /* memcpy and the like: reads and writes memory at its arguments, keeps none */
    bool returns_first; /* and returns the first */
    uint8_t arguments;  /* how many it takes in registers; others hold leftovers */
    uint8_t touches;    /* bit a: argument a is an address that is neither kept nor read through */
    uint8_t reads; /* bit a: `read_bytes` are read there before the call's own request, and may be
                      written; the address is not kept */
    uint16_t read_bytes;
} CallModel;

CallModel call_model(const char *name); /* NULL: unknown */

/* The registers that a hook reads: arguments as gcc and clang declare them. */
RegSet call_hook_reads(const Isa *isa, const char *name);

/* Is it a hook of which no argument is on the stack, by the calling convention? */
bool call_is_by_registers(const char *name);
/* Kinds of functions by NAME, which may be NULL. */
bool call_allocates(const char *name); /* returns memory that nobody else knows yet */
/* Arithmetic of libgcc (__divti3, __floattidf): it stands for an instruction that there is not. */
bool call_is_arithmetic(const char *name);
/* Compilers add such calls behind their instrumentation: arithmetic, copies, the guard of stacks.
 */
bool call_is_added(const char *name);
/* The runtime's own way to perform inline assembly (assembly.h): it stands for an instruction. */
bool call_is_translated(const char *name);
#endif
