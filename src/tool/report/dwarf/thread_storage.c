#include "tool/report/dwarf/thread_storage.h"
#include <dwarf.h>
#include <gelf.h>
#include <string.h>
#include "base/vec.h"
#include "tool/report/dwarf/types.h"

typedef struct StoredVariable {
    const char *name;
    uint64_t offset, size; /* in the block */
    Dwarf_Die type;
} StoredVariable;

struct ThreadStorage {
    const Record *record;
    uint64_t bytes; /* of the block, up to the thread pointer */
    StoredVariable *variables;
    size_t count;
};
typedef Vec(StoredVariable) StoredVariables;

/* Size of the program's block with the padding at its end; 0: it has none. */
static uint64_t block_bytes(Dwfl_Module *module)
{
    GElf_Addr bias;
    Elf *elf = dwfl_module_getelf(module, &bias);
    size_t count;
    if (!elf || elf_getphdrnum(elf, &count) != 0)
        return 0;
    for (size_t i = 0; i < count; i++) {
        GElf_Phdr header;
        if (gelf_getphdr(elf, (int)i, &header) && header.p_type == PT_TLS) {
            uint64_t align = header.p_align ? header.p_align : 1;
            return (header.p_memsz + align - 1) / align * align;
        }
    }
    return 0;
}

/* The offset in DW_AT_location, if it says: that much into the block of the thread. */
static bool block_offset(Dwarf_Die *die, uint64_t *offset)
{
    Dwarf_Attribute attribute;
    Dwarf_Op *operation;
    size_t length;
    if (!dwarf_attr(die, DW_AT_location, &attribute) ||
        dwarf_getlocation(&attribute, &operation, &length) != 0 || length != 2 ||
        (operation[1].atom != DW_OP_GNU_push_tls_address &&
         operation[1].atom != DW_OP_form_tls_address))
        return false;
    *offset = operation[0].number;
    return operation[0].atom == DW_OP_const4u || operation[0].atom == DW_OP_const8u ||
           operation[0].atom == DW_OP_addr;
}

static void collect(void *list, Dwarf_Die *die)
{
    StoredVariable variable = {.name = dwarf_diename(die)};
    if (!block_offset(die, &variable.offset) || !types_of(die, &variable.type))
        return;
    variable.size = types_size(&variable.type);
    vec_push((StoredVariables *)list, variable);
}

ThreadStorage *thread_storage_new(Arena *arena, Dwfl_Module *module, const Record *record)
{
    bool known = false;
    for (uint32_t t = 0; record && t < record->thread_count; t++)
        known |= record->threads[t].thread_pointer != 0;
    uint64_t bytes = known ? block_bytes(module) : 0;
    if (!bytes)
        return NULL;
    StoredVariables list = {0};
    Dwarf_Die *unit = NULL;
    Dwarf_Addr bias;
    while ((unit = dwfl_module_nextcu(module, unit, &bias)))
        types_each_variable(unit, collect, &list);
    ThreadStorage *storage = arena_new_of(arena, ThreadStorage);
    *storage = (ThreadStorage){.record = record,
                               .bytes = bytes,
                               .variables = arena_array_of(arena, StoredVariable, list.count + 1),
                               .count = list.count};
    if (list.count)
        memcpy(storage->variables, list.at, list.count * sizeof *list.at);
    vec_free(&list);
    return storage;
}

bool thread_storage_find(const ThreadStorage *storage, uint64_t address, ThreadVariable *out)
{
    for (uint32_t t = 0; storage && t < storage->record->thread_count; t++) {
        uint64_t end = storage->record->threads[t].thread_pointer;
        if (!end || end < storage->bytes || address >= end || address < end - storage->bytes)
            continue;
        uint64_t offset = address - (end - storage->bytes);
        for (size_t i = 0; i < storage->count; i++) {
            const StoredVariable *variable = &storage->variables[i];
            if (offset < variable->offset || offset - variable->offset >= variable->size)
                continue;
            *out = (ThreadVariable){t, variable->name, variable->type, offset - variable->offset};
            return true;
        }
    }
    return false;
}
