/* expand.h: programs, objects and archives that `heddle cc' made, replaced by the sources that they
 * were made of, each with its own flags. */
#ifndef HEDDLE_INSTRUMENT_WRAPPER_EXPAND_H
#define HEDDLE_INSTRUMENT_WRAPPER_EXPAND_H
#include "tool/instrument/build.h"

/* Replaces in REQUEST every file that has notes (wrapper/note.h) by its sources, with their flags
 * in REQUEST->own, and adds the libraries that programs were linked with. A member of an archive
 * without a note stays in it; an object without one stays. A program without notes is an error, and
 * so are flags that could run a command or write a file. Flags that files have to themselves
 * already are handed on. Files that were replaced are appended to *TAKEN. The lists of REQUEST are
 * new ones, and the caller frees them (expand_free). */
MUST_USE bool expand_files(Arena *arena, BuildRequest *request, Words *taken, Error *error);
void expand_free(BuildRequest *request);
#endif
