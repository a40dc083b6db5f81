#include "tool/report/dwarf/heap_names.h"
#include <dwarf.h>
#include <stdlib.h>
#include <string.h>
#include "base/hash.h"
#include "tool/report/dwarf/frames.h"
#include "tool/instrument/machine/demangle.h"
#include "tool/report/dwarf/types.h"

struct HeapNames {
    const RecordObject *objects;
    HeapName *names; /* of each */
    uint32_t count;
};

typedef enum Filling { /* how a type fills the object */
                       FILLS_WHOLE,
                       FILLS_OPEN,  /* with as many elements of its last member as there is room for
                                     */
                       FILLS_ARRAY, /* several of it do */
                       FILLS_PADDED, /* up to the alignment that was asked for */
                       FILLINGS
} Filling;

typedef struct PointerSearch {
    uint64_t bytes; /* of the object */
    Filling filling;
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
    if (search->filling == FILLS_OPEN)
        return size && size < search->bytes && types_has_open_end(search->out);
    if (search->filling == FILLS_PADDED) {
        uint64_t alignment = 16;
        while (alignment < 4096 && (size + alignment - 1) / alignment * alignment != search->bytes)
            alignment *= 2;
        return search->line && size > 8 && size < search->bytes && alignment < 4096;
    }
    if (search->filling == FILLS_ARRAY)
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

/* The first type argument of a template's instance. */
static bool template_argument(Dwarf_Die *instance, Dwarf_Die *out)
{
    Dwarf_Die child;
    if (dwarf_child(instance, &child) != 0)
        return false;
    do
        if (dwarf_tag(&child) == DW_TAG_template_type_parameter)
            return types_of(&child, out);
    while (dwarf_siblingof(&child, &child) == 0);
    return false;
}

static bool is_instance_of(Dwarf_Die *type, const char *name)
{
    const char *full = dwarf_diename(type);
    size_t length = strlen(name);
    return full && !strncmp(full, name, length) && full[length] == '<';
}

static const HeapHead heads[] = {
    {"_Sp_counted_ptr_inplace<", NULL, {"vtable", "vtable", "use_count", "weak_count"}, 16, 4},
    {"_Rb_tree_node<", "tree_node", {"colour", "parent", "left", "right"}, 32, 8},
    {"_List_node<", "list_node", {"next", "previous"}, 16, 8},
    {"_Fwd_list_node<", "list_node", {"next"}, 8, 8},
    {"_Hash_node<", "hash_node", {"next"}, 8, 8},
};

const char *heap_head_field(const HeapHead *head, uint64_t offset, uint64_t size)
{
    const char *field = head->fields[offset / head->width];
    uint64_t last = offset + (size ? size : 1) - 1;
    return last < head->bytes && head->fields[last / head->width] == field ? field : NULL;
}

static const HeapHead *head_of(Dwarf_Die *type)
{
    const char *full = dwarf_diename(type);
    for (size_t i = 0; full && i < COUNT_OF(heads); i++)
        if (!strncmp(full, heads[i].type, strlen(heads[i].type)))
            return &heads[i];
    return NULL;
}

/* Finds what the allocator of containers and of std::make_shared is for: *THIS of the function that
 * calls operator new is new_allocator<T>. */
static bool allocated_type(Dwarf_Die *scope, uint64_t bytes, HeapName *name)
{
    Dwarf_Die child, pointer, allocator;
    if (dwarf_child(scope, &child) != 0 || dwarf_tag(&child) != DW_TAG_formal_parameter ||
        !types_of(&child, &pointer) || dwarf_tag(&pointer) != DW_TAG_pointer_type ||
        !types_of(&pointer, &allocator) ||
        !(is_instance_of(&allocator, "new_allocator") ||
          is_instance_of(&allocator, "__new_allocator")) ||
        !template_argument(&allocator, &name->type))
        return false;
    Dwarf_Die inner = name->type;
    const HeapHead *head = head_of(&inner);
    if (head && template_argument(&inner, &name->type)) {
        uint64_t inside = types_size(&name->type);
        bool fits = inside && inside + head->bytes <= bytes;
        name->head = fits ? head : NULL;
        name->offset = fits ? head->bytes : 0;
        return fits;
    }
    uint64_t size = types_size(&name->type);
    name->is_array = size && size < bytes;
    return size && bytes % size == 0;
}

/* SCOPE is std::make_unique<T>, which calls new T. */
static bool made_type(Dwarf_Die *scope, uint64_t bytes, HeapName *name)
{
    return dwarf_tag(scope) == DW_TAG_subprogram && is_instance_of(scope, "make_unique") &&
           template_argument(scope, &name->type) && types_size(&name->type) == bytes;
}

/* TYPE is what gcc calls the frame of a coroutine, "_Z4workv.Frame": returns "work frame"; NULL if
 * it is something else. */
static const char *coroutine_frame(Arena *arena, const char *type)
{
    const char *end = strrchr(type, '.');
    if (!end || strcmp(end, ".Frame") != 0 || strncmp(type, "_Z", 2) != 0)
        return NULL;
    const char *name = demangle(arena, arena_printf(arena, "%.*s", (int)(end - type), type));
    return arena_printf(arena, "%.*s.frame", (int)strcspn(name, "("), name);
}

/* The type of a heap object. Best evidence is a pointer declared in the line of the allocation
 * (`struct node *n = malloc(...)`); then any pointer of the allocating function, innermost scope
 * first, at last of the file, whose target has the allocation's size; each time also targets that
 * end in an array without a length, and arrays. A guess, but one that only decides about names.
 * *INSIDE: the allocation is a library's own, for which only the first of these is evidence; set if
 * PC is in a library's header. */
static bool object_type(Dwfl_Module *module, uint64_t pc, uint64_t bytes, bool *inside,
                        HeapName *name)
{
    Dwarf_Addr bias;
    Dwarf_Die *unit = dwfl_module_addrdie(module, pc, &bias);
    SourceFrame place = {0};
    if (!unit)
        return false;
    Dwarf_Die *scopes = NULL;
    int count = dwarf_getscopes(unit, pc - bias, &scopes);
    bool found = false;
    for (int i = 0; i < count && !found; i++)
        found = allocated_type(&scopes[i], bytes, name) || made_type(&scopes[i], bytes, name);
    if (found || (frames_user_at(module, pc, &place) && place.system)) {
        free(scopes);
        *inside = true;
        return found; /* the pointers of a library's templates say nothing */
    }
    int line = place.line;
    for (int attempt = 0; attempt < (*inside ? 1 : 2 * FILLINGS) && !found; attempt++) {
        PointerSearch search = {.bytes = bytes,
                                .filling = (Filling)(attempt % FILLINGS),
                                .line = attempt < FILLINGS ? line : 0,
                                .out = &name->type};
        if (attempt < FILLINGS && !line)
            continue;
        for (int i = 0; i < count && !found; i++)
            found = search_pointers(&search, &scopes[i], 0);
        name->is_array = search.filling == FILLS_ARRAY;
    }
    free(scopes);
    return found;
}

/* Finds the type by whoever called the function that allocates, if that one does not tell: a
 * wrapper such as xmalloc. */
static bool object_type_of(Dwfl_Module *module, const Record *record, const RecordObject *object,
                           const RecordEvent *event, HeapName *name)
{
    bool inside = false;
    bool found =
        object_type(module, object->alloc_pc - record->load_base - 1, object->bytes, &inside, name);
    for (unsigned i = 0; event && !found && i < RECORD_CALLERS && event->callers[i]; i++)
        found = object_type(module, event->callers[i] - record->load_base - 1, object->bytes,
                            &inside, name);
    name->inside_library = inside;
    return found;
}

/* The last event that allocates at each address, as its index and 1. */
static void find_allocations(const Record *record, HashMap *allocations)
{
    for (uint32_t i = 0; i < record->event_count; i++)
        if (record->events[i].kind == RECORD_ALLOC)
            *hashmap_put(allocations, record->events[i].address, NULL) = i + 1;
}

/* The event that allocated OBJECT, whose callers are known; NULL if its memory was used again. */
static const RecordEvent *allocation_of(const Record *record, const HashMap *allocations,
                                        const RecordObject *object)
{
    const uint64_t *index = hashmap_find(allocations, object->address);
    const RecordEvent *event = index ? &record->events[*index - 1] : NULL;
    return event && event->pc == object->alloc_pc && event->thread == object->alloc_thread ? event
                                                                                           : NULL;
}

HeapNames *heap_names_new(Arena *arena, Dwfl_Module *module, const Record *record)
{
    HeapNames *heap = arena_new_of(arena, HeapNames);
    heap->objects = record->objects;
    heap->count = record->object_count;
    heap->names = arena_array_of(arena, HeapName, record->object_count + 1);
    HashMap numbers = {0};
    HashMap allocations = {0};
    find_allocations(record, &allocations);
    for (uint32_t i = 0; i < record->object_count; i++) {
        HeapName *name = &heap->names[i];
        const RecordObject *object = &record->objects[i];
        name->has_type = object_type_of(module, record, object,
                                        allocation_of(record, &allocations, object), name);
        const char *type = name->has_type ? dwarf_diename(&name->type) : NULL;
        const char *frame = type ? coroutine_frame(arena, type) : NULL;
        if (frame)
            type = frame;
        /* the inside of a library, or what <heddle.h> declares on the line of HD_INIT */
        if (type && (type[0] == '_' || !strncmp(type, "Heddle", 6))) {
            type = NULL;
            name->has_type = name->head != NULL;
        }
        /* a bare int or char says less than "block" */
        if (!type || dwarf_tag(&name->type) == DW_TAG_base_type)
            type = "block";
        if (name->head && name->head->word)
            type = name->head->word;
        const char *arguments = strchr(type, '<'); /* of a template: too long to be read */
        if (arguments && arguments > type)
            type = arena_printf(arena, "%.*s", (int)(arguments - type), type);
        uint64_t *number = hashmap_put(&numbers, hash_bytes(type, strlen(type), 0), NULL);
        name->name = arena_printf(arena, "%s#%llu", type, (unsigned long long)++*number);
    }
    hashmap_free(&numbers);
    hashmap_free(&allocations);
    return heap;
}

const HeapName *heap_names_of(const HeapNames *heap, uint32_t object)
{
    return heap && object < heap->count ? &heap->names[object] : NULL;
}

bool heap_names_find(const HeapNames *heap, uint64_t address, uint32_t *out)
{
    for (uint32_t i = heap ? heap->count : 0; i-- > 0;) {
        const RecordObject *object = &heap->objects[i];
        if (address >= object->address && address - object->address < MAX(object->bytes, 1u)) {
            *out = i;
            return true;
        }
    }
    return false;
}

bool heap_names_find_before(const HeapNames *heap, uint64_t address, uint32_t *out)
{
    enum { NEAR = 4096 };
    uint64_t best = NEAR;
    for (uint32_t i = heap ? heap->count : 0; i-- > 0;) {
        const RecordObject *object = &heap->objects[i];
        uint64_t distance = address - object->address;
        if (address >= object->address && distance - MIN(distance, object->bytes) < best) {
            best = distance - MIN(distance, object->bytes);
            *out = i;
        }
    }
    return best < NEAR;
}
