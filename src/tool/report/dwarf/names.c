#include "tool/report/dwarf/names.h"
#include <elfutils/libdwfl.h>
#include <stdlib.h>
#include <string.h>
#include "base/hash.h"
#include "base/vec.h"
#include "tool/instrument/machine/demangle.h"
#include "tool/report/dwarf/globals.h"
#include "tool/report/dwarf/heap_names.h"
#include "tool/report/dwarf/locals.h"
#include "tool/report/dwarf/thread_storage.h"
#include "tool/report/dwarf/types.h"
#include "record/layout.h"

struct Names {
    Arena *arena;
    const Record *record;
    uint64_t load_base;
    Dwfl *dwfl;
    Dwfl_Module *module;
    Globals *globals;
    HeapNames *heap; /* NULL: no record */
    ThreadStorage *thread_storage;
    LocalNames *local_variables;
    HashMap places; /* pc to index in place_list */
    Vec(SourcePlace) place_list;
    uint32_t moment;      /* names_at: an event, or RECORD_NONE */
    Vec(uint64_t) locals; /* addresses on stacks, as they were first named */
};

static char *no_debuginfo_path;
static const Dwfl_Callbacks callbacks = {.find_elf = dwfl_build_id_find_elf,
                                         .find_debuginfo = dwfl_standard_find_debuginfo,
                                         .section_address = dwfl_offline_section_address,
                                         .debuginfo_path = &no_debuginfo_path};

/* ---- opening ---- */

bool names_open(Names **out, Arena *arena, const char *program, const Record *record, Error *error)
{
    Names *names = arena_new_of(arena, Names);
    names->arena = arena;
    names->record = record;
    names->moment = RECORD_NONE;
    names->load_base = record ? record->load_base : 0;
    names->dwfl = dwfl_begin(&callbacks);
    if (names->dwfl)
        names->module = dwfl_report_offline(names->dwfl, "program", program, -1);
    if (!names->module || dwfl_report_end(names->dwfl, NULL, NULL) != 0) {
        error_set(error, "no debug information in %s: %s", program, dwfl_errmsg(-1));
        names_close(names);
        return false;
    }
    names->globals = globals_new(arena, names->module, names->load_base);
    if (record)
        names->heap = heap_names_new(arena, names->module, record);
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
    vec_free(&names->place_list);
    vec_free(&names->locals);
    hashmap_free(&names->places);
}

void names_at(Names *names, uint32_t event)
{
    names->moment = event;
}

Arena *names_arena(const Names *names)
{
    return names->arena;
}

/* ---- code ---- */

unsigned names_frames(Names *names, uint64_t pc, SourceFrame *frames, unsigned most)
{
    return frames_at(names->module, pc - names->load_base - 1, frames, most);
}

void names_each_system_code(Names *names, FramesRange each, void *context)
{
    frames_each_system_code(names->module, each, context);
}

static SourcePlace place_lookup(Names *names, uint64_t pc)
{
    SourceFrame frame;
    if (!frames_user_at(names->module, pc - names->load_base - 1, &frame))
        return (SourcePlace){0};
    SourcePlace place = {.line = frame.line, .column = frame.column};
    if (frame.function)
        place.function = arena_copy(names->arena, frame.function, strlen(frame.function));
    if (frame.file)
        place.file = arena_copy(names->arena, frame.file, strlen(frame.file));
    return place;
}

SourcePlace names_place(Names *names, uint64_t pc)
{
    if (!pc)
        return (SourcePlace){0};
    bool absent;
    uint64_t *known = hashmap_put(&names->places, pc, &absent);
    if (absent) {
        vec_push(&names->place_list, place_lookup(names, pc));
        *known = names->place_list.count - 1;
    }
    return names->place_list.at[*known];
}

SourcePlace names_user_place(Names *names, uint64_t pc, const uint64_t *callers, unsigned count)
{
    SourcePlace first = names_place(names, pc), place = first;
    for (unsigned i = 0; i < count && (!place.file || frames_is_system_file(place.file)); i++)
        place = names_place(names, callers[i]);
    return place.file && !frames_is_system_file(place.file) ? place : first;
}

const char *names_library_text(Names *names, uint64_t pc, const uint64_t *callers, unsigned count)
{
    const char *found = NULL;
    for (unsigned i = 0; i <= count; i++, pc = i <= count ? callers[i - 1] : 0) {
        SourceFrame frames[32];
        unsigned frame_count = pc ? names_frames(names, pc, frames, COUNT_OF(frames)) : 0;
        for (unsigned f = 0; f < frame_count; f++) {
            if (!frames[f].system)
                return found;
            const char *file = strrchr(frames[f].file, '/') + 1;
            if (!found && strncmp(file, "atomic", 6) != 0 && strstr(frames[f].file, "/c++/"))
                found = arena_printf(names->arena, "%s:%d", file, frames[f].line);
        }
    }
    return NULL;
}

