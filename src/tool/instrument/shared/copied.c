#include "tool/instrument/shared/copied.h"
#include <capstone/capstone.h>
#include <string.h>
#include <sys/stat.h>
#include "record/known.h"
#include "tool/instrument/library.h"
#include "tool/instrument/shared/file.h"
#include "tool/instrument/shared/unwind.h"
#include "tool/instrument/isa/isa.h"

typedef Vec(const char *) Names;

static bool is_among(const Names *names, const char *name)
{
    for (size_t i = 0; i < names->count; i++)
        if (!strcmp(names->at[i], name))
            return true;
    return false;
}

/* Does the library define one of these functions, other than by choosing between several? */
static bool defines_any(Elf *elf, const Names *names)
{
    for (Elf_Scn *section = NULL; (section = elf_nextscn(elf, section));) {
        GElf_Shdr header;
        Elf_Data *data;
        GElf_Sym symbol;
        if (!gelf_getshdr(section, &header) || header.sh_type != SHT_DYNSYM ||
            !(data = elf_getdata(section, NULL)))
            continue;
        for (int i = 0; gelf_getsym(data, i, &symbol); i++) {
            const char *name = elf_strptr(elf, header.sh_link, symbol.st_name);
            if (symbol.st_shndx != SHN_UNDEF && GELF_ST_TYPE(symbol.st_info) == STT_FUNC && name &&
                is_among(names, name))
                return true;
        }
    }
    return false;
}

/* Fills in what the library's segments tell: its code, and its data but for what the loader closes
 * when it has filled it in. */
static bool find_segments(Elf *elf, LinkLibrary *out)
{
    size_t count = 0;
    GElf_Phdr header;
    uint64_t closed = 0;
    elf_getphdrnum(elf, &count);
    for (size_t i = 0; i < count && gelf_getphdr(elf, (int)i, &header); i++) {
        uint64_t end = header.p_vaddr + header.p_memsz;
        if (header.p_type == PT_LOAD && header.p_flags & PF_X) {
            if (out->code_end)
                return false;
            out->code = header.p_vaddr;
            out->code_end = end;
        }
        if (header.p_type == PT_LOAD && header.p_flags & PF_W) {
            out->data = header.p_vaddr;
            out->data_end = end;
        }
        if (header.p_type == PT_GNU_RELRO)
            closed = end;
    }
    out->data = MAX(out->data, closed);
    return out->code_end && out->data_end && out->code_end < UINT32_MAX;
}

/* Reads the functions of one section; what lies between them is a gap. */
static void copy_section(const Isa *isa, csh handle, Elf *elf, const GElf_Shdr *header,
                         const Elf_Data *data, const UnwindRanges *ranges, Watches *watches,
                         ForeignCopy *copy)
{
    uint64_t at = header->sh_addr, end = at + header->sh_size;
    const uint8_t *code = data->d_buf;
    for (size_t i = 0; i < ranges->count; i++) {
        uint64_t from = ranges->at[i].from, size = ranges->at[i].size;
        if (from < at || from >= end || from + size > end)
            continue;
        if (from > at)
            vec_push(&copy->gaps, ((LinkGap){(uint32_t)at, (uint32_t)from}));
        foreign_copy_code(isa, handle, elf, code + (from - header->sh_addr), from, size, watches,
                          copy);
        at = from + size;
    }
    if (at < end)
        vec_push(&copy->gaps, ((LinkGap){(uint32_t)at, (uint32_t)end}));
}

static void copy_library(const Isa *isa, csh handle, Elf *elf, const UnwindRanges *ranges,
                         Watches *watches, ForeignCopy *copy)
{
    for (Elf_Scn *section = NULL; (section = elf_nextscn(elf, section));) {
        GElf_Shdr header;
        if (!gelf_getshdr(section, &header) || !(header.sh_flags & SHF_EXECINSTR))
            continue;
        Elf_Data *data = elf_getdata(section, NULL);
        if (data && data->d_buf && data->d_size >= header.sh_size)
            copy_section(isa, handle, elf, &header, data, ranges, watches, copy);
        else
            vec_push(&copy->gaps, ((LinkGap){(uint32_t)header.sh_addr,
                                             (uint32_t)(header.sh_addr + header.sh_size)}));
    }
}

static void watch_file(const Isa *isa, Elf *elf, const struct stat *status, Watches *watches,
                       SharedCode *shared)
{
    UnwindRanges ranges = {0};
    csh handle;
    size_t before = watches->count;
    LinkLibrary library = {
        .device = (uint64_t)status->st_dev, .file = (uint64_t)status->st_ino, .is_copied = 1};
    if (!find_segments(elf, &library) || !unwind_ranges(elf, &ranges))
        return;
    isa->open(&handle);
    copy_library(isa, handle, elf, &ranges, watches, &shared->copy);
    if (watches->count < LINK_WATCHES && shared->copy.gaps.count <= LINK_GAPS &&
        shared->copy.moves.count <= LINK_MOVES) {
        vec_push(&shared->libraries, library);
        for (size_t i = before; i < watches->count; i++)
            watches->at[i].library = (uint8_t)shared->libraries.count;
    } else { /* its functions are noted as unknown when they are called */
        watches->count = before;
        shared->copy.gaps.count = shared->copy.moves.count = 0;
    }
    vec_free(&ranges);
    cs_close(&handle);
}

void copied_watch(Arena *arena, const Build *build, Watches *watches, SharedCode *shared)
{
    Names names = {0};
    LibraryFile program, library;
    struct stat status;
    if (!build->isa->foreign)
        return;
    for (size_t i = 0; i < build->objects.count; i++)
        for (size_t k = 0; k < build->objects.at[i].undefined.count; k++) {
            const char *name = build->objects.at[i].undefined.at[k];
            if (known_class(name) == KNOWN_REPLAY && !known_effects(name) &&
                !library_program_defines(build, name))
                vec_push(&names, name);
        }
    if (names.count && shared->libraries.count < LINK_LIBRARIES &&
        library_file_open(build->program, &program)) {
        const char *path = library_file_path(arena, program.elf, "c");
        if (path && !stat(path, &status) && library_file_open(path, &library)) {
            if (defines_any(library.elf, &names))
                watch_file(build->isa, library.elf, &status, watches, shared);
            library_file_close(&library);
        }
        library_file_close(&program);
    }
    vec_free(&names);
}
