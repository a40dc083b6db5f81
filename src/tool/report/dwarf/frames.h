/* frames.h: where an address of a program's code stands in the source, through the functions that
 * the compiler has inlined there; and which code is the system's rather than the user's. From
 * DWARF. */
#ifndef HEDDLE_REPORT_DWARF_FRAMES_H
#define HEDDLE_REPORT_DWARF_FRAMES_H
#include <elfutils/libdwfl.h>
#include "base/common.h"

typedef struct SourceFrame {
    const char *file;     /* as the compiler names it; NULL if unknown */
    const char *function; /* NULL if unknown */
    int line, column;
    uint64_t scope; /* this copy of the function: the place of its entry in the debug information */
    bool system;    /* in a header of the compiler or the system */
} SourceFrame;

/* The frames of the instruction at ADDRESS, innermost first: the place of the instruction itself,
 * then of the call that was inlined, and so on. Returns how many, at most MOST. Strings live as
 * long as the module. Code that the compiler gives no line has that of the code before it in the
 * same function. */
unsigned frames_at(Dwfl_Module *module, uint64_t address, SourceFrame *frames, unsigned most);
/* The first of them outside the system's headers; the outermost if all are inside. False if there
 * is none. */
bool frames_user_at(Dwfl_Module *module, uint64_t address, SourceFrame *out);
bool frames_is_system_file(const char *file);

typedef void (*FramesRange)(void *context, uint64_t from, uint64_t to);
/* Calls EACH for the code of every function that a header of the system defines, without the user's
 * code that was inlined into it. */
void frames_each_system_code(Dwfl_Module *module, FramesRange each, void *context);
#endif
