#include "tool/instrument/machine/foreign.h"
#include <capstone/capstone.h>
#include <fcntl.h>
#include <gelf.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "base/file.h"
#include "tool/instrument/isa/x86_64/lanes.h"
#include "tool/instrument/isa/x86_64/locked.h"
#include "tool/instrument/isa/x86_64/operand.h"
#include "tool/instrument/isa/x86_64/x86_64.h"

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
    bool shared;  /* a library's: addresses count from where it is loaded */
    bool frame;   /* rbp is a frame pointer */
    bool exposed; /* an address of the stack is taken */
    bool copied;  /* the code will be copied: frames are its own, and every way out is watched */
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

bool foreign_is_filling(uint8_t byte)
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
                if (!foreign_is_filling(((const uint8_t *)data->d_buf)[at]))
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

/* ---- instructions ---- */

static bool starts(const cs_insn *in, const char *word)
{
    return !strncmp(in->mnemonic, word, strlen(word));
}

/* Is it an access that others can't see: to the function's own frame, or to what is the thread's?
 */
static bool is_own(const Sight *sight, const cs_insn *in, const x86_op_mem *memory)
{
    if (memory->segment == X86_REG_FS || memory->segment == X86_REG_GS)
        return true;
    if (sight->copied && memory->base == X86_REG_RSP)
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

static bool look_at_locked(Sight *sight, const cs_insn *in)
{
    LinkWatch watch;
    unsigned place;
    const cs_x86_op *operand = x86_memory_of(in, &place);
    if (operand && operand->mem.segment != X86_REG_INVALID)
        return true; /* thread-local */
    if (!x86_locked_decode(in, &watch))
        return false;
    watch.foreign = 1;
    vec_push(sight->watches, watch);
    return true;
}

/* False: the instruction can't be watched. */
static bool look(Sight *sight, const cs_insn *in)
{
    bool stores = false, string = x86_is_string(in, &stores);
    unsigned place = 0;
    LinkWatch watch;
    if (x86_touches_nothing(in))
        return true;
    if (!string && x86_lanes_are_in(in)) {
        if (!x86_lanes_decode(in, &watch))
            return false;
    } else {
        const cs_x86_op *operand = x86_memory_of(in, &place);
        bool shared = operand && !is_own(sight, in, &operand->mem);
        if (!string && x86_locked_is(in))
            return look_at_locked(sight, in);
        if (!string && x86_is_beyond(in, shared))
            return false;
        if (!string && !shared)
            return true;
        if (!x86_watch(in, &watch))
            return false;
    }
    watch.foreign = 1;
    vec_push(sight->watches, watch);
    return true;
}

/* rbp is set up as a frame pointer; an address of the stack is computed. */
static void look_at_frame(Sight *sight, const cs_insn *in)
{
    const cs_x86 *x86 = &in->detail->x86;
    bool from_stack = false;
    if (starts(in, "mov") && x86->op_count == 2 && x86->operands[1].type == X86_OP_REG &&
        x86->operands[1].reg == X86_REG_RSP) {
        sight->frame |= x86->operands[0].reg == X86_REG_RBP;
        from_stack = x86->operands[0].reg != X86_REG_RBP;
    }
    if (starts(in, "lea") && x86->op_count == 2) {
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
    /* what is taken out of line has the frame of another function, whose addresses may be taken */
    const char *apart = function->name ? strstr(function->name, ".cold") : NULL;
    sight->frame = false;
    sight->exposed = sight->shared || apart;
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

const char *foreign_watch_code(Arena *arena, size_t handle, Elf *library, const uint8_t *code,
                               uint64_t address, uint64_t size, Watches *watches)
{
    Sight sight = {.handle = handle, .program = library, .shared = true, .watches = watches};
    Function function = {.address = address, .size = size, .code = code};
    return watch_function(arena, &sight, &function);
}

/* ---- code that is copied ---- */

/* A jump or a call to an address that a register holds. */
static bool look_at_leap(Sight *sight, const cs_insn *in)
{
    bool jumps = in->id == X86_INS_JMP, calls = in->id == X86_INS_CALL;
    const cs_x86_op *operand = &in->detail->x86.operands[0];
    if ((!jumps && !calls) || !in->detail->x86.op_count || operand->type != X86_OP_REG)
        return false;
    vec_push(sight->watches, ((LinkWatch){.address = in->address,
                                          .length = (uint8_t)in->size,
                                          .goes = jumps ? 3 : 4,
                                          .base = (int8_t)x86_register(operand->reg)}));
    return true;
}

/* Notes where the displacement of an operand relative to the instruction stands; false if that is
 * not certain. */
static bool look_at_move(const cs_insn *in, ForeignCopy *copy)
{
    unsigned place, at = in->detail->x86.encoding.disp_offset;
    const cs_x86_op *operand = x86_memory_of(in, &place);
    if (!operand || operand->mem.base != X86_REG_RIP)
        return true;
    int32_t displacement;
    if (!at || at + sizeof displacement > in->size)
        return false;
    memcpy(&displacement, in->bytes + at, sizeof displacement);
    if (displacement != operand->mem.disp)
        return false;
    vec_push(&copy->moves, (uint32_t)(in->address + at));
    return true;
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

void foreign_copy_code(size_t handle, Elf *library, const uint8_t *code, uint64_t address,
                       uint64_t size, Watches *watches, ForeignCopy *copy)
{
    Sight sight = {
        .handle = handle, .program = library, .shared = true, .copied = true, .watches = watches};
    JumpTargets targets = {0};
    const uint8_t *at = code;
    size_t bytes = size;
    uint64_t next = address;
    cs_insn *in = cs_malloc(handle);
    while (cs_disasm_iter(handle, &at, &bytes, &next, in))
        if (cs_insn_group(handle, in, X86_GRP_JUMP) &&
            in->detail->x86.operands[0].type == X86_OP_IMM)
            vec_push(&targets, (uint64_t)in->detail->x86.operands[0].imm);
    at = code, bytes = size, next = address;
    while (cs_disasm_iter(handle, &at, &bytes, &next, in)) {
        size_t before = watches->count;
        bool fine = (in->bytes[0] != 0xf0 || !is_entered_inside(&targets, in)) &&
                    look_at_move(in, copy) && (look_at_leap(&sight, in) || look(&sight, in));
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
    if (!build->isa->can_watch)
        return false;
    int fd = file_open(build->program, NULL);
    elf_version(EV_CURRENT);
    sight.program = fd >= 0 ? elf_begin(fd, ELF_C_READ, NULL) : NULL;
    x86_open(&sight.handle);
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
