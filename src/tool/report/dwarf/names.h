/* names.h: addresses of a program under test as a person knows them: source lines, functions,
 * variables ("q.head"), heap objects by the type of the pointer that received them ("node#2.next"),
 * values by type. From the program's debug information; what is not found there is printed as a
 * number. All strings live in the arena. */
#ifndef HEDDLE_REPORT_DWARF_NAMES_H
#define HEDDLE_REPORT_DWARF_NAMES_H
#include "base/arena.h"
#include "base/error.h"
#include "record/record.h"
#include "tool/report/dwarf/frames.h"

typedef struct Names Names;
typedef struct SourcePlace { /* a line of source */
    const char *file;        /* as the compiler names it; NULL if unknown */
    int line, column;
    const char *function;
} SourcePlace;

/* RECORD gives the heap objects and where the program was loaded; it may be NULL. */
MUST_USE bool names_open(Names **out, Arena *arena, const char *program, const Record *record,
                         Error *error);
void names_close(Names *names); /* NULL is allowed */
Arena *names_arena(const Names *names);

/* Where the call is that returns to PC; the first place outside the compiler's and the system's
 * headers if functions were inlined. */
SourcePlace names_place(Names *names, uint64_t pc);
/* All frames of that call, innermost first (tool/report/dwarf/frames.h), and the code of the
 * system's headers. */
unsigned names_frames(Names *names, uint64_t pc, SourceFrame *frames, unsigned most);
void names_each_system_code(Names *names, FramesRange each, void *context);
/* Does the same as names_place for PC with the COUNT return addresses of its callers: the first
 * place that is the user's, if there is one. */
SourcePlace names_user_place(Names *names, uint64_t pc, const uint64_t *callers, unsigned count);
/* "semaphore_base.h:214": where the C++ library accesses memory on its own account, between the
 * user's call and its atomic operations. NULL if the user's code calls the atomic operation
 * (headers "atomic..."), or makes the access itself. */
const char *names_library_text(Names *names, uint64_t pc, const uint64_t *callers, unsigned count);
/* "queue.c:12", or "" if unknown. Only the last part of the path. */
const char *names_place_text(Names *names, uint64_t pc);
const char *names_text_of_place(Names *names, const SourcePlace *place);
/* Returns the text with which the program's constants begin at ADDRESS ("\"nut\""); NULL if they
 * do not lie there. */
const char *names_literal(Names *names, uint64_t address);
/* The function that the call before PC calls, without prefixes of the linker
 * ("pthread_mutex_lock"); NULL if that is unknown or a hook of the instrumentation. */
const char *names_callee(Names *names, uint64_t pc);
/* Returns the symbol of the function that starts at or contains ADDRESS, as the linker knows it, or
 * NULL. */
const char *names_symbol(Names *names, uint64_t address);
/* The function that starts at or contains ADDRESS, or NULL. */
const char *names_function(Names *names, uint64_t address);
/* From here on, variables on stacks are named as when EVENT happened; RECORD_NONE, as at the
 * beginning: when the record ends. */
void names_at(Names *names, uint32_t event);
/* "q.head", "node#2.next", "0x7f..." */
const char *names_location(Names *names, uint64_t address, uint64_t size);
/* Has the address a name at all? */
bool names_knows(Names *names, uint64_t address);
/* The heap object alone: "node#2". */
const char *names_object(Names *names, uint32_t object);
/* Has a library's code allocated it, for something that no type is known of? */
bool names_object_is_of_library(Names *names, uint32_t object);
/* The heap object that starts at or contains ADDRESS; RECORD_NONE if there is none. */
uint32_t names_object_at(Names *names, uint64_t address);
/* Does the same, or gives the one that ends shortly before ADDRESS. */
uint32_t names_object_near(Names *names, uint64_t address);
/* VALUE, found at ADDRESS, by the type of what lies there: "3", "-1", "true", "&node#2", "NULL". */
const char *names_value(Names *names, uint64_t address, uint64_t size, uint64_t value);
/* TEXT that the program under test wrote, with addresses that have a name called by it: "pop(&q)".
 */
const char *names_in_text(Names *names, const char *text);
/* "main", "T1" */
const char *names_thread(Names *names, unsigned thread);
#endif
