#include "instrument/liveness_objects.h"
#include <dwarf.h>
#include <elfutils/libdw.h>
#include <string.h>
#include "base/vec.h"

struct ObjectReader {
    Arena *arena;
    const Image *image;
    Dwarf *dwarf;
    bool tried;
};

typedef Vec(StackObject) ObjectList;

ObjectReader *objects_new(Arena *arena, const Image *image)
{
    ObjectReader *reader = arena_new_of(arena, ObjectReader);
    reader->arena = arena;
    reader->image = image;
    return reader;
}

void objects_free(ObjectReader *reader)
{
    if (reader->dwarf)
        dwarf_end(reader->dwarf);
}

/* The compiler's command line is part of its name in debug information (gcc always; clang with
 * -grecord-command-line). An -O option that is missing means -O0; an unknown command line means
 * anything. The last -O counts. */
static bool is_plain(Dwarf_Die *unit)
{
    Dwarf_Attribute attribute;
    const char *producer = dwarf_formstring(dwarf_attr(unit, DW_AT_producer, &attribute));
    if (!producer)
        return false;
    bool recorded = (!strncmp(producer, "GNU ", 4) && strncmp(producer, "GNU AS", 6)) ||
                    strstr(producer, " -g");
    bool plain = recorded;
    for (const char *p = producer; (p = strstr(p, " -O")); p += 3)
        plain = recorded && p[3] == '0' && (p[4] == ' ' || !p[4]);
    return plain && !strstr(producer, " -flto");
}

/* Does the function measure its frame from the canonical frame address (0), from the register that
 * was pushed first (-16), or in some other way (1)? */
static int64_t frame_base(Dwarf_Die *function)
{
    Dwarf_Attribute attribute;
    Dwarf_Op *ops;
    size_t count;
    if (dwarf_getlocation(dwarf_attr(function, DW_AT_frame_base, &attribute), &ops, &count) ||
        count != 1)
        return 1;
    if (ops[0].atom == DW_OP_call_frame_cfa)
        return 0;
    return ops[0].atom == DW_OP_reg6 ? -16 : 1;
}

/* The variable's place on the stack, if it is there all the time. */
static void add_variable(Dwarf_Die *die, int64_t base, ObjectList *list)
{
    Dwarf_Attribute attribute;
    Dwarf_Op *ops;
    size_t count;
    Dwarf_Word bytes;
    Dwarf_Die type;
    if (!dwarf_attr_integrate(die, DW_AT_location, &attribute) ||
        dwarf_whatform(&attribute) != DW_FORM_exprloc ||
        dwarf_getlocation(&attribute, &ops, &count) || count != 1 || ops[0].atom != DW_OP_fbreg)
        return;
    if (!dwarf_attr_integrate(die, DW_AT_type, &attribute) ||
        !dwarf_formref_die(&attribute, &type) || dwarf_aggregate_size(&type, &bytes) || !bytes)
        return;
    vec_push(list, (StackObject){(int64_t)ops[0].number + base, bytes});
}

static void add_variables(Dwarf_Die *parent, int64_t base, ObjectList *list)
{
    Dwarf_Die child;
    if (dwarf_child(parent, &child))
        return;
    do {
        int tag = dwarf_tag(&child);
        if (tag == DW_TAG_variable || tag == DW_TAG_formal_parameter)
            add_variable(&child, base, list);
        else if (tag == DW_TAG_lexical_block || tag == DW_TAG_inlined_subroutine)
            add_variables(&child, base, list);
    } while (!dwarf_siblingof(&child, &child));
}

/* The function's own entry, or that of a scope around it (a class or namespace), depth first. */
static bool find_function(Dwarf_Die *parent, uint64_t address, Dwarf_Die *out)
{
    Dwarf_Die child;
    if (dwarf_child(parent, &child))
        return false;
    do {
        int tag = dwarf_tag(&child);
        Dwarf_Addr low;
        if (tag == DW_TAG_subprogram && !dwarf_lowpc(&child, &low) && low == address) {
            *out = child;
            return true;
        }
        if ((tag == DW_TAG_namespace || tag == DW_TAG_structure_type || tag == DW_TAG_class_type) &&
            find_function(&child, address, out))
            return true;
    } while (!dwarf_siblingof(&child, &child));
    return false;
}

StackObjects objects_of(ObjectReader *reader, uint64_t address)
{
    StackObjects result = {0};
    if (!reader->tried) {
        reader->dwarf = dwarf_begin_elf(image_elf(reader->image), DWARF_C_READ, NULL);
        reader->tried = true;
    }
    if (!reader->dwarf)
        return result;
    Dwarf_CU *cu = NULL;
    Dwarf_Die unit, function;
    bool found = false;
    while (!found && !dwarf_get_units(reader->dwarf, cu, &cu, NULL, NULL, &unit, NULL))
        found = dwarf_haspc(&unit, address) > 0;
    if (!found || !is_plain(&unit) || !find_function(&unit, address, &function))
        return result;
    int64_t base = frame_base(&function);
    if (base > 0)
        return result;
    ObjectList list = {0};
    add_variables(&function, base, &list);
    result.plain = true;
    result.count = list.count;
    if (list.count)
        result.at =
            (StackObject *)(void *)arena_copy(reader->arena, list.at, list.count * sizeof *list.at);
    vec_free(&list);
    return result;
}
