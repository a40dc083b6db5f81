/* Escapes are known by the names of their functions (as the assembler has them), by whole objects
 * or by whole libraries; the program's symbol table says where these are. A name may belong to
 * several static functions: then each is a place, which errs on the side of caution. */
#include <errno.h>
#include <fcntl.h>
#include <gelf.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>
#include "base/hash.h"
#include "base/file.h"
#include "tool/instrument/machine/demangle.h"
#include "tool/instrument/machine/escapes.h"
#include "tool/instrument/shared/file.h"

typedef struct Function {
    uint64_t key; /* hash of the name */
    uint64_t address;
} Function;
typedef Vec(Function) Functions;

static uint64_t key_of(const char *name)
{
    return hash_bytes(name, strlen(name), 0);
}

void escapes_each_function(Elf *elf, void (*see)(void *, const char *, const GElf_Sym *),
                           void *context)
{
    for (Elf_Scn *section = NULL; (section = elf_nextscn(elf, section));) {
        GElf_Shdr table, home;
        Elf_Data *data = NULL;
        if (!gelf_getshdr(section, &table) || table.sh_type != SHT_SYMTAB ||
            !(data = elf_getdata(section, NULL)))
            continue;
        GElf_Sym symbol;
        for (int i = 0; gelf_getsym(data, i, &symbol); i++) {
            unsigned type = GELF_ST_TYPE(symbol.st_info);
            Elf_Scn *in = symbol.st_shndx < SHN_LORESERVE ? elf_getscn(elf, symbol.st_shndx) : NULL;
            const char *name = elf_strptr(elf, table.sh_link, symbol.st_name);
            if (name && *name && in && symbol.st_shndx && gelf_getshdr(in, &home) &&
                home.sh_flags & SHF_EXECINSTR && (type == STT_FUNC || type == STT_NOTYPE))
                see(context, name, &symbol);
        }
    }
}

static void add_function(void *context, const char *name, const GElf_Sym *symbol)
{
    Functions *functions = context;
    vec_push(functions, ((Function){key_of(name), symbol->st_value}));
}

void escapes_each_dynamic(Elf *elf, void (*see)(void *, int64_t tag, const char *text),
                          void *context)
{
    for (Elf_Scn *section = NULL; (section = elf_nextscn(elf, section));) {
        GElf_Shdr header;
        Elf_Data *data = NULL;
        if (!gelf_getshdr(section, &header) || header.sh_type != SHT_DYNAMIC ||
            !(data = elf_getdata(section, NULL)))
            continue;
        GElf_Dyn entry;
        for (int i = 0; gelf_getdyn(data, i, &entry) && entry.d_tag != DT_NULL; i++)
            see(context, entry.d_tag, elf_strptr(elf, header.sh_link, entry.d_un.d_val));
    }
}

typedef struct Needed {
    const char *start; /* of the name of a library's file */
    bool is;
} Needed;

static void see_needed(void *context, int64_t tag, const char *text)
{
    Needed *needed = context;
    needed->is |= tag == DT_NEEDED && text && !strncmp(text, needed->start, strlen(needed->start));
}

/* Is the library NAME loaded when the program starts? Then its functions are called by name,
 * through the program's table of addresses, and each call of one is noted (guest/runtime/opaque.h).
 */
static bool is_shared(Elf *elf, const char *name)
{
    char start[256];
    snprintf(start, sizeof start, "lib%s.so", name);
    Needed needed = {.start = start};
    escapes_each_dynamic(elf, see_needed, &needed);
    return needed.is;
}

typedef struct Finder {
    Elf *program;
    const Functions *functions;
    EscapePlaces *out;
    uint32_t escape;
    size_t found;
} Finder;

static void add_places(Finder *finder, const char *name)
{
    uint64_t key = key_of(name);
    for (size_t i = 0; i < finder->functions->count; i++)
        if (finder->functions->at[i].key == key) {
            vec_push(finder->out,
                     ((EscapePlace){finder->functions->at[i].address, finder->escape}));
            finder->found++;
        }
}

static void add_named(void *context, const char *name, const GElf_Sym *symbol)
{
    (void)symbol;
    add_places(context, name);
}

