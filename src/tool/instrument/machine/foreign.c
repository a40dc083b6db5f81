#include "tool/instrument/machine/foreign.h"
#include <capstone/capstone.h>
#include <fcntl.h>
#include <gelf.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "base/file.h"
#include "tool/instrument/isa/isa.h"

typedef struct Function {
    const char *name;
    uint64_t address, size;
    unsigned section;
    const uint8_t *code;
} Function;
typedef Vec(Function) Functions;

typedef struct Sight {
    const IsaForeign *isa;
    csh handle;
    Elf *program;
    bool shared; /* a library's: addresses count from where it is loaded */
    IsaSight of;
    Watches *watches;
} Sight;

/* The section of PROGRAM that ADDRESS lies in; false if none does. */
static bool section_of(Elf *program, uint64_t address, GElf_Shdr *header, Elf_Scn **where)
{
    for (Elf_Scn *section = NULL; (section = elf_nextscn(program, section));)
        if (gelf_getshdr(section, header) && header->sh_flags & SHF_ALLOC &&
            !(header->sh_flags & SHF_TLS) && address - header->sh_addr < header->sh_size) {
            *where = section;
            return true;
        }
    return false;
}

static bool is_constant(void *program, uint64_t address)
{
    GElf_Shdr header;
    Elf_Scn *section;
    return section_of(program, address, &header, &section) && !(header.sh_flags & SHF_WRITE);
}

static void add_function(void *context, const char *name, const GElf_Sym *symbol)
{
    Functions *functions = context;
    vec_push(functions, ((Function){.name = name,
                                    .address = symbol->st_value,
                                    .size = symbol->st_size,
                                    .section = symbol->st_shndx}));
}

/* The first byte of the section from AT on that no function has; and where the next one begins. */
static uint64_t end_of_functions(const Functions *functions, size_t section, uint64_t at,
                                 uint64_t end, uint64_t *next)
{
    for (bool grew = true; grew;) {
        grew = false;
        *next = end;
        for (size_t i = 0; i < functions->count; i++) {
            const Function *f = &functions->at[i];
            if (f->section != section || f->address + f->size <= at)
                continue;
            if (f->address <= at) {
                at = f->address + f->size;
                grew = true;
            } else {
                *next = MIN(*next, f->address);
            }
        }
    }
    return at;
}

/* Is all code of the object ELF part of FUNCTIONS? A stripped object has code without a name. */
static bool is_covered(const IsaForeign *isa, Elf *elf, const Functions *functions)
{
    GElf_Shdr header;
    for (Elf_Scn *section = NULL; (section = elf_nextscn(elf, section));) {
        Elf_Data *data;
        if (!gelf_getshdr(section, &header) || !(header.sh_flags & SHF_EXECINSTR) ||
            !header.sh_size)
            continue;
        if (!(data = elf_getdata(section, NULL)) || data->d_size < header.sh_size)
            return false;
        for (uint64_t at = 0, next; at < header.sh_size; at = next) {
            at = end_of_functions(functions, elf_ndxscn(section), at, header.sh_size, &next);
            for (; at < next; at++)
                if (!isa->is_filling(((const uint8_t *)data->d_buf)[at]))
                    return false;
        }
    }
    return true;
}

/* The runtime's code is renamed when it is made (Makefile). */
static bool is_runtime(Elf *program, const Function *function)
{
    size_t names;
    GElf_Shdr header;
    Elf_Scn *section = elf_getscn(program, function->section);
    const char *name =
        section && gelf_getshdr(section, &header) && !elf_getshdrstrndx(program, &names)
            ? elf_strptr(program, names, header.sh_name)
            : NULL;
    return name && !strcmp(name, "heddle_text");
}

