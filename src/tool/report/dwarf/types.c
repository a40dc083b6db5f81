#include "tool/report/dwarf/types.h"
#include <dwarf.h>
#include <string.h>

bool types_of(Dwarf_Die *die, Dwarf_Die *type)
{
    Dwarf_Attribute attribute;
    Dwarf_Die plain;
    if (!dwarf_attr_integrate(die, DW_AT_type, &attribute) ||
        !dwarf_formref_die(&attribute, &plain))
        return false;
    return dwarf_peel_type(&plain, type) == 0;
}

uint64_t types_size(Dwarf_Die *type)
{
    Dwarf_Word size;
    return dwarf_aggregate_size(type, &size) == 0 ? size : 0;
}

static bool is_aggregate(int tag)
{
    return tag == DW_TAG_structure_type || tag == DW_TAG_class_type || tag == DW_TAG_union_type;
}

/* Elements in the dimensions after the first: in int a[2][3] an a[i] has 3. */
static uint64_t array_inner_count(Dwarf_Die *array, unsigned *dimensions, uint64_t counts[8])
{
    Dwarf_Die child;
    uint64_t inner = 1;
    *dimensions = 0;
    if (dwarf_child(array, &child) != 0)
        return 1;
    do {
        if (dwarf_tag(&child) != DW_TAG_subrange_type || *dimensions == 8)
            continue;
        Dwarf_Attribute attribute;
        Dwarf_Word count = 0;
        if (dwarf_attr(&child, DW_AT_count, &attribute))
            dwarf_formudata(&attribute, &count);
        else if (dwarf_attr(&child, DW_AT_upper_bound, &attribute) &&
                 dwarf_formudata(&attribute, &count) == 0)
            count++;
        counts[*dimensions] = count ? count : 1;
        if ((*dimensions)++)
            inner *= counts[*dimensions - 1];
    } while (dwarf_siblingof(&child, &child) == 0);
    return inner;
}

static bool append_array(Buffer *text, Dwarf_Die *type, uint64_t offset, uint64_t size,
                         Dwarf_Die *leaf)
{
    Dwarf_Die element;
    uint64_t element_size, counts[8];
    unsigned dimensions;
    if (!types_of(type, &element) || !(element_size = types_size(&element)))
        return false;
    uint64_t inner = array_inner_count(type, &dimensions, counts);
    uint64_t index = offset / element_size;
    if (size > element_size) { /* a copy of several elements */
        buffer_printf(text, "[%llu..%llu]", (unsigned long long)index,
                      (unsigned long long)(index + size / element_size - 1));
        return false;
    }
    for (unsigned i = 0; i < MAX(dimensions, 1u); i++) {
        buffer_printf(text, "[%llu]", (unsigned long long)(index / inner));
        index %= inner;
        if (i + 1 < dimensions)
            inner /= counts[i + 1];
    }
    return types_append_path(text, &element, offset % element_size, size, leaf);
}

/* An array without a length, as the last member of a structure. */
static bool is_open_array(Dwarf_Die *type)
{
    return dwarf_tag(type) == DW_TAG_array_type && types_size(type) == 0;
}

bool types_has_open_end(Dwarf_Die *type)
{
    Dwarf_Die child, member;
    bool open = false;
    if (!is_aggregate(dwarf_tag(type)) || dwarf_child(type, &child) != 0)
        return false;
    do
        if (dwarf_tag(&child) == DW_TAG_member)
            open = types_of(&child, &member) && is_open_array(&member);
    while (dwarf_siblingof(&child, &child) == 0);
    return open;
}

/* Does CHILD, a child of a type, hold the SIZE bytes at OFFSET? Then *START is where it begins, and
 * *MEMBER its type. */
static bool member_holds(Dwarf_Die *child, uint64_t offset, uint64_t size, Dwarf_Word *start,
                         Dwarf_Die *member)
{
    int tag = dwarf_tag(child);
    Dwarf_Attribute attribute;
    *start = 0;
    if (tag != DW_TAG_member && tag != DW_TAG_inheritance)
        return false;
    if (dwarf_attr(child, DW_AT_data_member_location, &attribute)) {
        if (dwarf_formudata(&attribute, start) != 0)
            return false;
    } else if (dwarf_hasattr(child, DW_AT_data_bit_offset)) {
        return false;
    } else if (dwarf_hasattr(child, DW_AT_external)) {
        return false; /* a static member lives elsewhere */
    }
    if (!types_of(child, member))
        return false;
    uint64_t bytes = types_size(member);
    return offset >= *start &&
           (is_open_array(member) || (offset < *start + bytes && size <= bytes));
}

/* Does a part of TYPE, at whatever depth, begin at OFFSET and have SIZE bytes? */
static bool has_part(Dwarf_Die *type, uint64_t offset, uint64_t size)
{
    Buffer path = {0};
    Dwarf_Die leaf;
    bool found = types_append_path(&path, type, offset, size, &leaf) && types_size(&leaf) == size &&
                 !(path.count && memchr(path.at, '+', path.count));
    vec_free(&path);
    return found;
}

/* Finds the member with these bytes: of a union the first that has them as a part of their own. */
static bool find_member(Dwarf_Die *type, uint64_t offset, uint64_t size, Dwarf_Die *found,
                        Dwarf_Word *start, Dwarf_Die *member)
{
    Dwarf_Die child;
    bool any = false, is_union = dwarf_tag(type) == DW_TAG_union_type;
    if (dwarf_child(type, &child) != 0)
        return false;
    do {
        Dwarf_Word at;
        Dwarf_Die of_child;
        if (!member_holds(&child, offset, size, &at, &of_child))
            continue;
        bool best = !is_union || has_part(&of_child, offset - at, size);
        if (any && !best)
            continue;
        any = true;
        *found = child;
        *start = at;
        *member = of_child;
        if (best)
            break;
    } while (dwarf_siblingof(&child, &child) == 0);
    return any;
}

