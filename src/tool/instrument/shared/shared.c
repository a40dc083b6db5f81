#include "tool/instrument/shared/shared.h"
#include <capstone/capstone.h>
#include <elfutils/libdw.h>
#include <fcntl.h>
#include <gelf.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include "base/hash.h"
#include "base/str.h"
#include "tool/instrument/machine/foreign.h"
#include "tool/instrument/shared/file.h"
#include "tool/instrument/shared/unwind.h"
#include "tool/instrument/isa/isa.h"

enum { MOST_START_BYTES = 320 }; /* of the compiler's start files in one library */

/* ---- its code ---- */

typedef struct Look {
    Arena *arena;
    const Isa *isa;
    csh handle;
    LibraryFile file;
    const UnwindRanges *ranges;
    Watches *watches;
    uint8_t number;
} Look;

static bool is_filling(const Isa *isa, const uint8_t *bytes, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (!isa->foreign->is_filling(bytes[i]))
            return false;
    return true;
}

/* Watches the functions of one section; false if something remains that nobody sees. */
static bool watch_section(Look *look, const GElf_Shdr *header, const Elf_Data *data)
{
    uint64_t at = header->sh_addr, end = at + header->sh_size;
    const uint8_t *code = data->d_buf;
    size_t left_over = 0;
    for (size_t i = 0; at < end; i++) {
        while (i < look->ranges->count && look->ranges->at[i].from < at)
            i++;
        bool last = i == look->ranges->count || look->ranges->at[i].from >= end;
        uint64_t next = last ? end : look->ranges->at[i].from;
        if (!is_filling(look->isa, code + (at - header->sh_addr), next - at))
            left_over += next - at;
        if (last)
            break;
        uint64_t size = look->ranges->at[i].size;
        if (next + size > end ||
            foreign_watch_code(look->arena, look->isa, look->handle, look->file.elf,
                               code + (next - header->sh_addr), next, size, look->watches))
            return false;
        at = next + size;
    }
    return left_over <= MOST_START_BYTES;
}

static bool watch_code(Look *look)
{
    size_t names;
    if (elf_getshdrstrndx(look->file.elf, &names))
        return false;
    for (Elf_Scn *section = NULL; (section = elf_nextscn(look->file.elf, section));) {
        GElf_Shdr header;
        if (!gelf_getshdr(section, &header) || !(header.sh_flags & SHF_EXECINSTR))
            continue;
        const char *name = elf_strptr(look->file.elf, names, header.sh_name);
        Elf_Data *data = elf_getdata(section, NULL);
        bool linkers =
            name && (!strncmp(name, ".plt", 4) || !strcmp(name, ".init") || !strcmp(name, ".fini"));
        if (linkers)
            continue;
        if (!data || !data->d_buf || data->d_size < header.sh_size ||
            !watch_section(look, &header, data))
            return false;
    }
    return true;
}

/* ---- its calls ---- */

typedef struct Wrapped {
    HashMap addresses; /* of the runtime's functions, by hashes of their names */
} Wrapped;

static void see_wrapped(void *context, const char *name, const GElf_Sym *symbol)
{
    static const char start[] = "__wrap_";
    Wrapped *wrapped = context;
    bool fresh;
    if (!strncmp(name, start, sizeof start - 1)) {
        const char *rest = name + sizeof start - 1;
        *hashmap_put(&wrapped->addresses, hash_bytes(rest, strlen(rest), 0), &fresh) =
            symbol->st_value;
    }
}

static bool is_link(const Isa *isa, uint32_t relocation)
{
    for (size_t i = 0; i < COUNT_OF(isa->foreign->links); i++)
        if (isa->foreign->links[i] == relocation)
            return true;
    return false;
}

