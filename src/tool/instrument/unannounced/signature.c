#include "tool/instrument/unannounced/signature.h"
#include <dwarf.h>
#include <stdlib.h>
#include <string.h>

const char *signature_place(Arena *arena, Dwarf *dwarf, uint64_t address)
{
    Dwarf_Die unit;
    Dwarf_Line *line;
    int number;
    if (dwarf && dwarf_addrdie(dwarf, address, &unit) &&
        (line = dwarf_getsrc_die(&unit, address)) && !dwarf_lineno(line, &number)) {
        const char *path = dwarf_linesrc(line, NULL, NULL);
        const char *name = path ? strrchr(path, '/') : NULL;
        if (path)
            return arena_printf(arena, "%s:%d", name ? name + 1 : path, number);
    }
    return NULL;
}

static bool function_die(Dwarf *dwarf, uint64_t address, Dwarf_Die *out)
{
    Dwarf_Die unit, *scopes = NULL;
    bool is_function = false;
    if (!dwarf || !dwarf_addrdie(dwarf, address, &unit))
        return false;
    int count = dwarf_getscopes(&unit, address, &scopes);
    for (int i = 0; i < count && !is_function; i++)
        if (dwarf_tag(&scopes[i]) == DW_TAG_subprogram) {
            *out = scopes[i];
            is_function = true;
        }
    free(scopes);
    return is_function;
}

const char *signature_name(Dwarf *dwarf, uint64_t address)
{
    Dwarf_Die die;
    return function_die(dwarf, address, &die) ? dwarf_diename(&die) : NULL;
}

/* Is the type of what DIE describes (a parameter; a function: its result) one that lies in memory?
 * In C++ it may be passed by its address (BY_ADDRESS), whatever its size. */
static bool is_in_memory(Dwarf_Die *die, bool *by_address)
{
    Dwarf_Die type;
    Dwarf_Attribute attribute;
    Dwarf_Word bytes, convention = 0;
    if (!dwarf_attr_integrate(die, DW_AT_type, &attribute) ||
        !dwarf_formref_die(&attribute, &type) || dwarf_peel_type(&type, &type))
        return false;
    int tag = dwarf_tag(&type);
    if (tag != DW_TAG_structure_type && tag != DW_TAG_class_type && tag != DW_TAG_union_type)
        return false;
    if (dwarf_attr_integrate(&type, DW_AT_calling_convention, &attribute))
        dwarf_formudata(&attribute, &convention);
    *by_address = convention == DW_CC_pass_by_reference;
    return *by_address || (!dwarf_aggregate_size(&type, &bytes) && bytes > 16);
}

bool signature_has_hidden_argument(Dwarf *dwarf, uint64_t address)
{
    Dwarf_Die function;
    bool by_address;
    return function_die(dwarf, address, &function) && is_in_memory(&function, &by_address);
}

bool signature_takes_structure(Dwarf *dwarf, uint64_t address)
{
    Dwarf_Die function, child;
    bool by_address;
    if (!function_die(dwarf, address, &function) || dwarf_child(&function, &child))
        return false;
    do {
        if (dwarf_tag(&child) == DW_TAG_formal_parameter && is_in_memory(&child, &by_address) &&
            !by_address)
            return true;
        if (dwarf_tag(&child) == DW_TAG_unspecified_parameters) /* who knows what it is given */
            return true;
    } while (!dwarf_siblingof(&child, &child));
    return false;
}

bool signature_is_constructor(const char *name)
{
    return !strncmp(name, "_Z", 2) && (strstr(name, "C1E") || strstr(name, "C2E"));
}
