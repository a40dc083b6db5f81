/* types.h: DWARF types as a person reads them: the path of a byte inside a variable (".head",
 * "[2].next") and a value printed by its type. */
#ifndef HEDDLE_REPORT_DWARF_TYPES_H
#define HEDDLE_REPORT_DWARF_TYPES_H
#include <elfutils/libdw.h>
#include "base/str.h"

/* The type of a variable, member or pointer (without typedefs and qualifiers); false if it has
 * none. */
bool types_of(Dwarf_Die *die, Dwarf_Die *type);
/* Its size in bytes, or 0 if unknown. */
uint64_t types_size(Dwarf_Die *type);
/* Is its last member an array without a length, so that an object may be larger than its type? */
bool types_has_open_end(Dwarf_Die *type);
/* Appends the path to the part of TYPE that starts at OFFSET and has SIZE bytes. *leaf becomes the
 * type of that part; false if none is known. Members that a library hides (_M_b, __data) are left
 * out: a lock is called by the name its owner gave it. */
bool types_append_path(Buffer *text, Dwarf_Die *type, uint64_t offset, uint64_t size,
                       Dwarf_Die *leaf);

typedef void TypesVisitor(void *context, Dwarf_Die *variable);
/* Calls EACH for every variable with a name in SCOPE, also inside of namespaces, classes, functions
 * and their blocks. */
void types_each_variable(Dwarf_Die *scope, TypesVisitor *each, void *context);

typedef enum TypesValue {
    TYPES_UNKNOWN,
    TYPES_SIGNED,
    TYPES_UNSIGNED,
    TYPES_BOOLEAN,
    TYPES_CHARACTER,
    TYPES_FLOAT,
    TYPES_POINTER,
    TYPES_ENUM
} TypesValue;
TypesValue types_kind(Dwarf_Die *type);
/* The enumerator with that value, or NULL. */
const char *types_enumerator(Dwarf_Die *type, int64_t value);
#endif
