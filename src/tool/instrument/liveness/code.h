/* code.h: the machine code of one function, instruction by instruction (isa/code.h), with
 * the ways that control may take. */
#ifndef HEDDLE_INSTRUMENT_LIVENESS_CODE_H
#define HEDDLE_INSTRUMENT_LIVENESS_CODE_H
#include "base/vec.h"
#include "tool/instrument/isa/isa.h"
#include "tool/instrument/liveness/image.h"

#define CODE_PARTS 4

typedef struct CodeFunction {
    const Isa *isa;
    uint32_t function;
    bool has_handlers; /* exceptions may go on at places that are not known */
    bool is_odd; /* it calls setjmp or its like, has an instruction that is not described, or runs
                    off its end */
    uint32_t parts[CODE_PARTS], part_count; /* the function itself, and what was moved away */
    Vec(Code) code;       /* by address within each part; parts one after the other */
    Vec(uint32_t) labels; /* where FLOW_TABLE may go */
} CodeFunction;

typedef struct CodeReader CodeReader;
CodeReader *code_reader_new(Arena *arena, const Image *image);
void code_reader_free(CodeReader *reader);
/* Fills OUT with the function's code. False if there is something in it that defies analysis. */
bool code_read(CodeReader *reader, uint32_t function, CodeFunction *out);
/* Reads odd functions and long ones as well: a path from a call of setjmp is told once, and an
 * instruction that is not described may change all registers that calls do not preserve. */
bool code_follow(CodeReader *reader, uint32_t function, CodeFunction *out);
void code_free(CodeFunction *function);
/* Is it one of the functions of libc, libstdc++ or the runtime that do not come back? They take no
 * arguments on the stack. Missing one costs precision, never truth. */
bool code_never_returns(const char *name);
#endif
