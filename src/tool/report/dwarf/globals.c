#include "tool/report/dwarf/globals.h"
#include <dwarf.h>
#include <stdlib.h>
#include <string.h>
#include "base/vec.h"
#include "tool/report/dwarf/types.h"

struct Globals {
    GlobalVariable *variables; /* by address */
    size_t count;
};

typedef struct Collection {
    Vec(GlobalVariable) list;
    uint64_t load_base;
    Dwarf_Addr bias; /* of addresses in the debug information */
} Collection;

/* The address in DW_AT_location, if it is a fixed one. */
static bool fixed_address(Dwarf_Die *die, Dwarf_Addr *address)
{
    Dwarf_Attribute attribute, indirect;
    Dwarf_Op *operation;
    size_t length;
    if (!dwarf_attr(die, DW_AT_location, &attribute) ||
        dwarf_getlocation(&attribute, &operation, &length) != 0 || length != 1)
        return false;
    if (operation->atom == DW_OP_addr) {
        *address = operation->number;
        return true;
    }
    return (operation->atom == DW_OP_addrx || operation->atom == DW_OP_GNU_addr_index) &&
           dwarf_getlocation_attr(&attribute, operation, &indirect) == 0 &&
           dwarf_formaddr(&indirect, address) == 0;
}

/* The table in which libstdc++ counts who waits (__w of <bits/atomic_wait.h>) is called by what it
 * is for: nobody knows its name. */
static const char *name_of(Dwarf_Die *die)
{
    const char *name = dwarf_diename(die), *file = dwarf_decl_file(die);
    bool waiters = name && file && !strcmp(name, "__w") && strstr(file, "/c++/") &&
                   strstr(file, "/atomic_wait.h");
    return waiters ? "std::atomic::wait" : name;
}

static void collect(void *context, Dwarf_Die *die)
{
    Collection *collection = context;
    GlobalVariable variable = {.name = name_of(die)};
    if (!fixed_address(die, &variable.address) || !types_of(die, &variable.type))
        return;
    variable.address += collection->bias + collection->load_base;
    variable.size = types_size(&variable.type);
    vec_push(&collection->list, variable);
}

static int compare(const void *a, const void *b)
{
    const GlobalVariable *x = a, *y = b;
    return x->address < y->address ? -1 : x->address > y->address;
}

Globals *globals_new(Arena *arena, Dwfl_Module *module, uint64_t load_base)
{
    Collection found = {.load_base = load_base};
    Dwarf_Die *unit = NULL;
    while ((unit = dwfl_module_nextcu(module, unit, &found.bias)))
        types_each_variable(unit, collect, &found);
    Globals *globals = arena_new_of(arena, Globals);
    globals->variables = arena_array_of(arena, GlobalVariable, found.list.count + 1);
    globals->count = found.list.count;
    if (found.list.count)
        memcpy(globals->variables, found.list.at, found.list.count * sizeof *found.list.at);
    vec_free(&found.list);
    qsort(globals->variables, globals->count, sizeof *globals->variables, compare);
    return globals;
}

const GlobalVariable *globals_find(const Globals *globals, uint64_t address)
{
    size_t low = 0, high = globals->count;
    while (low < high) {
        size_t middle = (low + high) / 2;
        if (globals->variables[middle].address <= address)
            low = middle + 1;
        else
            high = middle;
    }
    if (!low)
        return NULL;
    const GlobalVariable *variable = &globals->variables[low - 1];
    return address - variable->address < MAX(variable->size, 1u) ? variable : NULL;
}
