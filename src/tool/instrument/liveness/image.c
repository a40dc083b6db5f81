#include "tool/instrument/liveness/image.h"
#include <errno.h>
#include <fcntl.h>
#include <gelf.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "base/file.h"
#include "base/hash.h"
#include "base/vec.h"

typedef struct Section {
    uint64_t address, size;
    const uint8_t *bytes;
    bool code;
} Section;

typedef struct Slot { /* of the global offset table, filled by the dynamic linker */
    uint64_t address;
    const char *name;
    bool is_function;
} Slot;

struct Image {
    Arena *arena;
    int fd;
    Elf *elf;
    Vec(Section) sections;
    Vec(ImageFunction) functions;
    Vec(Slot) slots;
    uint64_t runtime, runtime_bytes; /* section heddle_text */
    uint64_t signature;
    const Isa *isa;
};

/* ---- sections, symbols ---- */

static int compare_functions(const void *a, const void *b)
{
    const ImageFunction *x = a, *y = b;
    if (x->address != y->address)
        return x->address < y->address ? -1 : 1;
    return x->size > y->size ? -1 : x->size < y->size;
}

static int compare_slots(const void *a, const void *b)
{
    const Slot *x = a, *y = b;
    return x->address < y->address ? -1 : x->address > y->address;
}

static void read_symbols(Image *image, Elf_Scn *scn, const GElf_Shdr *header)
{
    Elf_Data *data = elf_getdata(scn, NULL);
    if (!data || !header->sh_entsize)
        return;
    size_t count = header->sh_size / header->sh_entsize;
    for (size_t i = 0; i < count; i++) {
        GElf_Sym symbol;
        if (!gelf_getsym(data, (int)i, &symbol))
            break;
        if (GELF_ST_TYPE(symbol.st_info) != STT_FUNC || symbol.st_shndx == SHN_UNDEF ||
            !symbol.st_size)
            continue;
        const char *name = elf_strptr(image->elf, header->sh_link, symbol.st_name);
        ImageFunction f = {
            .address = symbol.st_value, .size = symbol.st_size, .name = name ? name : ""};
        f.is_cold = strstr(f.name, ".cold") != NULL;
        f.is_local = GELF_ST_BIND(symbol.st_info) == STB_LOCAL;
        if (f.address - image->runtime < image->runtime_bytes)
            image->signature += hash_bytes(f.name, strlen(f.name),
                                           hash_combine(f.address - image->runtime, f.size));
        vec_push(&image->functions, f);
    }
}

/* Does NAME say more than another name of the same function? A hook's does, but those of copies
 * (guest/entry/library/memory.c), which are functions of libc by a second name. */
static bool says_most(const char *name)
{
    return !strncmp(name, "__tsan_", 7) && strncmp(name, "__tsan_mem", 10) != 0;
}

/* Aliases are one function, found under the name that says most. */
static void sort_functions(Image *image)
{
    if (!image->functions.count)
        return;
    qsort(image->functions.at, image->functions.count, sizeof *image->functions.at,
          compare_functions);
    size_t kept = 0;
    for (size_t i = 1; i < image->functions.count; i++) {
        ImageFunction *last = &image->functions.at[kept], *f = &image->functions.at[i];
        if (f->address != last->address)
            image->functions.at[++kept] = *f;
        else {
            last->is_local &= f->is_local;
            if (says_most(f->name) || !strncmp(last->name, "__tsan_mem", 10))
                last->name = f->name;
        }
    }
    image->functions.count = kept + 1;
}

static void read_relocations(Image *image, Elf_Scn *scn, const GElf_Shdr *header)
{
    Elf_Data *data = elf_getdata(scn, NULL);
    Elf_Scn *symbols = elf_getscn(image->elf, header->sh_link);
    GElf_Shdr symbol_header;
    if (!data || !header->sh_entsize || !symbols || !gelf_getshdr(symbols, &symbol_header))
        return;
    Elf_Data *symbol_data = elf_getdata(symbols, NULL);
    size_t count = header->sh_size / header->sh_entsize;
    for (size_t i = 0; i < count; i++) {
        GElf_Rela rela;
        GElf_Sym symbol;
        if (!gelf_getrela(data, (int)i, &rela) || !symbol_data ||
            !gelf_getsym(symbol_data, (int)GELF_R_SYM(rela.r_info), &symbol))
            continue;
        const char *name = elf_strptr(image->elf, symbol_header.sh_link, symbol.st_name);
        if (name && *name)
            vec_push(&image->slots,
                     (Slot){rela.r_offset, name, GELF_ST_TYPE(symbol.st_info) == STT_FUNC});
    }
}

