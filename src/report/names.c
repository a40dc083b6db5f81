#include "report/names.h"
#include <dwarf.h>
#include <elfutils/libdwfl.h>
#include <stdlib.h>
#include <string.h>
#include "base/hash.h"
#include "base/vec.h"
#include "report/locals.h"
#include "report/thread_storage.h"
#include "report/types.h"
#include "runtime/layout.h"

typedef struct Variable { /* with a fixed address */
    uint64_t address, size;
    const char *name;
    Dwarf_Die type;
} Variable;

typedef struct HeapName {
    const char *name; /* "node#2" */
    bool has_type;
    bool is_array; /* several of the type */
    Dwarf_Die type;
} HeapName;

struct Names {
    Arena *arena;
    const Record *record;
    uint64_t load_base;
    Dwfl *dwfl;
    Dwfl_Module *module;
    Dwarf_Addr bias;
    Vec(Variable) variables; /* by address */
    ThreadStorage *thread_storage;
    Locals *local_variables;
    HeapName *objects;
    HashMap places; /* pc to index in place_list, plus one */
    Vec(Place) place_list;
    Vec(uint64_t) locals; /* addresses on stacks, as they were first named */
};

static char *no_debuginfo_path;
static const Dwfl_Callbacks callbacks = {.find_elf = dwfl_build_id_find_elf,
                                         .find_debuginfo = dwfl_standard_find_debuginfo,
                                         .section_address = dwfl_offline_section_address,
                                         .debuginfo_path = &no_debuginfo_path};

/* --- variables ----------------------------------------------------------------------------------
 */

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

/* A name that the user did not choose: "_ZSt..." objects of the library, our own. */
static void collect_variables(Names *names, Dwarf_Die *parent, int depth)
{
    Dwarf_Die child;
    if (depth > 16 || dwarf_child(parent, &child) != 0)
        return;
    do {
        switch (dwarf_tag(&child)) {
        case DW_TAG_namespace:
        case DW_TAG_subprogram:
        case DW_TAG_lexical_block:
        case DW_TAG_structure_type:
        case DW_TAG_class_type:
            collect_variables(names, &child, depth + 1);
            break;
        case DW_TAG_variable: {
            Variable variable = {0};
            const char *name = dwarf_diename(&child);
            if (!name || !fixed_address(&child, &variable.address) ||
                !types_of(&child, &variable.type))
                break;
            variable.address += names->bias;
            variable.size = types_size(&variable.type);
            variable.name = arena_copy(names->arena, name, strlen(name));
            vec_push(&names->variables, variable);
            break;
        }
        default:
            break;
        }
    } while (dwarf_siblingof(&child, &child) == 0);
}

static int variable_compare(const void *a, const void *b)
{
    const Variable *x = a, *y = b;
    return x->address < y->address ? -1 : x->address > y->address;
}

static const Variable *find_variable(const Names *names, uint64_t address)
{
    size_t low = 0, high = names->variables.count;
    while (low < high) {
        size_t middle = (low + high) / 2;
        if (names->variables.at[middle].address <= address)
            low = middle + 1;
        else
            high = middle;
    }
    if (!low)
        return NULL;
    const Variable *variable = &names->variables.at[low - 1];
    return address - variable->address < MAX(variable->size, 1u) ? variable : NULL;
}

/* --- heap objects -------------------------------------------------------------------------------
 */

typedef struct PointerSearch {
    uint64_t bytes; /* of the object */
    bool array;     /* several elements fill it */
    int line;       /* only variables declared in that line; 0: any */
    Dwarf_Die *out; /* the type that is pointed to */
} PointerSearch;

static bool pointer_matches(const PointerSearch *search, Dwarf_Die *variable)
{
    Dwarf_Die type;
    int line = 0;
    if (search->line && (dwarf_decl_line(variable, &line) != 0 || line != search->line))
        return false;
    if (!types_of(variable, &type) || dwarf_tag(&type) != DW_TAG_pointer_type ||
        !types_of(&type, search->out))
        return false;
    uint64_t size = types_size(search->out);
    if (search->array)
        return size > 1 && size < search->bytes && search->bytes % size == 0;
    return size && size == search->bytes;
}