/* The function WANTED of the program, if there is one of that name and size only. */
static bool find_function(Elf *program, const Functions *functions, const Function *wanted,
                          Function *out)
{
    unsigned found = 0;
    for (size_t i = 0; i < functions->count; i++)
        if (functions->at[i].size == wanted->size && !strcmp(functions->at[i].name, wanted->name) &&
            !is_runtime(program, &functions->at[i])) {
            *out = functions->at[i];
            found++;
        }
    GElf_Shdr header;
    Elf_Scn *section;
    if (found != 1 || !out->size || !section_of(program, out->address, &header, &section) ||
        header.sh_type != SHT_PROGBITS)
        return false;
    Elf_Data *data = elf_getdata(section, NULL);
    if (!data || !data->d_buf || out->address - header.sh_addr + out->size > data->d_size)
        return false;
    out->code = (const uint8_t *)data->d_buf + (out->address - header.sh_addr);
    return true;
}

/* False: the instruction can't be watched. */
static bool look(Sight *sight, const cs_insn *in)
{
    LinkWatch watch;
    IsaLook seen = sight->isa->look(&sight->of, in, &watch);
    watch.foreign = 1;
    if (seen == ISA_WATCHED)
        vec_push(sight->watches, watch);
    return seen != ISA_BEYOND;
}

/* Returns NULL, or the instruction that can't be watched. */
static const char *watch_function(Arena *arena, Sight *sight, const Function *function)
{
    const uint8_t *at = function->code;
    size_t bytes = function->size, before = sight->watches->count;
    uint64_t address = function->address;
    const char *beyond = NULL;
    cs_insn *in = cs_malloc(sight->handle);
    /* what is taken out of line has the frame of another function, whose addresses may be taken */
    const char *apart = function->name ? strstr(function->name, ".cold") : NULL;
    sight->of = (IsaSight){
        .context = sight->program, .is_constant = is_constant, .exposed = sight->shared || apart};
    while (cs_disasm_iter(sight->handle, &at, &bytes, &address, in))
        sight->isa->look_at_frame(in, &sight->of);
    if (bytes)
        beyond = "an unknown instruction";
    at = function->code, bytes = function->size, address = function->address;
    while (!beyond && cs_disasm_iter(sight->handle, &at, &bytes, &address, in))
        if (sight->watches->count >= LINK_WATCHES || !look(sight, in))
            beyond = arena_printf(arena, "%s %s", in->mnemonic, in->op_str);
    cs_free(in, 1);
    if (beyond)
        sight->watches->count = before;
    return beyond;
}

const char *foreign_watch_code(Arena *arena, const Isa *isa, size_t handle, Elf *library,
                               const uint8_t *code, uint64_t address, uint64_t size,
                               Watches *watches)
{
    Sight sight = {.isa = isa->foreign,
                   .handle = handle,
                   .program = library,
                   .shared = true,
                   .watches = watches};
    Function function = {.address = address, .size = size, .code = code};
    return watch_function(arena, &sight, &function);
}

/* ---- code that is copied ---- */

static bool look_at_leap(Sight *sight, const cs_insn *in)
{
    LinkWatch watch;
    if (!sight->isa->look_at_leap(in, &watch))
        return false;
    vec_push(sight->watches, watch);
    return true;
}

/* Notes where the displacement of an operand relative to the instruction stands; false if that is
 * not certain. */
static bool look_at_move(const Sight *sight, const cs_insn *in, ForeignCopy *copy)
{
    unsigned at;
    bool fine = sight->isa->find_displacement(in, &at);
    if (fine && at)
        vec_push(&copy->moves, (uint32_t)(in->address + at));
    return fine;
}

typedef Vec(uint64_t) JumpTargets;

/* Does a jump of the function go to the middle of the instruction? The C library passes over the
 * prefix of locked instructions so, while there is one thread. */
static bool is_entered_inside(const JumpTargets *targets, const cs_insn *in)
{
    for (size_t i = 0; i < targets->count; i++)
        if (targets->at[i] > in->address && targets->at[i] < in->address + in->size)
            return true;
    return false;
}

