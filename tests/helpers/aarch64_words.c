/* aarch64_words.c: what isa/aarch64 makes of each word of the code in object files, a line each,
 * for aarch64_words.py, which compares it with the disassembler's text. */
#include <fcntl.h>
#include <gelf.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include "tool/instrument/isa/aarch64/aarch64.h"

static void show(csh handle, const uint8_t *bytes, uint64_t address)
{
    cs_insn *in;
    Code c;
    if (!cs_disasm(handle, bytes, 4, address, 1, &in))
        return;
    bool described = a64_decode(handle, in, &c);
    const CodeMemory *m = &c.memory;
    bool access = m->bytes && c.kind != CODE_ADDRESS;
    printf("%s\t%s\t%d\t%d\t%d\t%d\t%" PRId64 "\t%d\t%d\t%d\t%" PRIx64 "\t%" PRIx64 "\t%" PRId64
           "\t%d\t%d\t%" PRIx64 "\t%s\n",
           in->mnemonic, in->op_str, described, c.kind, access ? m->base : REG_NONE,
           access ? m->index : REG_NONE, access ? m->displacement : 0, access ? m->bytes : 0,
           access && m->reads, access && m->writes, c.changes | (c.dst >= 0 ? REG_BIT(c.dst) : 0),
           c.reads, c.step, c.flow, c.is_locked, (uint64_t)c.immediate,
           isa_aarch64.escape_in_text(str_of(in->mnemonic), false) ? "e" : "-");
    cs_free(in, 1);
}

int main(int count, char **files)
{
    csh handle;
    elf_version(EV_CURRENT);
    a64_open(&handle);
    for (int i = 1; i < count; i++) {
        int fd = open(files[i], O_RDONLY);
        Elf *elf = elf_begin(fd, ELF_C_READ, NULL);
        GElf_Shdr shape;
        for (Elf_Scn *section = NULL; (section = elf_nextscn(elf, section));) {
            if (!gelf_getshdr(section, &shape) || !(shape.sh_flags & SHF_EXECINSTR) ||
                shape.sh_type != SHT_PROGBITS)
                continue;
            Elf_Data *data = elf_getdata(section, NULL);
            for (size_t at = 0; data && at + 4 <= data->d_size; at += 4)
                show(handle, (const uint8_t *)data->d_buf + at, shape.sh_addr + at);
        }
        elf_end(elf);
    }
}