static bool search_pointers(const PointerSearch *search, Dwarf_Die *scope, int depth)
{
    Dwarf_Die child;
    if (depth > 16 || dwarf_child(scope, &child) != 0)
        return false;
    do {
        int tag = dwarf_tag(&child);
        bool holder =
            tag == DW_TAG_variable || tag == DW_TAG_formal_parameter || tag == DW_TAG_member;
        if (holder && pointer_matches(search, &child))
            return true;
        bool inside = tag == DW_TAG_lexical_block || tag == DW_TAG_structure_type ||
                      tag == DW_TAG_class_type || tag == DW_TAG_namespace;
        if (inside && search_pointers(search, &child, depth + 1))
            return true;
    } while (dwarf_siblingof(&child, &child) == 0);
    return false;
}

/* The type of a heap object. Best evidence is a pointer declared in the line of the allocation
 * (`struct node *n = malloc(...)`); then any pointer of the allocating function, innermost scope
 * first, at last of the file, whose target has the allocation's size; then the same for arrays. A
 * guess, but one that only decides about names. */
static bool object_type(Names *names, const RecordObject *object, HeapName *name)
{
    Dwarf_Addr bias, pc = object->alloc_pc - names->load_base - 1;
    Dwarf_Die *unit = dwfl_module_addrdie(names->module, pc, &bias);
    if (!unit)
        return false;
    Place place = names_place(names, object->alloc_pc);
    int line = place.line;
    if (frames_is_system_file(place.file))
        return false; /* the pointers of a library's templates say nothing */
    Dwarf_Die *scopes = NULL;
    int count = dwarf_getscopes(unit, pc - bias, &scopes);
    bool found = false;
    for (int attempt = 0; attempt < 4 && !found; attempt++) {
        PointerSearch search = {.bytes = object->bytes,
                                .array = attempt % 2 == 1,
                                .line = attempt < 2 ? line : 0,
                                .out = &name->type};
        if (attempt < 2 && !line)
            continue;
        for (int i = 0; i < count && !found; i++)
            found = search_pointers(&search, &scopes[i], 0);
        name->is_array = search.array;
    }
    free(scopes);
    return found;
}

static void name_objects(Names *names)
{
    const Record *record = names->record;
    names->objects = arena_array_of(names->arena, HeapName, record->object_count + 1);
    HashMap numbers = {0};
    for (uint32_t i = 0; i < record->object_count; i++) {
        HeapName *name = &names->objects[i];
        name->has_type = object_type(names, &record->objects[i], name);
        const char *type = name->has_type ? dwarf_diename(&name->type) : NULL;
        /* the inside of a library, or what <heddle.h> declares on the line of HD_INIT */
        if (type && (type[0] == '_' || !strncmp(type, "Heddle", 6))) {
            type = NULL;
            name->has_type = false;
        }
        /* a bare int or char says less than "block" */
        if (!type || dwarf_tag(&name->type) == DW_TAG_base_type)
            type = "block";
        const char *arguments = strchr(type, '<'); /* of a template: too long to be read */
        if (arguments && arguments > type)
            type = arena_printf(names->arena, "%.*s", (int)(arguments - type), type);
        uint64_t *number = hashmap_put(&numbers, hash_bytes(type, strlen(type), 0), NULL);
        name->name = arena_printf(names->arena, "%s#%llu", type, (unsigned long long)++*number);
    }
    hashmap_free(&numbers);
}

/* The last object at that address that was allocated: earlier ones were freed. */
static bool find_object(const Names *names, uint64_t address, uint32_t *out)
{
    for (uint32_t i = names->record ? names->record->object_count : 0; i-- > 0;) {
        const RecordObject *object = &names->record->objects[i];
        if (address >= object->address && address - object->address < MAX(object->bytes, 1u)) {
            *out = i;
            return true;
        }
    }
    return false;
}