const char *names_text_of_place(Names *names, const SourcePlace *place)
{
    if (!place->file)
        return "";
    const char *slash = strrchr(place->file, '/');
    return arena_printf(names->arena, "%s:%d", slash ? slash + 1 : place->file, place->line);
}

const char *names_place_text(Names *names, uint64_t pc)
{
    SourcePlace place = names_place(names, pc);
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

const char *names_literal(Names *names, uint64_t address)
{
    enum { MOST = 24 };
    GElf_Addr bias;
    uint64_t place = address - names->load_base;
    Elf *elf = dwfl_module_getelf(names->module, &bias);
    Elf_Scn *section = NULL;
    bool constant = false;
    while (elf && (section = elf_nextscn(elf, section))) {
        GElf_Shdr header;
        constant |= gelf_getshdr(section, &header) && header.sh_type == SHT_PROGBITS &&
                    (header.sh_flags & (SHF_ALLOC | SHF_WRITE)) == SHF_ALLOC &&
                    place >= header.sh_addr && place - header.sh_addr < header.sh_size;
    }
    if (!constant)
        return NULL;
    char text[MOST + 1] = "";
    for (size_t i = 0; i < MOST; i++) {
        const unsigned char *byte = code_at(names, place + i, 1);
        if (!byte || *byte < ' ' || *byte > '~' || *byte == '"' || *byte == '\\')
            break;
        text[i] = (char)*byte;
    }
    return arena_printf(names->arena, "\"%s\"", text);
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
    bool hook = name && !strncmp(name, "__tsan_", 7) && strncmp(name, "__tsan_mem", 10) != 0;
    if (!name || offset != 0 || hook)
        return NULL;
    /* clang's __tsan_memcpy is __wrap_memcpy by another name (guest/entry/library/memory.c) */
    static const char *const prefixes[] = {"__wrap_", "__real_", "heddle__", "__tsan_"};
    for (size_t i = 0; i < COUNT_OF(prefixes); i++)
        if (!strncmp(name, prefixes[i], strlen(prefixes[i])))
            name += strlen(prefixes[i]);
    return name;
}

const char *names_function(Names *names, uint64_t address)
{
    SourcePlace place = names_place(names, address + 1);
    return place.function ? place.function : names_symbol(names, address);
}

const char *names_symbol(Names *names, uint64_t address)
{
    GElf_Off offset;
    GElf_Sym symbol;
    return dwfl_module_addrinfo(names->module, address - names->load_base, &offset, &symbol, NULL,
                                NULL, NULL);
}

/* ---- data ---- */

/* Is ADDRESS where a function begins? */
static bool begins_function(Names *names, uint64_t address)
{
    GElf_Off offset;
    GElf_Sym symbol;
    return dwfl_module_addrinfo(names->module, address - names->load_base, &offset, &symbol, NULL,
                                NULL, NULL) &&
           offset == 0 && GELF_ST_TYPE(symbol.st_info) == STT_FUNC;
}

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

/* State of the libraries that a location stands for, or NULL. */
static const char *hidden_name(uint64_t address)
{
    uint64_t number = (address - HIDDEN_BASE) / HIDDEN_STEP;
    if (address - HIDDEN_BASE >= HIDDEN_BYTES)
        return NULL;
    if (number >= HIDDEN_LETTERS)
        return "an object of the library";
#define HIDDEN(letter, name)                                                                       \
    if (number == (uint64_t) #letter[0])                                                           \
        return name;
#include "record/hidden.inc"
#undef HIDDEN
    return NULL;
}

/* Appends the name of a location; *leaf is its type if the result is true. */
static bool append_location(Names *names, Buffer *text, uint64_t address, uint64_t size,
                            Dwarf_Die *leaf)
{
    uint32_t number;
    if (hidden_name(address)) {
        buffer_printf(text, "%s", hidden_name(address));
        return false;
    }
    const GlobalVariable *variable = globals_find(names->globals, address);
    if (variable) {
        buffer_printf(text, "%s", variable->name);
        Dwarf_Die type = variable->type;
        return types_append_path(text, &type, address - variable->address, size, leaf);
    }
    if (heap_names_find(names->heap, address, &number)) {
        const HeapName *name = heap_names_of(names->heap, number);
        uint64_t offset = address - names->record->objects[number].address;
        buffer_printf(text, "%s", name->name);
        if (!name->has_type) {
            if (offset)
                buffer_printf(text, "+%llu", (unsigned long long)offset);
            return false;
        }
        if (offset < name->offset) {
            const char *field = heap_head_field(name->head, offset, size);
            if (field)
                buffer_printf(text, ".%s", field);
            return false;
        }
        Dwarf_Die type = name->type;
        uint64_t element = types_has_open_end(&type) ? 0 : types_size(&type);
        if (name->head && offset - name->offset >= MAX(element, 1u)) { /* a hash that is kept */
            buffer_printf(text, "+%llu", (unsigned long long)offset);
            return false;
        }
        offset -= name->offset;
        if (name->is_array && element)
            buffer_printf(text, "[%llu]", (unsigned long long)(offset / element));
        return types_append_path(text, &type, element ? offset % element : offset, size, leaf);
    }
    LocalVariable local;
    if (locals_find(names->local_variables, address, names->moment, &local)) {
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
        size_t length = strcspn(name, "@"); /* the rest is the version of a library's symbol */
        buffer_printf(
            text, "%s",
            demangle(names->arena, arena_printf(names->arena, "%.*s", (int)length, name)));
        if (offset)
            buffer_printf(text, "+%llu", (unsigned long long)offset);
        return false;
    }
    const char *literal = names_literal(names, address);
    uint64_t stack = address - STACK_BASE;
    if (literal)
        buffer_printf(text, "%s", literal);
    else if (stack < (uint64_t)MAX_THREADS * STACK_SLOT)
        buffer_printf(text, "local#%u of %s", local_number(names, address),
                      names_thread(names, (unsigned)(stack / STACK_SLOT)));
    else if (heap_names_find_before(names->heap, address, &number))
        buffer_printf(text, "%s+%llu", heap_names_of(names->heap, number)->name,
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
    const HeapName *name = heap_names_of(names->heap, object);
    return name ? name->name : "?";
}

bool names_object_is_of_library(Names *names, uint32_t object)
{
    const HeapName *name = heap_names_of(names->heap, object);
    return name && !name->has_type && name->inside_library;
}

bool names_knows(Names *names, uint64_t address)
{
    uint32_t object;
    ThreadVariable own;
    LocalVariable local;
    return globals_find(names->globals, address) ||
           heap_names_find(names->heap, address, &object) ||
           thread_storage_find(names->thread_storage, address, &own) ||
           locals_find(names->local_variables, address, names->moment, &local);
}

uint32_t names_object_at(Names *names, uint64_t address)
{
    uint32_t object;
    return heap_names_find(names->heap, address, &object) ? object : RECORD_NONE;
}

uint32_t names_object_near(Names *names, uint64_t address)
{
    uint32_t object;
    return heap_names_find(names->heap, address, &object) ||
                   heap_names_find_before(names->heap, address, &object)
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
        const GlobalVariable *variable = globals_find(names->globals, value);
        if (size && variable && variable->size > size)
            return arena_printf(names->arena, "&%s", names_location(names, value, size));
        /* a pointer to the whole object, rather than to its first member */
        if (heap_names_find(names->heap, value, &object) &&
            (names->record->objects[object].address == value ||
             names->record->objects[object].address + heap_names_of(names->heap, object)->offset ==
                 value))
            return arena_printf(names->arena, "&%s", names_object(names, object));
        if (variable && variable->address == value)
            return arena_printf(names->arena, "&%s", variable->name);
        ThreadVariable own;
        if (thread_storage_find(names->thread_storage, value, &own) && !own.offset)
            return arena_printf(names->arena, "&%s of %s", own.name,
                                names_thread(names, own.thread));
        LocalVariable local;
        if (locals_find(names->local_variables, value, names->moment, &local) && !local.offset &&
            (!size || types_size(&local.type) <= size))
            return arena_printf(names->arena, "&%s of %s", local.name,
                                names_thread(names, local.thread));
        return arena_printf(names->arena, "&%s", names_location(names, value, 1));
    }
    const char *function = names_function(names, value);
    if (function)
        return arena_printf(names->arena, "&%s", function);
    if (heap_names_find_before(names->heap, value, &object) &&
        names->record->objects[object].address + names->record->objects[object].bytes == value)
        return arena_printf(names->arena, "end of %s", names_object(names, object));
    return arena_printf(names->arena, "0x%llx", (unsigned long long)value);
}

static int64_t sign_extend(uint64_t value, uint64_t size)
{
    unsigned shift = size && size < 8 ? (unsigned)(64 - 8 * size) : 0;
    return (int64_t)(value << shift) >> shift;
}

/* A pointer, or a small number, with a version above its 48 bits, as counted pointers are kept.
 * NULL if the word does not look like one. */
static const char *tagged_value(Names *names, uint64_t value)
{
    uint64_t low = value & ((UINT64_C(1) << 48) - 1), tag = value >> 48;
    uint32_t object;
    if (!tag)
        return NULL;
    if (low <= 0xffff)
        return arena_printf(names->arena, "%llu, tag %llu", (unsigned long long)low,
                            (unsigned long long)tag);
    if (!heap_names_find(names->heap, low, &object) && !globals_find(names->globals, low))
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
    if (size == 8 && (heap_names_find(names->heap, value, &object) ||
                      locals_find(names->local_variables, value, names->moment, &local) ||
                      (number > 0xffff &&
                       (globals_find(names->globals, value) || begins_function(names, value)))))
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
