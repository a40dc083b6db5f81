/* flags.h: the words of a compilation that somebody else's build has run, read again here: from
 * compile_commands.json, or from the note that `heddle cc' leaves in an object. */
#ifndef HEDDLE_INSTRUMENT_WRAPPER_FLAGS_H
#define HEDDLE_INSTRUMENT_WRAPPER_FLAGS_H
#include "tool/instrument/compiler.h"

/* Appends the words of COMMAND, split as a shell does: quotes and backslashes; nothing is
 * expanded. */
void flags_split(Arena *arena, const char *command, Words *out);
/* Returns PATH as seen from FOLDER, without detours, so that two ways to one place are equal. */
const char *flags_path(Arena *arena, const char *folder, const char *path);
/* Appends the words of one compilation in FOLDER (the first one is the compiler) that mean
 * something here, with absolute paths: not what is made of it, nor how much it is optimised, nor
 * which sanitizer it has, nor what it warns of. */
void flags_take(Arena *arena, const char *folder, const Words *words, Words *out);
/* Are these the same words in the same order? */
bool flags_same(const Words *a, const Words *b);
#endif