/* gcc calls what a lambda captures `__x'. */
static bool is_lambda(Dwarf_Die *type)
{
    const char *name = dwarf_diename(type);
    return name && !strncmp(name, "<lambda", 7);
}

/* gcc calls a variable x in the frame of a coroutine `x_1_2', by the block that it is in. Returns
 * how much of NAME is the user's. */
static int own_length(Dwarf_Die *type, const char *name)
{
    const char *frame = dwarf_diename(type), *end = frame ? strrchr(frame, '.') : NULL;
    size_t length = strlen(name);
    for (int number = 0; end && !strcmp(end, ".Frame") && number < 2; number++) {
        size_t digits = length;
        while (digits && name[digits - 1] >= '0' && name[digits - 1] <= '9')
            digits--;
        if (digits < 2 || digits == length || name[digits - 1] != '_')
            break;
        length = digits - 1;
    }
    return (int)length;
}

static bool append_member(Buffer *text, Dwarf_Die *type, uint64_t offset, uint64_t size,
                          Dwarf_Die *leaf)
{
    Dwarf_Die child, member;
    Dwarf_Word start;
    if (!find_member(type, offset, size, &child, &start, &member))
        return false;
    const char *name = dwarf_diename(&child);
    size_t shown = text->count;
    if (name && is_lambda(type) && name[0] == '_' && name[1] == '_')
        name += 2;
    if (name && dwarf_tag(&child) == DW_TAG_member && name[0] != '_')
        buffer_printf(text, ".%.*s", own_length(type, name), name);
    bool found = types_append_path(text, &member, offset - start, size, leaf);
    /* below __size of a lock nothing has a name that the user knows */
    if (name && name[0] == '_' && name[1] == '_') {
        text->count = shown;
        if (text->at)
            text->at[shown] = 0;
    }
    return found;
}

bool types_append_path(Buffer *text, Dwarf_Die *type, uint64_t offset, uint64_t size,
                       Dwarf_Die *leaf)
{
    int tag = dwarf_tag(type);
    if (tag == DW_TAG_array_type)
        return append_array(text, type, offset, size, leaf);
    if (is_aggregate(tag)) {
        /* the whole of it, unless it is a wrapper around one member of its size */
        if (append_member(text, type, offset, size, leaf))
            return true;
        return false;
    }
    if (offset)
        buffer_printf(text, "+%llu", (unsigned long long)offset);
    *leaf = *type;
    return true;
}

TypesValue types_kind(Dwarf_Die *type)
{
    switch (dwarf_tag(type)) {
    case DW_TAG_pointer_type:
    case DW_TAG_reference_type:
    case DW_TAG_rvalue_reference_type:
        return TYPES_POINTER;
    case DW_TAG_enumeration_type:
        return TYPES_ENUM;
    case DW_TAG_base_type:
        break;
    default:
        return TYPES_UNKNOWN;
    }
    Dwarf_Attribute attribute;
    Dwarf_Word encoding;
    if (!dwarf_attr(type, DW_AT_encoding, &attribute) ||
        dwarf_formudata(&attribute, &encoding) != 0)
        return TYPES_UNKNOWN;
    switch (encoding) {
    case DW_ATE_signed:
        return TYPES_SIGNED;
    case DW_ATE_unsigned:
        return TYPES_UNSIGNED;
    case DW_ATE_boolean:
        return TYPES_BOOLEAN;
    case DW_ATE_signed_char:
    case DW_ATE_unsigned_char: { /* int8_t and uint8_t, too, which are written for numbers */
        const char *name = dwarf_diename(type);
        if (name && (!strcmp(name, "signed char") || !strcmp(name, "unsigned char")))
            return encoding == DW_ATE_signed_char ? TYPES_SIGNED : TYPES_UNSIGNED;
        return TYPES_CHARACTER;
    }
    case DW_ATE_UTF:
        return TYPES_CHARACTER;
    case DW_ATE_float:
        return TYPES_FLOAT;
    default:
        return TYPES_UNKNOWN;
    }
}

const char *types_enumerator(Dwarf_Die *type, int64_t value)
{
    Dwarf_Die child;
    if (dwarf_child(type, &child) != 0)
        return NULL;
    do {
        Dwarf_Attribute attribute;
        Dwarf_Sword constant;
        if (dwarf_tag(&child) == DW_TAG_enumerator &&
            dwarf_attr(&child, DW_AT_const_value, &attribute) &&
            dwarf_formsdata(&attribute, &constant) == 0 && constant == value)
            return dwarf_diename(&child);
    } while (dwarf_siblingof(&child, &child) == 0);
    return NULL;
}

static void visit_variables(Dwarf_Die *scope, TypesVisitor *each, void *context, int depth)
{
    Dwarf_Die child;
    if (depth > 16 || dwarf_child(scope, &child) != 0)
        return;
    do {
        int tag = dwarf_tag(&child);
        if (tag == DW_TAG_namespace || tag == DW_TAG_subprogram || tag == DW_TAG_lexical_block ||
            tag == DW_TAG_structure_type || tag == DW_TAG_class_type)
            visit_variables(&child, each, context, depth + 1);
        else if (tag == DW_TAG_variable && dwarf_diename(&child))
            each(context, &child);
    } while (dwarf_siblingof(&child, &child) == 0);
}

void types_each_variable(Dwarf_Die *scope, TypesVisitor *each, void *context)
{
    visit_variables(scope, each, context, 0);
}