/* The heap object that ends last before ADDRESS, if it is near: what an access out of bounds was
 * meant for. */
static bool find_object_before(const Names *names, uint64_t address, uint32_t *out)
{
    enum { NEAR = 4096 };
    uint64_t best = NEAR;
    for (uint32_t i = names->record ? names->record->object_count : 0; i-- > 0;) {
        const RecordObject *object = &names->record->objects[i];
        uint64_t distance = address - object->address;
        if (address >= object->address && distance - MIN(distance, object->bytes) < best) {
            best = distance - MIN(distance, object->bytes);
            *out = i;
        }
    }
    return best < NEAR;
}

/* --- opening ------------------------------------------------------------------------------------
 */

bool names_open(Names **out, Arena *arena, const char *program, const Record *record, Error *error)
{
    Names *names = arena_new_of(arena, Names);
    names->arena = arena;
    names->record = record;
    names->load_base = record ? record->load_base : 0;
    names->dwfl = dwfl_begin(&callbacks);
    if (names->dwfl)
        names->module = dwfl_report_offline(names->dwfl, "program", program, -1);
    if (!names->module || dwfl_report_end(names->dwfl, NULL, NULL) != 0) {
        error_set(error, "no debug information in %s: %s", program, dwfl_errmsg(-1));
        names_close(names);
        return false;
    }
    Dwarf_Die *unit = NULL;
    while ((unit = dwfl_module_nextcu(names->module, unit, &names->bias)))
        collect_variables(names, unit, 0);
    if (names->variables.count)
        qsort(names->variables.at, names->variables.count, sizeof(Variable), variable_compare);
    if (record)
        name_objects(names);
    names->thread_storage = thread_storage_new(arena, names->module, record);
    names->local_variables = locals_new(arena, names->module, record, names->load_base);
    *out = names;
    return true;
}

void names_close(Names *names)
{
    if (!names)
        return;
    if (names->dwfl)
        dwfl_end(names->dwfl);
    vec_free(&names->variables);
    vec_free(&names->place_list);
    vec_free(&names->locals);
    hashmap_free(&names->places);
}

Arena *names_arena(const Names *names)
{
    return names->arena;
}

/* --- code ---------------------------------------------------------------------------------------
 */

unsigned names_frames(Names *names, uint64_t pc, SourceFrame *frames, unsigned most)
{
    return frames_at(names->module, pc - names->load_base - 1, frames, most);
}

void names_each_system_code(Names *names, FramesRange each, void *context)
{
    frames_each_system_code(names->module, each, context);
}

static Place place_lookup(Names *names, uint64_t pc)
{
    SourceFrame frames[32];
    unsigned count = names_frames(names, pc, frames, COUNT_OF(frames)), i = 0;
    if (!count)
        return (Place){0};
    while (i + 1 < count && frames[i].system)
        i++;
    Place place = {.line = frames[i].line, .column = frames[i].column};
    if (frames[i].function)
        place.function = arena_copy(names->arena, frames[i].function, strlen(frames[i].function));
    if (frames[i].file)
        place.file = arena_copy(names->arena, frames[i].file, strlen(frames[i].file));
    return place;
}

Place names_place(Names *names, uint64_t pc)
{
    if (!pc)
        return (Place){0};
    bool absent;
    uint64_t *known = hashmap_put(&names->places, pc, &absent);
    if (absent) {
        vec_push(&names->place_list, place_lookup(names, pc));
        *known = names->place_list.count - 1;
    }
    return names->place_list.at[*known];
}

Place names_user_place(Names *names, uint64_t pc, const uint64_t *callers, unsigned count)
{
    Place first = names_place(names, pc), place = first;
    for (unsigned i = 0; i < count && (!place.file || frames_is_system_file(place.file)); i++)
        place = names_place(names, callers[i]);
    return place.file && !frames_is_system_file(place.file) ? place : first;
}