static bool read_sections(Image *image, Error *error, const char *path)
{
    size_t names;
    if (elf_getshdrstrndx(image->elf, &names))
        return error_set(error, "%s: no section names: %s", path, elf_errmsg(-1));
    image_section(image, "heddle_text", &image->runtime, &image->runtime_bytes);
    for (Elf_Scn *scn = NULL; (scn = elf_nextscn(image->elf, scn));) {
        GElf_Shdr header;
        if (!gelf_getshdr(scn, &header))
            return error_set(error, "%s: a damaged section: %s", path, elf_errmsg(-1));
        bool fixed = (header.sh_flags & SHF_ALLOC) && !(header.sh_flags & SHF_WRITE) &&
                     header.sh_type == SHT_PROGBITS;
        /* tables that the dynamic linker makes read-only after it has filled them do not count */
        if (fixed) {
            Elf_Data *data = elf_rawdata(scn, NULL);
            if (data && data->d_buf)
                vec_push(&image->sections, (Section){header.sh_addr, data->d_size, data->d_buf,
                                                     (header.sh_flags & SHF_EXECINSTR) != 0});
        }
        if (header.sh_type == SHT_SYMTAB)
            read_symbols(image, scn, &header);
        if (header.sh_type == SHT_RELA && (header.sh_flags & SHF_ALLOC))
            read_relocations(image, scn, &header);
    }
    return true;
}

const uint8_t *image_bytes(const Image *image, uint64_t address, size_t *count)
{
    for (size_t i = 0; i < image->sections.count; i++) {
        const Section *s = &image->sections.at[i];
        if (address >= s->address && address < s->address + s->size) {
            *count = s->size - (address - s->address);
            return s->bytes + (address - s->address);
        }
    }
    *count = 0;
    return NULL;
}

const uint8_t *image_section(const Image *image, const char *name, uint64_t *address,
                             uint64_t *bytes)
{
    size_t names;
    if (elf_getshdrstrndx(image->elf, &names))
        return NULL;
    for (Elf_Scn *scn = NULL; (scn = elf_nextscn(image->elf, scn));) {
        GElf_Shdr header;
        const char *found =
            gelf_getshdr(scn, &header) ? elf_strptr(image->elf, names, header.sh_name) : NULL;
        if (!found || strcmp(found, name))
            continue;
        Elf_Data *data = elf_rawdata(scn, NULL);
        if (!data || !data->d_buf)
            return NULL;
        if (address)
            *address = header.sh_addr;
        *bytes = data->d_size;
        return data->d_buf;
    }
    return NULL;
}

uint64_t image_signature(const Image *image)
{
    return image->signature;
}

Elf *image_elf(const Image *image)
{
    return image->elf;
}

uint64_t image_symbol(const Image *image, const char *name)
{
    for (Elf_Scn *section = NULL; (section = elf_nextscn(image->elf, section));) {
        GElf_Shdr header;
        Elf_Data *data = NULL;
        if (!gelf_getshdr(section, &header) || header.sh_type != SHT_SYMTAB ||
            !(data = elf_getdata(section, NULL)))
            continue;
        GElf_Sym symbol;
        for (int i = 0; gelf_getsym(data, i, &symbol); i++) {
            const char *found = elf_strptr(image->elf, header.sh_link, symbol.st_name);
            if (found && !strcmp(found, name))
                return symbol.st_value;
        }
    }
    return 0;
}

size_t image_function_count(const Image *image)
{
    return image->functions.count;
}

ImageFunction *image_functions(const Image *image)
{
    return image->functions.at;
}

