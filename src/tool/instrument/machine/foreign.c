#include "tool/instrument/machine/foreign.h"
#include <capstone/capstone.h>
#include <fcntl.h>
#include <gelf.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "tool/instrument/machine/watchable.h"

typedef struct Function {
    const char *name;
    uint64_t address, size;
    unsigned section;
    const uint8_t *code;
} Function;
typedef Vec(Function) Functions;

typedef struct Sight { /* what is known of the function that is looked at */
    csh handle;
    Elf *program;
    bool frame;   /* rbp is a frame pointer */
    bool exposed; /* an address of the stack is taken */
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

static bool is_constant(Elf *program, uint64_t address)
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

/* A byte of the instructions that do nothing, which fill the space between functions. */
static bool is_filling(uint8_t byte)
{
    static const uint8_t bytes[] = {0x90, 0x66, 0x0f, 0x1f, 0x2e, 0x84,
                                    0x40, 0x44, 0x80, 0x00, 0xcc};
    return memchr(bytes, byte, sizeof bytes) != NULL;
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
static bool is_covered(Elf *elf, const Functions *functions)
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
                if (!is_filling(((const uint8_t *)data->d_buf)[at]))
                    return false;
        }
    }
    return true;
}

/* The function NAME of the program, if there is one of that name and size only. */
static bool find_function(Elf *program, const Functions *functions, const Function *wanted,
                          Function *out)
{
    unsigned found = 0;
    for (size_t i = 0; i < functions->count; i++)
        if (!strcmp(functions->at[i].name, wanted->name)) {
            *out = functions->at[i];
            found++;
        }
    GElf_Shdr header;
    Elf_Scn *section;
    if (found != 1 || out->size != wanted->size || !out->size ||
        !section_of(program, out->address, &header, &section) || header.sh_type != SHT_PROGBITS)
        return false;
    Elf_Data *data = elf_getdata(section, NULL);
    if (!data || !data->d_buf || out->address - header.sh_addr + out->size > data->d_size)
        return false;
    out->code = (const uint8_t *)data->d_buf + (out->address - header.sh_addr);
    return true;
}

/* ---- instructions ---- */

/* Is it an access that others can't see: to the function's own frame, or to what is the thread's?
 */
static bool is_own(const Sight *sight, const cs_insn *in, const x86_op_mem *memory)
{
    if (memory->segment == X86_REG_FS || memory->segment == X86_REG_GS)
        return true;
    bool frame = memory->base == X86_REG_RSP || (memory->base == X86_REG_RBP && sight->frame);
    if (frame)
        return !sight->exposed;
    if (memory->base == X86_REG_RIP)
        return is_constant(sight->program, in->address + in->size + (uint64_t)memory->disp);
    /* a table by its address */
    return memory->base == X86_REG_INVALID && memory->disp > 0 &&
           is_constant(sight->program, (uint64_t)memory->disp);
}

/* False: the instruction can't be watched. */
static bool look(Sight *sight, const cs_insn *in)
{
    unsigned place;
    LinkWatch watch;
    if (watchable_touches_nothing(in))
        return true;
    const cs_x86_op *operand = watchable_memory(in, &place);
    if (!watchable_is_string(in)) {
        bool shared = operand && !is_own(sight, in, &operand->mem);
        if (watchable_is_beyond(in, shared))
            return false;
        if (!shared)
            return true;
    }
    if (!watchable_make(in, &watch))
        return false;
    watch.kind = WATCH_FOREIGN;
    vec_push(sight->watches, watch);
    return true;
}

/* rbp is set up as a frame pointer; an address of the stack is computed. */
static void look_at_frame(Sight *sight, const cs_insn *in)
{
    const cs_x86 *x86 = &in->detail->x86;
    bool from_stack = false;
    if (watchable_starts(in, "mov") && x86->op_count == 2 && x86->operands[1].type == X86_OP_REG &&
        x86->operands[1].reg == X86_REG_RSP) {
        sight->frame |= x86->operands[0].reg == X86_REG_RBP;
        from_stack = x86->operands[0].reg != X86_REG_RBP;
    }
    if (watchable_starts(in, "lea") && x86->op_count == 2) {
        unsigned base = x86->operands[1].mem.base;
        from_stack =
            (base == X86_REG_RSP || base == X86_REG_RBP) && x86->operands[0].reg != X86_REG_RSP;
    }
    sight->exposed |= from_stack;
}

/* Returns NULL, or the instruction that can't be watched. */
static const char *watch_function(Arena *arena, Sight *sight, const Function *function)
{
    const uint8_t *at = function->code;
    size_t bytes = function->size, before = sight->watches->count;
    uint64_t address = function->address;
    const char *beyond = NULL;
    cs_insn *in = cs_malloc(sight->handle);
    sight->frame = sight->exposed = false;
    while (cs_disasm_iter(sight->handle, &at, &bytes, &address, in))
        look_at_frame(sight, in);
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
    bool covered = own.count && is_covered(elf, &own);
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
    Sight sight = {.watches = watches};
    int fd = open(build->program, O_RDONLY | O_CLOEXEC);
    elf_version(EV_CURRENT);
    sight.program = fd >= 0 ? elf_begin(fd, ELF_C_READ, NULL) : NULL;
    if (cs_open(CS_ARCH_X86, CS_MODE_64, &sight.handle) != CS_ERR_OK)
        die("the disassembler does not start");
    cs_option(sight.handle, CS_OPT_DETAIL, CS_OPT_ON);
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
