/* vtables.h: where a library keeps the addresses of its own functions for others to call: the
 * tables of virtual functions of its classes. Objects of such classes (the facets of locales, the
 * buffers of std::cout, exceptions) bring their functions with them, so that a program calls what
 * it never names. Here the tables are found by the library's relocations: also those of classes
 * that the library does not export. */
#ifndef HEDDLE_RUNTIME_VTABLES_H
#define HEDDLE_RUNTIME_VTABLES_H
#include <link.h>
#include "base/common.h"

/* Code or data from FROM up to TO. */
typedef struct VtableSpan {
    uintptr_t from, to;
} VtableSpan;

/* The code of an object that is loaded, and its data that is constant once it is loaded, in whole
 * pages; empty if it has none. */
VtableSpan vtables_code(const struct dl_phdr_info *object);
VtableSpan vtables_constants(const struct dl_phdr_info *object);

/* Calls SEE for each word in the constants of LIBRARY that the loader made the address of a
 * function in CODE; NAME is NULL for one that the library does not export. */
typedef void VtablesSee(uintptr_t *slot, const char *name);
void vtables_each(const struct dl_phdr_info *library, VtableSpan code, VtablesSee *see);
/* Calls SEE for each such word in the tables that the loader copied into PROGRAM. */
void vtables_each_copied(const struct dl_phdr_info *program, VtableSpan code, VtablesSee *see);

/* Returns the class whose table SLOT is in, as the compiler spells it, and sets *NUMBER to the
 * number of the function in its table; NULL if the words before SLOT do not look like a table.
 * CONSTANTS are those of the library, IS_FUNCTION tells addresses of functions from others. */
const char *vtables_class(const uintptr_t *slot, VtableSpan constants,
                          bool (*is_function)(uintptr_t address), unsigned *number);
#endif
