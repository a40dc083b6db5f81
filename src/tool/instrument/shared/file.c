#include "tool/instrument/shared/file.h"
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "base/file.h"
#include "base/str.h"
#include "tool/instrument/isa/isa.h"
#include "tool/instrument/machine/escapes.h"

bool library_file_open(const char *path, LibraryFile *out)
{
    elf_version(EV_CURRENT);
    out->fd = file_open(path, NULL);
    out->elf = out->fd >= 0 ? elf_begin(out->fd, ELF_C_READ, NULL) : NULL;
    if (!out->elf && out->fd >= 0)
        close(out->fd);
    return out->elf != NULL;
}

void library_file_close(LibraryFile *opened)
{
    elf_end(opened->elf);
    close(opened->fd);
}

/* ---- where the loader finds a library ---- */

typedef struct Search {
    Arena *arena;
    const char *start; /* "libq.so" */
    const char *needed, *folders;
} Search;

static void see_entry(void *context, int64_t tag, const char *text)
{
    Search *search = context;
    if (tag == DT_NEEDED && text && !strncmp(text, search->start, strlen(search->start)))
        search->needed = arena_printf(search->arena, "%s", text);
    if ((tag == DT_RUNPATH || tag == DT_RPATH) && text)
        search->folders = arena_printf(search->arena, "%s", text);
}

const char *library_file_path(Arena *arena, Elf *program, const char *library)
{
    Search search = {.arena = arena, .start = arena_printf(arena, "lib%s.so", library)};
    GElf_Ehdr header;
    const Isa *isa = gelf_getehdr(program, &header) ? isa_of(header.e_machine) : NULL;
    escapes_each_dynamic(program, see_entry, &search);
    const char *environment = getenv("LD_LIBRARY_PATH");
    Str rest = str_of(arena_printf(arena, "%s:%s:%s:%s", environment ? environment : "",
                                   search.folders ? search.folders : "",
                                   isa && isa->foreign ? isa->foreign->folders : "",
                                   "/lib64:/usr/lib64:/lib:/usr/lib:/usr/local/lib")),
        folder;
    while (search.needed && str_next(&rest, ':', &folder)) {
        const char *path = arena_printf(arena, "%.*s/%s", STR_ARG(folder), search.needed);
        if (folder.length && access(path, R_OK) == 0)
            return path;
    }
    return NULL;
}

bool library_file_defines(const LibraryFile *file, const char *function)
{
    for (Elf_Scn *section = NULL; (section = elf_nextscn(file->elf, section));) {
        GElf_Shdr table;
        Elf_Data *data = NULL;
        if (!gelf_getshdr(section, &table) || table.sh_type != SHT_DYNSYM ||
            !(data = elf_getdata(section, NULL)))
            continue;
        GElf_Sym symbol;
        for (int i = 0; gelf_getsym(data, i, &symbol); i++) {
            const char *name = elf_strptr(file->elf, table.sh_link, symbol.st_name);
            if (symbol.st_shndx != SHN_UNDEF && name && !strcmp(name, function))
                return true;
        }
    }
    return false;
}