uint32_t image_function_with(const Image *image, uint64_t address)
{
    size_t low = 0, high = image->functions.count; /* the last that begins at or before it */
    while (low < high) {
        size_t middle = (low + high) / 2;
        if (image->functions.at[middle].address <= address)
            low = middle + 1;
        else
            high = middle;
    }
    if (!low)
        return IMAGE_NO_FUNCTION;
    const ImageFunction *f = &image->functions.at[low - 1];
    return address - f->address < f->size ? (uint32_t)(low - 1) : IMAGE_NO_FUNCTION;
}

uint32_t image_function_at(const Image *image, uint64_t address)
{
    uint32_t f = image_function_with(image, address);
    return f != IMAGE_NO_FUNCTION && image->functions.at[f].address == address ? f
                                                                               : IMAGE_NO_FUNCTION;
}

/* ---- stubs ---- */

const char *image_next_stub(const Image *image, size_t *at)
{
    while (*at < image->slots.count) {
        const Slot *slot = &image->slots.at[(*at)++];
        if (slot->is_function)
            return slot->name;
    }
    return NULL;
}

const char *image_slot_name(const Image *image, uint64_t address)
{
    Slot key = {address, NULL, false};
    const Slot *slot = image->slots.count ? bsearch(&key, image->slots.at, image->slots.count,
                                                    sizeof key, compare_slots)
                                          : NULL;
    return slot ? slot->name : NULL;
}

const char *image_stub_name(const Image *image, uint64_t address)
{
    size_t count;
    const uint8_t *code = image_bytes(image, address, &count);
    uint64_t slot;
    if (!code || !image->isa->stub_slot(code, count, address, &slot))
        return NULL;
    return image_slot_name(image, slot);
}

/* ---- exception tables ---- */

static uint64_t read_word(const uint8_t *p, unsigned bytes, bool is_signed)
{
    uint64_t value = 0;
    memcpy(&value, p, bytes);
    if (is_signed && bytes == 4)
        value = (uint64_t)(int64_t)(int32_t)value;
    if (is_signed && bytes == 2)
        value = (uint64_t)(int64_t)(int16_t)value;
    return value;
}

static unsigned pointer_bytes(uint8_t encoding)
{
    switch (encoding & 7) {
    case 2:
        return 2;
    case 3:
        return 4;
    default:
        return (encoding & 15) == 1 ? 0 : 8;
    }
}

uint64_t image_read_uleb(const uint8_t **p, const uint8_t *end)
{
    uint64_t value = 0;
    for (unsigned shift = 0; *p < end; shift += 7) {
        uint8_t byte = *(*p)++;
        if (shift < 64)
            value |= (uint64_t)(byte & 127) << shift;
        if (!(byte & 128))
            break;
    }
    return value;
}

bool image_read_pointer(const uint8_t **p, const uint8_t *end, uint8_t encoding, uint64_t address,
                        uint64_t *value)
{
    if ((encoding & 0xf) == 1 && !(encoding & 0xf0)) {
        *value = image_read_uleb(p, end);
        return true;
    }
    unsigned bytes = pointer_bytes(encoding);
    if (!bytes || end - *p < (ptrdiff_t)bytes || (encoding & 0xe0))
        return false;
    *value = read_word(*p, bytes, (encoding & 8) != 0);
    if ((encoding & 0x10) && *value) /* relative to itself; 0 stays none */
        *value += address;
    *p += bytes;
    return true;
}

/* Encodings of a common information entry: of code addresses, and of exception tables (0xff: none).
 * False if it can't be read. */
static bool read_cie(const uint8_t *p, const uint8_t *end, uint8_t *code, uint8_t *table)
{
    *code = 0;
    *table = 0xff;
    const char *letters = (const char *)++p; /* after the version */
    while (p < end && *p)
        p++;
    if (++p >= end || *letters != 'z')
        return *letters == 0;
    image_read_uleb(&p, end);
    image_read_uleb(&p, end);
    image_read_uleb(&p, end); /* return address register */
    image_read_uleb(&p, end); /* length of what follows */
    for (letters++; *letters && p < end; letters++)
        switch (*letters) {
        case 'R':
            *code = *p++;
            break;
        case 'L':
            *table = *p++;
            break;
        case 'P': {
            unsigned bytes = pointer_bytes(*p);
            if (!bytes)
                return false;
            p += 1 + bytes;
            break;
        }
        case 'S':
        case 'B':
            break;
        default:
            return false;
        }
    return p <= end;
}

