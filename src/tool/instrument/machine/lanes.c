#include "tool/instrument/machine/lanes.h"
#include <fcntl.h>
#include <gelf.h>
#include <string.h>
#include <unistd.h>
#include "base/file.h"
#include "tool/instrument/isa/isa.h"

typedef struct Search {
    Elf *program;
    const IsaForeign *isa;
    csh handle;
    const char *function;
    Watches *watches;
    bool found, beyond;
} Search;

static bool is_watched(const Watches *watches, uint64_t address)
{
    for (size_t i = 0; i < watches->count; i++)
        if (watches->at[i].address == address)
            return true;
    return false;
}

/* Looks at a function of the program, if it is the one. */
static void watch_function(void *context, const char *name, const GElf_Sym *symbol)
{
    Search *search = context;
    Elf_Scn *section = elf_getscn(search->program, symbol->st_shndx);
    GElf_Shdr header;
    if (strcmp(name, search->function) != 0 || !section || !gelf_getshdr(section, &header))
        return;
    Elf_Data *data = elf_getdata(section, NULL);
    size_t offset = symbol->st_value - header.sh_addr, bytes = symbol->st_size;
    if (!data || !data->d_buf || !bytes || offset > data->d_size || bytes > data->d_size - offset) {
        search->beyond = true;
        return;
    }
    const uint8_t *at = (const uint8_t *)data->d_buf + offset;
    uint64_t address = symbol->st_value;
    cs_insn *in = cs_malloc(search->handle);
    while (cs_disasm_iter(search->handle, &at, &bytes, &address, in)) {
        LinkWatch watch;
        IsaLook seen = search->isa->look_at_lanes(in, &watch);
        if (seen == ISA_PASSED)
            continue;
        search->found = true;
        if (seen == ISA_BEYOND || search->watches->count >= LINK_WATCHES)
            search->beyond = true;
        else if (!is_watched(search->watches, watch.address))
            vec_push(search->watches, watch);
    }
    search->beyond |= bytes > 0; /* something that the disassembler does not know */
    cs_free(in, 1);
}

void lanes_watch(const Build *build, Escapes *escapes, Watches *watches)
{
    size_t kept = 0;
    bool any = false;
    for (size_t i = 0; i < escapes->count; i++)
        any |= escapes->at[i].by_lanes;
    if (!any || !build->isa->foreign)
        return;
    int fd = file_open(build->program, NULL);
    elf_version(EV_CURRENT);
    Search search = {.watches = watches,
                     .isa = build->isa->foreign,
                     .program = fd >= 0 ? elf_begin(fd, ELF_C_READ, NULL) : NULL};
    build->isa->open(&search.handle);
    for (size_t i = 0; i < escapes->count; i++) {
        const Escape *escape = &escapes->at[i];
        size_t before = watches->count;
        search.found = search.beyond = false;
        search.function = escape->function;
        if (escape->by_lanes && escape->function && search.program)
            escapes_each_function(search.program, watch_function, &search);
        if (search.found && !search.beyond)
            continue;
        watches->count = before;
        escapes->at[kept++] = *escape;
    }
    escapes->count = kept;
    cs_close(&search.handle);
    elf_end(search.program);
    if (fd >= 0)
        close(fd);
}
