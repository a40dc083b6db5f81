/* settle_runtime FROM TO: copies the runtime, a relocatable object for x86-64, and does what the
 * linker would do again in every program under test.
 *
 * 1. A relocation of a PC-relative field (R_X86_64_PC32, R_X86_64_PLT32) whose symbol is local and
 *    lies in the same section has the same value wherever the linker puts the section: symbol +
 *    addend - place, all three relative to the section's start. The value is stored and the
 *    relocation dropped. Most are calls from one function of the runtime to another. A symbol that
 *    a program may define itself is weak, not local, and its relocations stay.
 * 2. Other relocations against local data (strings, mostly) are made relative to the section, so
 *    that objcopy can drop the symbols. Relocations through the global offset table stay: their
 *    addend has another meaning.
 *
 * For the Makefile; the linker makes the same code and data of both files. */
#include <elf.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include "base/file.h"

typedef struct Object {
    Buffer bytes;
    const Elf64_Shdr *sections; /* in bytes, like all that follows */
    size_t count;
    const Elf64_Sym *symbols;
    size_t symbol_count;
} Object;

static bool object_open(const char *path, Object *object, Error *error)
{
    if (!file_read(path, &object->bytes, error))
        return false;
    const Elf64_Ehdr *header = (const void *)object->bytes.at;
    if (object->bytes.count < sizeof *header || memcmp(header->e_ident, ELFMAG, SELFMAG) != 0 ||
        header->e_ident[EI_CLASS] != ELFCLASS64 || header->e_machine != EM_X86_64 ||
        header->e_type != ET_REL || !header->e_shnum)
        return error_set(error, "%s is not an object file for x86-64", path);
    object->sections = (const void *)(object->bytes.at + header->e_shoff);
    object->count = header->e_shnum;
    for (size_t i = 0; i < object->count; i++)
        if (object->sections[i].sh_type == SHT_SYMTAB) {
            object->symbols = (const void *)(object->bytes.at + object->sections[i].sh_offset);
            object->symbol_count = object->sections[i].sh_size / sizeof(Elf64_Sym);
        }
    return object->symbols || error_set(error, "%s has no symbols", path);
}

/* Returns the index of the symbol that stands for SECTION, or 0. */
static size_t section_symbol(const Object *object, size_t section)
{
    for (size_t i = 1; i < object->symbol_count; i++)
        if (ELF64_ST_TYPE(object->symbols[i].st_info) == STT_SECTION &&
            object->symbols[i].st_shndx == section)
            return i;
    return 0;
}

/* Settles what is known of the relocations in SECTION; returns how many are left of them. */
static size_t settle_section(const Object *object, const Elf64_Shdr *section, char *target)
{
    Elf64_Rela *relocations = (void *)(object->bytes.at + section->sh_offset);
    size_t count = section->sh_size / sizeof *relocations, left = 0;
    for (size_t i = 0; i < count; i++) {
        Elf64_Rela relocation = relocations[i];
        const Elf64_Sym *symbol = &object->symbols[ELF64_R_SYM(relocation.r_info)];
        uint32_t kind = (uint32_t)ELF64_R_TYPE(relocation.r_info);
        bool local = ELF64_ST_BIND(symbol->st_info) == STB_LOCAL;
        bool relative = kind == R_X86_64_PC32 || kind == R_X86_64_PLT32;
        bool absolute = kind == R_X86_64_64 || kind == R_X86_64_32 || kind == R_X86_64_32S;
        uint32_t type = ELF64_ST_TYPE(symbol->st_info);
        int64_t place = (int64_t)symbol->st_value + relocation.r_addend;
        if (local && relative && symbol->st_shndx == section->sh_info) {
            int32_t value = (int32_t)(place - (int64_t)relocation.r_offset);
            memcpy(target + relocation.r_offset, &value, sizeof value);
            continue;
        }
        size_t base = 0;
        if (local && (relative || absolute) && (type == STT_NOTYPE || type == STT_OBJECT))
            base = section_symbol(object, symbol->st_shndx);
        if (base) {
            relocation.r_info = ELF64_R_INFO((uint64_t)base, kind);
            relocation.r_addend = place;
        }
        relocations[left++] = relocation;
    }
    return left;
}

static bool settle(const char *from, const char *to, Error *error)
{
    Object object = {0};
    bool fine = object_open(from, &object, error);
    for (size_t i = 0; fine && i < object.count; i++) {
        const Elf64_Shdr *section = &object.sections[i];
        if (section->sh_type != SHT_RELA)
            continue;
        char *target = object.bytes.at + object.sections[section->sh_info].sh_offset;
        Elf64_Shdr changed = *section;
        changed.sh_size = settle_section(&object, section, target) * sizeof(Elf64_Rela);
        memcpy(object.bytes.at + ((const char *)section - object.bytes.at), &changed,
               sizeof changed);
    }
    if (fine) {
        FileWriter writer;
        file_begin(&writer, to);
        fwrite(object.bytes.at, 1, object.bytes.count, writer.stream);
        fine = file_commit(&writer, error);
    }
    vec_free(&object.bytes);
    return fine;
}

int main(int argc, char **argv)
{
    Error error = {0};
    bool fine = argc == 3 && settle(argv[1], argv[2], &error);
    if (!fine)
        fprintf(stderr, "settle_runtime: %s\n", argc == 3 ? error.message : "FROM TO");
    return fine ? 0 : 1;
}
