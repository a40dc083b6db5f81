#include "tool/instrument/liveness/objects.h"
#include <dwarf.h>
#include <elfutils/libdw.h>
#include <string.h>
#include "base/hash.h"
#include "base/vec.h"

struct ObjectReader {
    Arena *arena;
    const Image *image;
    Dwarf *dwarf;
    bool tried;
    HashMap units;     /* those that were read, by offset */
    HashMap functions; /* from address to offset */
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
    hashmap_free(&reader->units);
    hashmap_free(&reader->functions);
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

/* The variable's place on the stack, if it is there all the time. False if it moves about: then the
 * function was optimised after all. */
static bool add_variable(Dwarf_Die *die, int64_t base, ObjectList *list)
{
    Dwarf_Attribute attribute;
    Dwarf_Op *ops;
    size_t count;
    Dwarf_Word bytes;
    Dwarf_Die type;
    if (!dwarf_attr_integrate(die, DW_AT_location, &attribute))
        return true;
    if (dwarf_whatform(&attribute) != DW_FORM_exprloc)
        return false;
    if (dwarf_getlocation(&attribute, &ops, &count) || count != 1 || ops[0].atom != DW_OP_fbreg)
        return true;
    if (dwarf_attr_integrate(die, DW_AT_type, &attribute) && dwarf_formref_die(&attribute, &type) &&
        !dwarf_aggregate_size(&type, &bytes) && bytes)
        vec_push(list, (StackObject){(int64_t)ops[0].number + base, bytes});
    return true;
}

static bool add_variables(Dwarf_Die *parent, int64_t base, ObjectList *list)
{
    Dwarf_Die child;
    if (dwarf_child(parent, &child))
        return true;
    bool plain = true;
    do {
        int tag = dwarf_tag(&child);
        if (tag == DW_TAG_variable || tag == DW_TAG_formal_parameter)
            plain &= add_variable(&child, base, list);
        else if (tag == DW_TAG_lexical_block || tag == DW_TAG_inlined_subroutine)
            plain &= add_variables(&child, base, list);
    } while (!dwarf_siblingof(&child, &child));
    return plain;
}

/* Notes where the functions of a unit are described, those in classes and namespaces too. */
static void note_functions(ObjectReader *reader, Dwarf_Die *parent)
{
    Dwarf_Die child;
    if (dwarf_child(parent, &child))
        return;
    do {
        int tag = dwarf_tag(&child);
        Dwarf_Addr low;
        if (tag == DW_TAG_subprogram && !dwarf_lowpc(&child, &low))
            *hashmap_put(&reader->functions, low, NULL) = dwarf_dieoffset(&child);
        else if (tag == DW_TAG_namespace || tag == DW_TAG_structure_type ||
                 tag == DW_TAG_class_type)
            note_functions(reader, &child);
    } while (!dwarf_siblingof(&child, &child));
}

/* The description of the function at ADDRESS and of its unit. Units are read when first needed. */
static bool find_function(ObjectReader *reader, uint64_t address, Dwarf_Die *unit,
                          Dwarf_Die *function)
{
    if (!reader->tried)
        reader->dwarf = dwarf_begin_elf(image_elf(reader->image), DWARF_C_READ, NULL);
    reader->tried = true;
    bool found = false;
    for (Dwarf_CU *cu = NULL; reader->dwarf && !found;) {
        if (dwarf_get_units(reader->dwarf, cu, &cu, NULL, NULL, unit, NULL))
            return false;
        found = dwarf_haspc(unit, address) > 0;
    }
    if (!found)
        return false;
    bool fresh;
    hashmap_put(&reader->units, dwarf_dieoffset(unit), &fresh);
    if (fresh)
        note_functions(reader, unit);
    const uint64_t *offset = hashmap_find(&reader->functions, address);
    return offset && dwarf_offdie(reader->dwarf, *offset, function);
}

/* Is the type passed in one register? NULL attribute: void. */
static bool is_scalar(Dwarf_Die *die)
{
    Dwarf_Attribute attribute;
    Dwarf_Die type, peeled;
    if (!dwarf_attr_integrate(die, DW_AT_type, &attribute))
        return true;
    if (!dwarf_formref_die(&attribute, &type) || dwarf_peel_type(&type, &peeled))
        return false;
    int tag = dwarf_tag(&peeled);
    Dwarf_Word bytes;
    if (tag == DW_TAG_pointer_type || tag == DW_TAG_reference_type ||
        tag == DW_TAG_rvalue_reference_type)
        return true;
    return (tag == DW_TAG_base_type || tag == DW_TAG_enumeration_type) &&
           !dwarf_aggregate_size(&peeled, &bytes) && bytes <= 8;
}

bool objects_in_registers(ObjectReader *reader, uint64_t address)
{
    Dwarf_Die unit, function, child;
    if (!find_function(reader, address, &unit, &function) || !is_scalar(&function))
        return false;
    unsigned count = 0;
    if (dwarf_child(&function, &child))
        return true;
    do {
        int tag = dwarf_tag(&child);
        if (tag == DW_TAG_unspecified_parameters ||
            (tag == DW_TAG_formal_parameter && !is_scalar(&child)))
            return false;
        count += tag == DW_TAG_formal_parameter;
    } while (!dwarf_siblingof(&child, &child));
    return count <= 6;
}

StackObjects objects_of(ObjectReader *reader, uint64_t address)
{
    StackObjects result = {0};
    Dwarf_Die unit, function;
    if (!find_function(reader, address, &unit, &function) || !is_plain(&unit))
        return result;
    int64_t base = frame_base(&function);
    if (base > 0)
        return result;
    ObjectList list = {0};
    result.plain = add_variables(&function, base, &list);
    result.count = result.plain ? list.count : 0;
    if (result.count) {
        result.at = arena_array_of(reader->arena, StackObject, list.count);
        memcpy(result.at, list.at, list.count * sizeof *list.at);
    }
    vec_free(&list);
    return result;
}