const char *names_text_of_place(Names *names, const Place *place)
{
    if (!place->file)
        return "";
    const char *slash = strrchr(place->file, '/');
    return arena_printf(names->arena, "%s:%d", slash ? slash + 1 : place->file, place->line);
}

const char *names_place_text(Names *names, uint64_t pc)
{
    Place place = names_place(names, pc);
    return names_text_of_place(names, &place);
}

/* The bytes of the program's file at an address of its code; NULL if there are none. */
static const unsigned char *code_at(Names *names, uint64_t address, size_t count)
{
    GElf_Addr bias;
    Elf *elf = dwfl_module_getelf(names->module, &bias);
    size_t bytes, headers;
    const char *file = elf ? elf_rawfile(elf, &bytes) : NULL;
    if (!file || elf_getphdrnum(elf, &headers) != 0)
        return NULL;
    for (size_t i = 0; i < headers; i++) {
        GElf_Phdr header;
        if (!gelf_getphdr(elf, (int)i, &header) || header.p_type != PT_LOAD ||
            address < header.p_vaddr || address - header.p_vaddr + count > header.p_filesz)
            continue;
        uint64_t offset = address - header.p_vaddr + header.p_offset;
        return offset + count <= bytes ? (const unsigned char *)file + offset : NULL;
    }
    return NULL;
}

const char *names_callee(Names *names, uint64_t pc)
{
    /* call rel32 is the form of every call to a named function of the program */
    uint64_t address = pc - names->load_base;
    const unsigned char *code = pc > 5 ? code_at(names, address - 5, 5) : NULL;
    if (!code || code[0] != 0xE8)
        return NULL;
    int32_t distance;
    memcpy(&distance, code + 1, sizeof distance);
    GElf_Off offset;
    GElf_Sym symbol;
    const char *name = dwfl_module_addrinfo(names->module, address + (uint64_t)(int64_t)distance,
                                            &offset, &symbol, NULL, NULL, NULL);
    if (!name || offset != 0 || !strncmp(name, "__tsan_", 7))
        return NULL;
    static const char *const prefixes[] = {"__wrap_", "__real_", "heddle__"};
    for (size_t i = 0; i < COUNT_OF(prefixes); i++)
        if (!strncmp(name, prefixes[i], strlen(prefixes[i])))
            name += strlen(prefixes[i]);
    return name;
}

const char *names_function(Names *names, uint64_t address)
{
    Place place = names_place(names, address + 1);
    if (place.function)
        return place.function;
    GElf_Off offset;
    GElf_Sym symbol;
    return dwfl_module_addrinfo(names->module, address - names->load_base, &offset, &symbol, NULL,
                                NULL, NULL);
}

/* --- data ---------------------------------------------------------------------------------------
 */

/* Variables on stacks have no names here; numbers by first appearance tell them apart. */
static unsigned local_number(Names *names, uint64_t address)
{
    unsigned number = 0;
    while (number < names->locals.count && names->locals.at[number] != address)
        number++;
    if (number == names->locals.count)
        vec_push(&names->locals, address);
    return number + 1;
}

