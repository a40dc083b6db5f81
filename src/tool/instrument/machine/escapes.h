/* escapes.h: code that the runtime will not see: inline assembly that touches memory, locked
 * instructions, objects and libraries that were not compiled by us. A program with such code can be
 * found wrong, but never right: what escapes is named, and the answer is inconclusive at best. */
#ifndef HEDDLE_INSTRUMENT_MACHINE_ESCAPES_H
#define HEDDLE_INSTRUMENT_MACHINE_ESCAPES_H
#include <gelf.h>
#include "base/str.h"
#include "record/link.h"
#include "tool/instrument/built.h"

typedef struct Escape {
    const char *place;       /* "queue.c:12" or "libq.a(queue.o)" */
    const char *function;    /* NULL if unknown */
    uint64_t offset;         /* in the function; only for objects */
    const char *instruction; /* NULL: the whole object */
    const char *why;         /* "an atomic access" */
    const char *library;     /* "z": all of a library that is linked by its name */
    const ObjectFile *whole; /* all of an object that was not compiled by us */
    bool by_lanes;           /* a vector instruction of our own code (lanes.h) */
    uint64_t address;        /* of the function in the program; 0: see escapes_places */
} Escape;
typedef Vec(Escape) Escapes;
/* Where the program runs into an escape: the entry of a function, or 0 if that is not known. */
typedef struct EscapePlace {
    uint64_t address;
    uint32_t escape; /* index */
} EscapePlace;
typedef Vec(EscapePlace) EscapePlaces;
typedef Vec(LinkWatch) Watches; /* instructions that the runtime announces when it comes by */

MUST_USE bool escapes_find(Arena *arena, const Build *build, const BuildRequest *request,
                           Escapes *out, Watches *watches, Error *error);
/* Finds the functions of the linked program that contain each escape; one without any has a place
 * with address 0, except for a shared library, whose functions are noted when they are called. */
MUST_USE bool escapes_places(const Build *build, const Escapes *escapes, EscapePlaces *out,
                             Error *error);
typedef struct CodeRange {
    uint64_t from, to;
} CodeRange;
typedef Vec(CodeRange) CodeRanges;
/* Finds the functions of the linked program that come from the whole objects among OBJECTS and from
 * no other object of BUILD. A function is identified by its name and size; if another object has
 * one with both, it is left out, since the linker does not say whose it took. */
void escapes_only_code(const Build *build, const Escapes *objects, CodeRanges *out);
/* Calls SEE for every symbol of ELF's symbol table that lies in executable code. */
void escapes_each_function(Elf *elf, void (*see)(void *, const char *, const GElf_Sym *),
                           void *context);
/* Calls SEE for every entry of ELF's dynamic section; TEXT is its string, if it is a name. */
void escapes_each_dynamic(Elf *elf, void (*see)(void *, int64_t tag, const char *text),
                          void *context);
/* Is it at WORD: "queue.c:12", the name of its function, or that of its object or library? */
bool escapes_is_at(const Escape *escape, Str word);
/* One line about it, for a person. */
const char *escapes_text(Arena *arena, const Escape *escape);
#endif