/* Marks the functions whose frame description names an exception table. What can't be read marks
 * everything: then nothing is called dead. */
static bool mark_handlers(Image *image, const Section *frames)
{
    const uint8_t *p = frames->bytes, *end = p + frames->size;
    while (end - p >= 8) {
        uint64_t length = read_word(p, 4, false);
        const uint8_t *entry = p + 4;
        if (!length)
            break;
        if (length == UINT32_MAX || length > (uint64_t)(end - entry))
            return false;
        p = entry + length;
        uint64_t back = read_word(entry, 4, false);
        if (!back)
            continue; /* a common entry */
        const uint8_t *cie = entry - back;
        if (cie < frames->bytes || cie + 12 > end)
            return false;
        uint8_t code, table;
        if (!read_cie(cie + 8, MIN(end, cie + 4 + read_word(cie, 4, false)), &code, &table))
            return false;
        unsigned bytes = pointer_bytes(code);
        const uint8_t *field = entry + 4;
        if (!bytes || (code & 0x70 & ~0x10) || field + 2 * bytes > p)
            return false;
        uint64_t address = read_word(field, bytes, (code & 8) != 0);
        if (code & 0x10)
            address += frames->address + (uint64_t)(field - frames->bytes);
        field += 2 * bytes;
        if (table == 0xff)
            continue;
        uint64_t extra = image_read_uleb(&field, p);
        uint64_t handlers;
        if (!extra ||
            !image_read_pointer(&field, p, table,
                                frames->address + (uint64_t)(field - frames->bytes), &handlers))
            handlers = IMAGE_UNREADABLE;
        uint32_t f = image_function_with(image, address);
        if (f != IMAGE_NO_FUNCTION && handlers)
            image->functions.at[f].handlers =
                image->functions.at[f].address == address ? handlers : IMAGE_UNREADABLE;
    }
    return true;
}

static void find_handlers(Image *image)
{
    Elf_Scn *scn = NULL;
    size_t names;
    if (elf_getshdrstrndx(image->elf, &names))
        return;
    bool understood = true;
    while ((scn = elf_nextscn(image->elf, scn))) {
        GElf_Shdr header;
        if (!gelf_getshdr(scn, &header))
            continue;
        const char *name = elf_strptr(image->elf, names, header.sh_name);
        if (!name || strcmp(name, ".eh_frame"))
            continue;
        Elf_Data *data = elf_rawdata(scn, NULL);
        if (data && data->d_buf)
            understood =
                mark_handlers(image, &(Section){header.sh_addr, data->d_size, data->d_buf, false});
    }
    for (size_t i = 0; i < image->functions.count && !understood; i++)
        image->functions.at[i].handlers = IMAGE_UNREADABLE;
}

/* ---- opening ---- */

bool image_open(Arena *arena, const char *path, Image **out, Error *error)
{
    Image *image = arena_new_of(arena, Image);
    image->arena = arena;
    elf_version(EV_CURRENT);
    image->fd = file_open(path, error);
    if (image->fd < 0)
        return false;
    image->elf = elf_begin(image->fd, ELF_C_READ_MMAP, NULL);
    GElf_Ehdr header;
    bool ok = image->elf && gelf_getehdr(image->elf, &header);
    image->isa = ok ? isa_of(header.e_machine) : NULL;
    if (!image->isa || header.e_type != ET_EXEC) {
        image_close(image);
        return error_set(error, "%s: not an executable with fixed addresses whose code can be read",
                         path);
    }
    if (!read_sections(image, error, path)) {
        image_close(image);
        return false;
    }
    sort_functions(image);
    if (image->slots.count)
        qsort(image->slots.at, image->slots.count, sizeof *image->slots.at, compare_slots);
    find_handlers(image);
    *out = image;
    return true;
}

const Isa *image_isa(const Image *image)
{
    return image->isa;
}

void image_close(Image *image)
{
    if (image->elf)
        elf_end(image->elf);
    if (image->fd >= 0)
        close(image->fd);
    vec_free(&image->sections);
    vec_free(&image->functions);
    vec_free(&image->slots);
}
