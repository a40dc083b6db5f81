#include "tool/instrument/machine/object.h"
#include <errno.h>
#include <fcntl.h>
#include <gelf.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "base/file.h"

static bool starts(const char *text, const char *prefix)
{
    return strncmp(text, prefix, strlen(prefix)) == 0;
}

static void object_add_symbol(Arena *arena, ObjectFile *file, const GElf_Sym *symbol,
                              const char *text)
{
    if (GELF_ST_TYPE(symbol->st_info) == STT_TLS)
        file->has_thread_local = true;
    if (GELF_ST_BIND(symbol->st_info) == STB_LOCAL || !*text)
        return;
    const char *name = arena_copy(arena, text, strlen(text));
    if (symbol->st_shndx != SHN_UNDEF) {
        vec_push(&file->defined, name);
        return;
    }
    vec_push(&file->undefined, name);
    if (starts(name, "__tsan_"))
        file->instrumented = true;
    else if (starts(name, "_ZNSt") || starts(name, "_ZNKSt") || starts(name, "_ZSt") ||
             starts(name, "_Znw") || starts(name, "_Zna") || starts(name, "_Zdl") ||
             starts(name, "_Zda") || starts(name, "__gxx_personality") || starts(name, "__cxa_"))
        file->needs_cxx = true;
    else if (!strcmp(name, "__errno_location"))
        file->uses_errno = true;
}

static bool object_scan(Arena *arena, Elf *elf, ObjectFile *file, Error *error)
{
    GElf_Ehdr header;
    if (!gelf_getehdr(elf, &header))
        return error_set(error, "%s is not an object file", file->name);
    if (header.e_type != ET_REL && header.e_type != ET_DYN)
        return error_set(error, "%s is not an object file (its type is %u)", file->name,
                         (unsigned)header.e_type);
    file->isa = isa_of(header.e_machine);
    if (!file->isa)
        return error_set(error, "%s is for another machine than x86-64 and AArch64", file->name);
    Elf_Scn *section = NULL;
    while ((section = elf_nextscn(elf, section))) {
        GElf_Shdr shape;
        if (!gelf_getshdr(section, &shape))
            return error_set(error, "%s is damaged: a section has no header", file->name);
        if ((shape.sh_flags & SHF_EXECINSTR) && shape.sh_size)
            file->has_code = true;
        if ((shape.sh_flags & SHF_TLS) && shape.sh_size)
            file->has_thread_local = true;
        if (shape.sh_type != SHT_SYMTAB || !shape.sh_entsize)
            continue;
        Elf_Data *data = elf_getdata(section, NULL);
        for (size_t i = 0; data && i < shape.sh_size / shape.sh_entsize; i++) {
            GElf_Sym symbol;
            if (!gelf_getsym(data, (int)i, &symbol))
                continue;
            const char *text = elf_strptr(elf, shape.sh_link, symbol.st_name);
            if (text)
                object_add_symbol(arena, file, &symbol, text);
        }
    }
    return true;
}

static bool object_add(Arena *arena, Elf *elf, const char *name, ObjectFiles *files, Error *error)
{
    ObjectFile file = {.name = name};
    size_t size = 0;
    const char *bytes = elf_rawfile(elf, &size);
    if (!bytes || elf_kind(elf) != ELF_K_ELF)
        return error_set(error, "%s is not an object file", name);
    void *copy = malloc(size ? size : 1); /* aligned, unlike an archive's member */
    if (!copy)
        die("out of memory");
    memcpy(copy, bytes, size);
    file.bytes = copy;
    file.size = size;
    bool read = object_scan(arena, elf, &file, error);
    vec_push(files, file);
    return read;
}

static bool object_read_archive(Arena *arena, Elf *archive, int fd, const char *label,
                                ObjectFiles *files, Error *error)
{
    Elf_Cmd command = ELF_C_READ;
    Elf *member;
    bool read = true;
    while (read && (member = elf_begin(fd, command, archive))) {
        Elf_Arhdr *header = elf_getarhdr(member);
        const char *inner = header && header->ar_name ? header->ar_name : "?";
        /* "/" is the index of symbols, "//" the table of long names */
        if (inner[0] != '/')
            read = object_add(arena, member, arena_printf(arena, "%s(%s)", label, inner), files,
                              error);
        command = elf_next(member);
        elf_end(member);
    }
    return read;
}

bool object_read(Arena *arena, const char *path, const char *label, ObjectFiles *files,
                 Error *error)
{
    elf_version(EV_CURRENT);
    int fd = file_open(path, error);
    if (fd < 0)
        return false;
    Elf *elf = elf_begin(fd, ELF_C_READ, NULL);
    bool read;
    if (!elf)
        read = error_set(error, "%s: %s", label, elf_errmsg(-1));
    else if (elf_kind(elf) == ELF_K_AR)
        read = object_read_archive(arena, elf, fd, label, files, error);
    else
        read = object_add(arena, elf, label, files, error);
    elf_end(elf);
    close(fd);
    return read;
}

void object_free(ObjectFiles *files)
{
    for (size_t i = 0; i < files->count; i++) {
        union {
            const void *constant;
            void *owned;
        } bytes = {files->at[i].bytes};
        free(bytes.owned);
        vec_free(&files->at[i].undefined);
        vec_free(&files->at[i].defined);
    }
    vec_free(files);
}