void foreign_copy_code(const Isa *isa, size_t handle, Elf *library, const uint8_t *code,
                       uint64_t address, uint64_t size, Watches *watches, ForeignCopy *copy)
{
    Sight sight = {.isa = isa->foreign,
                   .handle = handle,
                   .shared = true,
                   .of = {.context = library, .is_constant = is_constant, .copied = true},
                   .watches = watches};
    JumpTargets targets = {0};
    const uint8_t *at = code;
    size_t bytes = size;
    uint64_t next = address, target;
    cs_insn *in = cs_malloc(handle);
    while (cs_disasm_iter(handle, &at, &bytes, &next, in))
        if (sight.isa->is_jump(handle, in, &target))
            vec_push(&targets, target);
    at = code, bytes = size, next = address;
    while (cs_disasm_iter(handle, &at, &bytes, &next, in)) {
        size_t before = watches->count;
        bool fine = !is_entered_inside(&targets, in) && look_at_move(&sight, in, copy) &&
                    (look_at_leap(&sight, in) || look(&sight, in));
        if (!fine) {
            watches->count = before;
            vec_push(&copy->gaps,
                     ((LinkGap){(uint32_t)in->address, (uint32_t)(in->address + in->size)}));
        }
        for (size_t i = before; i < watches->count; i++)
            watches->at[i].foreign = 0; /* its accesses are known to be plain */
    }
    if (bytes) /* an instruction that is not understood, and what follows */
        vec_push(&copy->gaps, ((LinkGap){(uint32_t)next, (uint32_t)(address + size)}));
    vec_free(&targets);
    cs_free(in, 1);
}

/* ---- objects ---- */

/* Has one of the functions before number I the same code, under another name? */
static bool is_alias(const Functions *functions, size_t i)
{
    for (size_t k = 0; k < i; k++)
        if (functions->at[k].address == functions->at[i].address &&
            functions->at[k].section == functions->at[i].section)
            return true;
    return false;
}

static void watch_object(Arena *arena, Sight *sight, const Functions *functions,
                         const Escape *escape, Escapes *out)
{
    union {
        const void *constant;
        char *plain;
    } bytes = {escape->whole->bytes};
    Elf *elf = elf_memory(bytes.plain, escape->whole->size);
    Functions own = {0};
    if (elf)
        escapes_each_function(elf, add_function, &own);
    bool covered = own.count && is_covered(sight->isa, elf, &own);
    if (!covered)
        vec_push(out, *escape);
    for (size_t i = 0; covered && i < own.count; i++) {
        if (is_alias(&own, i))
            continue;
        Function function = {0};
        Escape one = *escape;
        one.function = arena_printf(arena, "%s", own.at[i].name);
        one.whole = NULL;
        one.why = "an instruction of an object not compiled by heddle";
        if (!find_function(sight->program, functions, &own.at[i], &function)) {
            one.instruction = "the function";
            vec_push(out, one);
            continue;
        }
        one.instruction = watch_function(arena, sight, &function);
        one.address = function.address;
        if (one.instruction)
            vec_push(out, one);
    }
    vec_free(&own);
    elf_end(elf);
}

static int by_address(const void *a, const void *b)
{
    uint64_t left = ((const LinkWatch *)a)->address, right = ((const LinkWatch *)b)->address;
    return (left > right) - (left < right);
}

bool foreign_watch(Arena *arena, const Build *build, Escapes *escapes, Watches *watches)
{
    Escapes kept = {0};
    Functions functions = {0};
    size_t before = watches->count;
    Sight sight = {.isa = build->isa->foreign, .watches = watches};
    if (!sight.isa)
        return false;
    int fd = file_open(build->program, NULL);
    elf_version(EV_CURRENT);
    sight.program = fd >= 0 ? elf_begin(fd, ELF_C_READ, NULL) : NULL;
    build->isa->open(&sight.handle);
    if (sight.program)
        escapes_each_function(sight.program, add_function, &functions);
    for (size_t i = 0; i < escapes->count; i++)
        if (sight.program && escapes->at[i].whole)
            watch_object(arena, &sight, &functions, &escapes->at[i], &kept);
        else
            vec_push(&kept, escapes->at[i]);
    vec_free(escapes);
    *escapes = kept;
    if (watches->count)
        qsort(watches->at, watches->count, sizeof *watches->at, by_address);
    vec_free(&functions);
    cs_close(&sight.handle);
    elf_end(sight.program);
    if (fd >= 0)
        close(fd);
    return watches->count > before;
}