/* Appends the name of a location; *leaf is its type if the result is true. */
static bool append_location(Names *names, Buffer *text, uint64_t address, uint64_t size,
                            Dwarf_Die *leaf)
{
    uint32_t number;
    const Variable *variable = find_variable(names, address - names->load_base);
    if (variable) {
        buffer_printf(text, "%s", variable->name);
        Dwarf_Die type = variable->type;
        return types_append_path(text, &type, address - names->load_base - variable->address, size,
                                 leaf);
    }
    if (find_object(names, address, &number)) {
        HeapName *name = &names->objects[number];
        uint64_t offset = address - names->record->objects[number].address;
        buffer_printf(text, "%s", name->name);
        if (!name->has_type) {
            if (offset)
                buffer_printf(text, "+%llu", (unsigned long long)offset);
            return false;
        }
        uint64_t element = types_size(&name->type);
        if (name->is_array && element)
            buffer_printf(text, "[%llu]", (unsigned long long)(offset / element));
        return types_append_path(text, &name->type, element ? offset % element : offset, size,
                                 leaf);
    }
    LocalVariable local;
    if (locals_find(names->local_variables, address, &local)) {
        buffer_printf(text, "%s", local.name);
        bool typed = types_append_path(text, &local.type, local.offset, size, leaf);
        buffer_printf(text, " of %s", names_thread(names, local.thread));
        return typed;
    }
    ThreadVariable own;
    if (thread_storage_find(names->thread_storage, address, &own)) {
        buffer_printf(text, "%s", own.name);
        bool typed = types_append_path(text, &own.type, own.offset, size, leaf);
        buffer_printf(text, " of %s", names_thread(names, own.thread));
        return typed;
    }
    GElf_Off offset;
    GElf_Sym symbol;
    const char *name = dwfl_module_addrinfo(names->module, address - names->load_base, &offset,
                                            &symbol, NULL, NULL, NULL);
    if (name && offset < symbol.st_size && GELF_ST_TYPE(symbol.st_info) == STT_OBJECT) {
        buffer_printf(text, "%s", name);
        if (offset)
            buffer_printf(text, "+%llu", (unsigned long long)offset);
        return false;
    }
    uint64_t stack = address - STACK_BASE;
    if (stack < (uint64_t)MAX_THREADS * STACK_SLOT)
        buffer_printf(text, "local#%u of %s", local_number(names, address),
                      names_thread(names, (unsigned)(stack / STACK_SLOT)));
    else if (find_object_before(names, address, &number))
        buffer_printf(text, "%s+%llu", names->objects[number].name,
                      (unsigned long long)(address - names->record->objects[number].address));
    else
        buffer_printf(text, "0x%llx", (unsigned long long)address);
    return false;
}

const char *names_location(Names *names, uint64_t address, uint64_t size)
{
    Buffer text = {0};
    Dwarf_Die leaf;
    append_location(names, &text, address, size, &leaf);
    const char *copy = str_copy(names->arena, buffer_str(&text));
    vec_free(&text);
    return copy;
}

const char *names_object(Names *names, uint32_t object)
{
    return names->record && object < names->record->object_count ? names->objects[object].name
                                                                 : "?";
}

bool names_knows(Names *names, uint64_t address)
{
    uint32_t object;
    ThreadVariable own;
    LocalVariable local;
    return find_variable(names, address - names->load_base) ||
           find_object(names, address, &object) ||
           thread_storage_find(names->thread_storage, address, &own) ||
           locals_find(names->local_variables, address, &local);
}

uint32_t names_object_at(Names *names, uint64_t address)
{
    uint32_t object;
    return find_object(names, address, &object) ? object : RECORD_NONE;
}

uint32_t names_object_near(Names *names, uint64_t address)
{
    uint32_t object;
    return find_object(names, address, &object) || find_object_before(names, address, &object)
               ? object
               : RECORD_NONE;
}

/* SIZE is that of what the pointer's type points to, 0 if unknown. */
static const char *pointer_value(Names *names, uint64_t value, uint64_t size)
{
    uint32_t object;
    if (!value)
        return "NULL";
    if (names_knows(names, value)) {
        const Variable *array = find_variable(names, value - names->load_base);
        if (size && array && array->size > size)
            return arena_printf(names->arena, "&%s", names_location(names, value, size));
        /* a pointer to the whole object, rather than to its first member */
        if (find_object(names, value, &object) && names->record->objects[object].address == value)
            return arena_printf(names->arena, "&%s", names_object(names, object));
        const Variable *variable = find_variable(names, value - names->load_base);
        if (variable && variable->address == value - names->load_base)
            return arena_printf(names->arena, "&%s", variable->name);
        ThreadVariable own;
        if (thread_storage_find(names->thread_storage, value, &own) && !own.offset)
            return arena_printf(names->arena, "&%s of %s", own.name,
                                names_thread(names, own.thread));
        return arena_printf(names->arena, "&%s", names_location(names, value, 1));
    }
    const char *function = names_function(names, value);
    if (function)
        return arena_printf(names->arena, "&%s", function);
    return arena_printf(names->arena, "0x%llx", (unsigned long long)value);
}