static void each_function_of_object(const ObjectFile *object,
                                    void (*see)(void *, const char *, const GElf_Sym *),
                                    void *context)
{
    union {
        const void *constant;
        char *plain;
    } bytes = {object->bytes};
    Elf *elf = elf_memory(bytes.plain, object->size);
    if (elf)
        escapes_each_function(elf, see, context);
    elf_end(elf);
}

static void find_places(const Escape *escape, Finder *finder)
{
    if (escape->address) {
        vec_push(finder->out, ((EscapePlace){escape->address, finder->escape}));
        finder->found++;
    } else if (escape->whole) {
        each_function_of_object(escape->whole, add_named, finder);
    } else if (escape->function) {
        add_places(finder, escape->function);
    }
    if (!finder->found && !(escape->library && is_shared(finder->program, escape->library)))
        vec_push(finder->out, ((EscapePlace){0, finder->escape}));
}

bool escapes_places(const Build *build, const Escapes *escapes, EscapePlaces *out, Error *error)
{
    if (!escapes->count)
        return true;
    int fd = file_open(build->program, error);
    if (fd < 0)
        return false;
    elf_version(EV_CURRENT);
    Elf *elf = elf_begin(fd, ELF_C_READ, NULL);
    Functions functions = {0};
    if (elf)
        escapes_each_function(elf, add_function, &functions);
    for (size_t i = 0; i < escapes->count; i++) {
        Finder finder = {
            .program = elf, .functions = &functions, .out = out, .escape = (uint32_t)i};
        find_places(&escapes->at[i], &finder);
    }
    vec_free(&functions);
    elf_end(elf);
    close(fd);
    return true;
}

/* ---- code of whole objects ---- */

enum { IN_CHOSEN = 1, IN_OTHER = 2 }; /* objects that have a function of some name and size */

typedef struct Origins {
    HashMap objects; /* by the function's name and size */
    uint64_t side;   /* of the object that is read */
    CodeRanges *out;
} Origins;

static uint64_t shape_of(const char *name, const GElf_Sym *symbol)
{
    return hash_bytes(name, strlen(name), symbol->st_size);
}

static void note_origin(void *context, const char *name, const GElf_Sym *symbol)
{
    Origins *origins = context;
    bool fresh;
    *hashmap_put(&origins->objects, shape_of(name, symbol), &fresh) |= origins->side;
}

static void add_range(void *context, const char *name, const GElf_Sym *symbol)
{
    Origins *origins = context;
    const uint64_t *sides = hashmap_find(&origins->objects, shape_of(name, symbol));
    if (sides && *sides == IN_CHOSEN && symbol->st_size)
        vec_push(origins->out, ((CodeRange){symbol->st_value, symbol->st_value + symbol->st_size}));
}

static void note_origins(Origins *origins, const ObjectFiles *files, const Escapes *chosen)
{
    for (size_t i = 0; i < files->count; i++) {
        const ObjectFile *file = &files->at[i];
        if (file->left_out)
            continue;
        origins->side = IN_OTHER;
        for (size_t k = 0; k < chosen->count; k++)
            if (chosen->at[k].whole == file)
                origins->side = IN_CHOSEN;
        each_function_of_object(file, note_origin, origins);
    }
}

void escapes_only_code(const Build *build, const Escapes *objects, CodeRanges *out)
{
    Origins origins = {.out = out};
    LibraryFile program;
    if (!objects->count || !library_file_open(build->program, &program))
        return;
    note_origins(&origins, &build->objects, objects);
    note_origins(&origins, &build->members, objects);
    escapes_each_function(program.elf, add_range, &origins);
    hashmap_free(&origins.objects);
    library_file_close(&program);
}

/* Is WORD the name of the function as reports have it? */
static bool is_called(const Escape *escape, Str word)
{
    Arena *arena = arena_new();
    bool is = str_is(word, demangle(arena, escape->function));
    arena_free(arena);
    return is;
}

bool escapes_is_at(const Escape *escape, Str word)
{
    Str place = str_of(escape->place);
    const char *slash = memrchr(place.at, '/', place.length);
    Str base = slash ? (Str){slash + 1, place.length - (size_t)(slash + 1 - place.at)} : place;
    return str_equal(word, place) || str_equal(word, base) ||
           (escape->function && (str_is(word, escape->function) || is_called(escape, word))) ||
           (escape->library && (str_is(word, escape->library) ||
                                (str_starts(word, STR("library ")) &&
                                 str_is((Str){word.at + 8, word.length - 8}, escape->library))));
}
