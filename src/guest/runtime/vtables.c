#include "guest/runtime/vtables.h"
#include <string.h>
#include "guest/runtime/arch.h"

/* The dynamic table of an object, as far as it is of interest here. */
typedef struct Tables {
    const ElfW(Sym) * symbols;
    const char *names;
    const ElfW(Rela) * relocations;
    size_t count;
    VtableSpan starters[2]; /* functions that the loader calls when it starts and ends */
} Tables;

static bool is_in(VtableSpan span, uintptr_t address)
{
    return address - span.from < span.to - span.from;
}

VtableSpan vtables_code(const struct dl_phdr_info *object)
{
    for (int i = 0; i < object->dlpi_phnum; i++) {
        const ElfW(Phdr) *header = &object->dlpi_phdr[i];
        uintptr_t from = object->dlpi_addr + header->p_vaddr;
        if (header->p_type == PT_LOAD && header->p_flags & PF_X)
            return (VtableSpan){from, from + header->p_memsz};
    }
    return (VtableSpan){0, 0};
}

VtableSpan vtables_constants(const struct dl_phdr_info *object)
{
    enum { PAGE = 4096 };
    for (int i = 0; i < object->dlpi_phnum; i++) {
        const ElfW(Phdr) *header = &object->dlpi_phdr[i];
        uintptr_t from = object->dlpi_addr + header->p_vaddr, to = from + header->p_memsz;
        if (header->p_type == PT_GNU_RELRO) /* the loader protects whole pages */
            return (VtableSpan){from & ~(uintptr_t)(PAGE - 1), to & ~(uintptr_t)(PAGE - 1)};
    }
    return (VtableSpan){0, 0};
}

static Tables tables_of(const struct dl_phdr_info *object)
{
    Tables tables = {0};
    const ElfW(Dyn) *dynamic = NULL;
    uintptr_t starts[2] = {0, 0}, bytes[2] = {0, 0};
    for (int i = 0; i < object->dlpi_phnum; i++)
        if (object->dlpi_phdr[i].p_type == PT_DYNAMIC)
            dynamic = (const void *)(object->dlpi_addr + object->dlpi_phdr[i].p_vaddr);
    for (; dynamic && dynamic->d_tag != DT_NULL; dynamic++)
        if (dynamic->d_tag == DT_SYMTAB)
            tables.symbols = (const void *)dynamic->d_un.d_ptr;
        else if (dynamic->d_tag == DT_STRTAB)
            tables.names = (const void *)dynamic->d_un.d_ptr;
        else if (dynamic->d_tag == DT_RELA)
            tables.relocations = (const void *)dynamic->d_un.d_ptr;
        else if (dynamic->d_tag == DT_RELASZ)
            tables.count = dynamic->d_un.d_val / sizeof(ElfW(Rela));
        else if (dynamic->d_tag == DT_INIT_ARRAY || dynamic->d_tag == DT_FINI_ARRAY)
            starts[dynamic->d_tag == DT_FINI_ARRAY] = object->dlpi_addr + dynamic->d_un.d_ptr;
        else if (dynamic->d_tag == DT_INIT_ARRAYSZ || dynamic->d_tag == DT_FINI_ARRAYSZ)
            bytes[dynamic->d_tag == DT_FINI_ARRAYSZ] = dynamic->d_un.d_val;
    for (int i = 0; i < 2; i++)
        tables.starters[i] = (VtableSpan){starts[i], starts[i] + bytes[i]};
    if (!tables.relocations || !tables.symbols || !tables.names)
        tables.count = 0;
    return tables;
}

/* Where functions begin, by the search table of the unwinder (.eh_frame_hdr, as all linkers write
 * it). Segments do not tell: without -z separate-code, as on AArch64, constants lie beside the
 * code. */
typedef struct Starts {
    uintptr_t base;
    const int32_t
        *at;      /* pairs of distances from BASE: of a function, of its description; ascending */
    size_t count; /* 0: not known */
} Starts;