static int64_t sign_extend(uint64_t value, uint64_t size)
{
    unsigned shift = size && size < 8 ? (unsigned)(64 - 8 * size) : 0;
    return (int64_t)(value << shift) >> shift;
}

/* A pointer, or a small number, with a version above its 48 bits, as counted pointers are kept. NULL if
 * the word does not look like one. */
static const char *tagged_value(Names *names, uint64_t value)
{
    uint64_t low = value & ((UINT64_C(1) << 48) - 1), tag = value >> 48;
    uint32_t object;
    if (!tag)
        return NULL;
    if (low <= 0xffff)
        return arena_printf(names->arena, "%llu, tag %llu", (unsigned long long)low,
                            (unsigned long long)tag);
    if (!find_object(names, low, &object) && !find_variable(names, low - names->load_base))
        return NULL;
    return arena_printf(names->arena, "%s, tag %llu", pointer_value(names, low, 0),
                        (unsigned long long)tag);
}

const char *names_value(Names *names, uint64_t address, uint64_t size, uint64_t value)
{
    Buffer ignored = {0};
    Dwarf_Die leaf;
    bool typed = append_location(names, &ignored, address, size, &leaf);
    vec_free(&ignored);
    if (size < 8)
        value &= (1ull << (8 * MAX(size, 1u))) - 1;
    int64_t number = sign_extend(value, size);
    switch (typed ? types_kind(&leaf) : TYPES_UNKNOWN) {
    case TYPES_BOOLEAN:
        return value ? "true" : "false";
    case TYPES_POINTER: {
        Dwarf_Die target;
        return pointer_value(names, value, types_of(&leaf, &target) ? types_size(&target) : 0);
    }
    case TYPES_ENUM: {
        const char *word = types_enumerator(&leaf, number);
        if (word)
            return word;
        break;
    }
    case TYPES_UNSIGNED: {
        const char *tagged = size == 8 ? tagged_value(names, value) : NULL;
        return tagged ? tagged : arena_printf(names->arena, "%llu", (unsigned long long)value);
    }
    case TYPES_CHARACTER:
        if (value >= 32 && value < 127 && size == 1)
            return arena_printf(names->arena, "'%c'", (char)value);
        break;
    case TYPES_FLOAT: {
        float narrow;
        double wide;
        memcpy(&narrow, &value, sizeof narrow);
        memcpy(&wide, &value, sizeof wide);
        return arena_printf(names->arena, "%g", size == 4 ? (double)narrow : wide);
    }
    default:
        break;
    }
    uint32_t object;
    LocalVariable local;
    if (size == 8 &&
        (find_object(names, value, &object) || locals_find(names->local_variables, value, &local) ||
         (number > 0xffff && find_variable(names, value - names->load_base))))
        return pointer_value(names, value, 0);
    if (number > 1000000000000 || number < -1000000000000)
        return arena_printf(names->arena, "0x%llx", (unsigned long long)value);
    return arena_printf(names->arena, "%lld", (long long)number);
}

const char *names_thread(Names *names, unsigned thread)
{
    return thread ? arena_printf(names->arena, "T%u", thread) : "main";
}

const char *names_in_text(Names *names, const char *text)
{
    if (!strstr(text, "0x"))
        return text;
    Buffer out = {0};
    while (*text) {
        char *end = NULL;
        uint64_t address = 0;
        if (text[0] == '0' && text[1] == 'x')
            address = strtoull(text, &end, 16);
        if (end && end > text + 2 && address && names_knows(names, address)) {
            buffer_printf(&out, "%s", pointer_value(names, address, 0));
            text = end;
        } else {
            buffer_printf(&out, "%c", *text++);
        }
    }
    const char *copy = str_copy(names->arena, buffer_str(&out));
    vec_free(&out);
    return copy;
}
