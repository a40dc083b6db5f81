/* emit.h: an outline as a test file. */
#ifndef HEDDLE_CLI_INIT_EMIT_H
#define HEDDLE_CLI_INIT_EMIT_H
#include "base/str.h"
#include "tool/cli/init/outline.h"

typedef struct EmitCount { /* for the sentence at the end */
    unsigned operations, left, guesses;
    unsigned vacuous; /* operations of which no result is told */
} EmitCount;

/* Appends the text of the file. INCLUDES are the lines that name headers, without "#include ";
 * FILE is what it will be called, COMMAND what made it. */
void emit_test(Arena *arena, const Outline *outline, const Words *includes, const char *file,
               const char *command, Buffer *out, EmitCount *count);
#endif
