#include "tool/instrument/shared/unwind.h"
#include <dwarf.h>
#include <elfutils/libdw.h>
#include <stdlib.h>
#include <string.h>

/* Addresses as gcc, clang and rustc write them: four bytes, relative to where they stand. */
enum { USUAL = DW_EH_PE_pcrel | DW_EH_PE_sdata4 };

/* Does the CIE say that its functions' addresses are written in the usual way? */
static bool is_usual(const Dwarf_CIE *cie)
{
    const char *letter = cie->augmentation;
    const uint8_t *data = cie->augmentation_data;
    if (*letter++ != 'z')
        return false;
    for (; *letter; letter++)
        switch (*letter) {
        case 'R':
            return *data == USUAL;
        case 'L':
            data++;
            break;
        case 'P': { /* the personality routine: how it is written, then its address */
            unsigned format = *data++ & 0x0f;
            data += format == DW_EH_PE_sdata4 || format == DW_EH_PE_udata4 ? 4 : 8;
            break;
        }
        case 'S':
        case 'B':
            break;
        default:
            return false;
        }
    return false;
}

static int by_address(const void *a, const void *b)
{
    uint64_t left = ((const UnwindRange *)a)->from, right = ((const UnwindRange *)b)->from;
    return (left > right) - (left < right);
}

static bool read_table(Elf *elf, Elf_Data *data, uint64_t address, UnwindRanges *ranges)
{
    const unsigned char *identity = (const unsigned char *)elf_getident(elf, NULL);
    Dwarf_Off at = 0, next;
    Dwarf_CFI_Entry entry;
    int status;
    while ((status = dwarf_next_cfi(identity, data, true, at, &next, &entry)) == 0) {
        if (dwarf_cfi_cie_p(&entry)) {
            if (!is_usual(&entry.cie))
                return false;
        } else {
            int32_t distance;
            uint32_t size;
            memcpy(&distance, entry.fde.start, sizeof distance);
            memcpy(&size, entry.fde.start + sizeof distance, sizeof size);
            uint64_t place = address + (uint64_t)(entry.fde.start - (const uint8_t *)data->d_buf);
            vec_push(ranges, ((UnwindRange){place + (uint64_t)(int64_t)distance, size}));
        }
        at = next;
    }
    return status == 1 && ranges->count;
}

bool unwind_ranges(Elf *elf, UnwindRanges *ranges)
{
    size_t names;
    bool fine = false;
    if (elf_getshdrstrndx(elf, &names))
        return false;
    for (Elf_Scn *section = NULL; (section = elf_nextscn(elf, section));) {
        GElf_Shdr header;
        const char *name =
            gelf_getshdr(section, &header) ? elf_strptr(elf, names, header.sh_name) : NULL;
        Elf_Data *data = name && !strcmp(name, ".eh_frame") ? elf_getdata(section, NULL) : NULL;
        if (data && data->d_buf)
            fine = read_table(elf, data, header.sh_addr, ranges);
    }
    if (fine)
        qsort(ranges->at, ranges->count, sizeof *ranges->at, by_address);
    for (size_t i = 1; i < ranges->count && fine; i++)
        fine = ranges->at[i - 1].from + ranges->at[i - 1].size <= ranges->at[i].from;
    return fine;
}