/* Leads the calls of functions that the runtime stands in for to it. */
static void redirect(const Isa *isa, Elf *elf, const Wrapped *wrapped, uint8_t number,
                     SharedRedirects *out)
{
    for (Elf_Scn *section = NULL; (section = elf_nextscn(elf, section));) {
        GElf_Shdr header, table;
        Elf_Data *data = NULL;
        if (!gelf_getshdr(section, &header) || header.sh_type != SHT_RELA ||
            !(header.sh_flags & SHF_ALLOC) || !(data = elf_getdata(section, NULL)))
            continue;
        Elf_Scn *symbols = elf_getscn(elf, header.sh_link);
        Elf_Data *list = symbols ? elf_getdata(symbols, NULL) : NULL;
        GElf_Rela relocation;
        for (int i = 0; list && gelf_getshdr(symbols, &table) && gelf_getrela(data, i, &relocation);
             i++) {
            GElf_Sym symbol;
            uint32_t type = (uint32_t)GELF_R_TYPE(relocation.r_info);
            if (!is_link(isa, type) ||
                !gelf_getsym(list, (int)GELF_R_SYM(relocation.r_info), &symbol) ||
                symbol.st_shndx != SHN_UNDEF)
                continue;
            const char *name = elf_strptr(elf, table.sh_link, symbol.st_name);
            const uint64_t *address =
                name ? hashmap_find(&wrapped->addresses, hash_bytes(name, strlen(name), 0)) : NULL;
            if (address)
                vec_push(out, ((LinkRedirect){relocation.r_offset, *address, number}));
        }
    }
}

static bool has_thread_local(Elf *elf)
{
    GElf_Phdr header;
    size_t count = 0;
    elf_getphdrnum(elf, &count);
    for (size_t i = 0; i < count; i++)
        if (gelf_getphdr(elf, (int)i, &header) && header.p_type == PT_TLS)
            return true;
    return false;
}

/* Watches one library, or leaves everything as it was. */
static void watch_library(Look *look, const char *path, const Wrapped *wrapped, SharedCode *shared)
{
    struct stat status;
    UnwindRanges ranges = {0};
    size_t watches = look->watches->count, redirects = shared->redirects.count;
    if (shared->libraries.count == LINK_LIBRARIES || stat(path, &status) != 0 ||
        !library_file_open(path, &look->file))
        return;
    look->number = (uint8_t)(shared->libraries.count + 1);
    look->ranges = &ranges;
    bool fine = unwind_ranges(look->file.elf, &ranges) && watch_code(look);
    if (fine)
        redirect(look->isa, look->file.elf, wrapped, look->number, &shared->redirects);
    if (fine && look->watches->count < LINK_WATCHES && shared->redirects.count <= LINK_REDIRECTS) {
        for (size_t i = watches; i < look->watches->count; i++)
            look->watches->at[i].library = look->number;
        vec_push(&shared->libraries, ((LinkLibrary){.device = (uint64_t)status.st_dev,
                                                    .file = (uint64_t)status.st_ino}));
        shared->has_thread_local |= has_thread_local(look->file.elf);
    } else {
        look->watches->count = watches;
        shared->redirects.count = redirects;
    }
    vec_free(&ranges);
    library_file_close(&look->file);
}

void shared_watch(Arena *arena, const Build *build, const Escapes *escapes, Watches *watches,
                  SharedCode *shared)
{
    Look look = {.arena = arena, .isa = build->isa, .watches = watches};
    Wrapped wrapped = {0};
    LibraryFile program;
    bool any = false;
    for (size_t i = 0; i < escapes->count; i++)
        any |= escapes->at[i].library && !escapes->at[i].whole;
    if (!any || !build->isa->foreign || !library_file_open(build->program, &program))
        return;
    build->isa->open(&look.handle);
    escapes_each_function(program.elf, see_wrapped, &wrapped);
    for (size_t i = 0; i < escapes->count; i++) {
        const Escape *escape = &escapes->at[i];
        const char *path = escape->library && !escape->whole
                               ? library_file_path(arena, program.elf, escape->library)
                               : NULL;
        if (path)
            watch_library(&look, path, &wrapped, shared);
    }
    hashmap_free(&wrapped.addresses);
    cs_close(&look.handle);
    library_file_close(&program);
}

void shared_free(SharedCode *shared)
{
    vec_free(&shared->libraries);
    vec_free(&shared->redirects);
    vec_free(&shared->copy.gaps);
    vec_free(&shared->copy.moves);
}