static Starts starts_of(const struct dl_phdr_info *object)
{
    enum { UDATA4 = 0x03, DATAREL_SDATA4 = 0x3b, OMIT = 0xff };
    for (int i = 0; i < object->dlpi_phnum; i++) {
        const ElfW(Phdr) *header = &object->dlpi_phdr[i];
        if (header->p_type != PT_GNU_EH_FRAME)
            continue;
        const unsigned char *at = (const void *)(object->dlpi_addr + header->p_vaddr);
        uint32_t count;
        if (at[0] != 1 || (at[1] & 0x0f) != 0x0b || at[2] != UDATA4 || at[3] != DATAREL_SDATA4)
            break;
        memcpy(&count, at + 8, sizeof count);
        return (Starts){(uintptr_t)at, (const void *)(at + 12), count};
    }
    return (Starts){0, NULL, 0};
}

static bool starts_has(const Starts *starts, uintptr_t function)
{
    int64_t wanted = (int64_t)(function - starts->base);
    size_t low = 0, high = starts->count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (starts->at[2 * middle] < wanted)
            low = middle + 1;
        else
            high = middle;
    }
    return !starts->count || (low < starts->count && starts->at[2 * low] == wanted);
}

void vtables_each(const struct dl_phdr_info *library, VtableSpan code, VtablesSee *see)
{
    Tables tables = tables_of(library);
    Starts starts = starts_of(library);
    VtableSpan constants = vtables_constants(library);
    for (size_t i = 0; i < tables.count; i++) {
        const ElfW(Rela) *relocation = &tables.relocations[i];
        unsigned type = ELF64_R_TYPE(relocation->r_info);
        uintptr_t *slot = (uintptr_t *)(library->dlpi_addr + relocation->r_offset);
        uintptr_t place = (uintptr_t)slot;
        if ((type != ARCH_R_ABSOLUTE && type != ARCH_R_RELATIVE) || !is_in(constants, place) ||
            is_in(tables.starters[0], place) || is_in(tables.starters[1], place) ||
            !is_in(code, *slot) || !starts_has(&starts, *slot))
            continue;
        const ElfW(Sym) *symbol = &tables.symbols[ELF64_R_SYM(relocation->r_info)];
        see(slot, type == ARCH_R_ABSOLUTE ? tables.names + symbol->st_name : NULL);
    }
}

void vtables_each_copied(const struct dl_phdr_info *program, VtableSpan code, VtablesSee *see)
{
    Tables tables = tables_of(program);
    for (size_t i = 0; i < tables.count; i++) {
        const ElfW(Rela) *relocation = &tables.relocations[i];
        const ElfW(Sym) *symbol = &tables.symbols[ELF64_R_SYM(relocation->r_info)];
        if (ELF64_R_TYPE(relocation->r_info) != ARCH_R_COPY ||
            strncmp(tables.names + symbol->st_name, "_ZTV", 4))
            continue;
        uintptr_t *table = (uintptr_t *)(program->dlpi_addr + relocation->r_offset);
        for (size_t k = 0; k < symbol->st_size / sizeof *table; k++)
            if (is_in(code, table[k]))
                see(&table[k], NULL);
    }
}

/* A table: offsets, the address of the class's type, then the functions, some of which may be
 * absent. A type begins with the address of its own table and its name. */
const char *vtables_class(const uintptr_t *slot, VtableSpan constants,
                          bool (*is_function)(uintptr_t address), unsigned *number)
{
    enum { MOST = 64 };
    const uintptr_t *at = slot;
    while (slot - at < MOST && is_in(constants, (uintptr_t)(at - 1)) &&
           (!at[-1] || is_function(at[-1])))
        at--;
    *number = (unsigned)(slot - at);
    if (!is_in(constants, (uintptr_t)(at - 1)) || !is_in(constants, at[-1]))
        return NULL;
    const char *name = ((const char *const *)at[-1])[1];
    return name && *name == '*' ? name + 1 : name; /* '*': a name to be compared by its address */
}
