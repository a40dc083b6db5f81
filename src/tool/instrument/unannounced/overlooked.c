#include "tool/instrument/unannounced/overlooked.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "tool/instrument/liveness/calls.h"

enum { ANY = UINT8_MAX, MOST_AHEAD = 24 /* instructions of one statement */ };

/* "__tsan_read8", "__tsan_unaligned_volatile_write16", "__tsan_write_range", "__tsan_vptr_read" */
static uint8_t bytes_of_hook(const char *name)
{
    size_t length = strlen(name), digits = 0;
    if (strstr(name, "_range"))
        return ANY;
    if (strstr(name, "vptr"))
        return 8;
    while (digits < length && name[length - digits - 1] >= '0' && name[length - digits - 1] <= '9')
        digits++;
    return (uint8_t)atoi(name + length - digits);
}

/* "__tsan_atomic32_load": 4; 0 if it is another function. */
static uint16_t bytes_of_atomic_load(const char *name)
{
    static const char begin[] = "__tsan_atomic";
    size_t bits = strncmp(name, begin, strlen(begin)) ? 0 : (size_t)atoi(name + strlen(begin));
    const char *end = strrchr(name, '_');
    return bits && !strcmp(end, "_load") ? (uint16_t)(bits / 8) : 0;
}

void rooms_after_call(Rooms *rooms, const char *name, uint32_t index, bool clang)
{
    bool plain =
        name && call_model(name).is_hook && !strstr(name, "atomic") && !strstr(name, "func_");
    if (!plain)
        *rooms = (Rooms){.left_behind = name && clang ? bytes_of_atomic_load(name) : 0,
                         .read_hook = CODE_NOWHERE,
                         .write_hook = CODE_NOWHERE};
    else if (strstr(name, "write") || strstr(name, "vptr_update"))
        rooms->writes = bytes_of_hook(name), rooms->write_hook = index;
    else
        rooms->reads = bytes_of_hook(name), rooms->read_hook = index;
}

bool overlooked_is_table(Elf *elf, uint64_t address)
{
    size_t names;
    GElf_Shdr header;
    if (elf_getshdrstrndx(elf, &names))
        return false;
    for (Elf_Scn *section = NULL; (section = elf_nextscn(elf, section));) {
        const char *name =
            gelf_getshdr(section, &header) ? elf_strptr(elf, names, header.sh_name) : NULL;
        if (name && address - header.sh_addr < header.sh_size && !strncmp(name, ".got", 4))
            return true;
    }
    return false;
}

bool overlooked_is_constant(const Image *image, const Code *code)
{
    size_t count;
    return code->memory.base == REG_UNKNOWN && !code->is_thread_local &&
           image_bytes(image, (uint64_t)code->memory.displacement, &count);
}

int32_t overlooked_sp_after(const Isa *isa, int32_t sp, const Code *code)
{
    int pointer = isa->stack_pointer;
    if (sp == SP_UNKNOWN)
        return SP_UNKNOWN;
    if (code->step && code->memory.base == pointer)
        return sp + (int32_t)code->step;
    if (code->kind == CODE_PUSH)
        return sp - 8;
    if (code->kind == CODE_POP)
        return sp + 8;
    if (code->dst != pointer && !(code->changes >> pointer & 1))
        return sp;
    if (code->kind == CODE_ADD)
        return sp + (int32_t)code->immediate;
    if (code->kind == CODE_ADDRESS && code->memory.base == pointer &&
        code->memory.index == REG_NONE)
        return sp + (int32_t)code->memory.displacement;
    return SP_UNKNOWN;
}

Rooms rooms_join(Rooms a, Rooms b)
{
    return (Rooms){.reads = MIN(a.reads, b.reads),
                   .writes = MIN(a.writes, b.writes),
                   .left_behind = a.left_behind == b.left_behind ? a.left_behind : 0,
                   .read_hook = a.read_hook == b.read_hook ? a.read_hook : CODE_NOWHERE,
                   .write_hook = a.write_hook == b.write_hook ? a.write_hook : CODE_NOWHERE};
}

void operand_decode(const Image *image, csh handle, cs_insn *scratch, const Code *code,
                    IsaOperand *out)
{
    size_t count;
    const uint8_t *bytes = image_bytes(image, code->address, &count);
    uint64_t address = code->address;
    memset(out, 0, sizeof *out);
    if (!bytes || !cs_disasm_iter(handle, &bytes, &count, &address, scratch))
        return;
    snprintf(out->text, sizeof out->text, "%s %s", scratch->mnemonic, scratch->op_str);
    image_isa(image)->operand(scratch, out);
}

bool overlooked_is_watched(const Watches *watches, const Code *code)
{
    for (size_t i = 0; i < watches->count; i++)
        if (watches->at[i].address == code->address)
            return true;
    return false;
}

bool overlooked_watch(Watches *watches, const Image *image, csh handle, cs_insn *scratch,
                      const Code *code, bool stores)
{
    IsaOperand operand;
    if (overlooked_is_watched(watches, code))
        return true;
    operand_decode(image, handle, scratch, code, &operand);
    bool fits = !operand.watch.bytes || (operand.watch.writes != 0) == stores;
    if (!operand.can_watch || operand.is_elsewhere || !fits || watches->count == LINK_WATCHES)
        return false;
    vec_push(watches, operand.watch);
    return true;
}

static bool is_same_place(const CodeMemory *a, const CodeMemory *b)
{
    return a->base == b->base && a->index == b->index && a->displacement == b->displacement;
}

static bool changes_register(const Isa *isa, const Code *code, int8_t reg)
{
    if (reg < 0)
        return false;
    if (code->kind == CODE_CALL)
        return !(isa->callee_saved >> reg & 1);
    return code->dst == reg || code->changes >> reg & 1;
}

/* A bit field is loaded, changed and stored, and only the store is announced. */
static bool is_stored_again(const CodeFunction *function, uint32_t index)
{
    const Code *load = &function->code.at[index];
    for (uint32_t i = index + 1; i < function->code.count && i < index + MOST_AHEAD; i++) {
        const Code *code = &function->code.at[i], *before = &function->code.at[i - 1];
        if (code->kind == CODE_CALL || code->leader ||
            changes_register(function->isa, before, load->memory.base) ||
            changes_register(function->isa, before, load->memory.index))
            return false;
        if (code->memory.bytes && code->memory.writes &&
            is_same_place(&code->memory, &load->memory))
            return true;
    }
    return false;
}

/* The address of a virtual function is loaded from a constant table: the register is called next.
 */
static bool is_called(const CodeFunction *function, uint32_t index)
{
    int8_t target = function->code.at[index].dst;
    for (uint32_t i = index + 1; target >= 0 && i < function->code.count && i < index + MOST_AHEAD;
         i++) {
        const Code *code = &function->code.at[i];
        if (code->kind == CODE_CALL || code->flow == FLOW_TAIL)
            return code->callee_name == NULL && code->callee == IMAGE_NO_FUNCTION &&
                   code->reads >> target & 1;
        if (code->leader || code->flow != FLOW_NEXT || code->dst == target)
            return false;
    }
    return false;
}

bool overlooked_is_excused(const CodeFunction *function, uint32_t index)
{
    return is_stored_again(function, index) || is_called(function, index);
}

/* How the address that the hook at index HOOK gets is named, and by which instruction it is set. */
static bool find_address(const CodeFunction *function, uint32_t hook, uint32_t *set,
                         CodeMemory *place)
{
    int first = function->isa->arguments[0];
    for (uint32_t i = hook; i-- > 0 && hook - i <= MOST_AHEAD;) {
        const Code *code = &function->code.at[i];
        if (code->kind == CODE_CALL || code[1].leader || code->flow != FLOW_NEXT)
            return false;
        if (code->dst != first && !(code->changes >> first & 1))
            continue;
        *set = i;
        if (code->kind == CODE_ADDRESS)
            *place = code->memory;
        else if (code->kind == CODE_MOVE && code->src >= 0 && !code->memory.bytes)
            *place = (CodeMemory){.base = code->src, .index = REG_NONE};
        else
            return false;
        return true;
    }
    return false;
}

bool overlooked_is_of(const CodeFunction *function, uint32_t hook, uint32_t index, unsigned bytes)
{
    const Code *access = &function->code.at[index];
    const char *name = function->code.at[hook].callee_name;
    CodeMemory place;
    uint32_t set;
    if (index < hook || !name || !bytes || bytes > bytes_of_hook(name) ||
        !find_address(function, hook, &set, &place) || !is_same_place(&place, &access->memory))
        return false;
    for (uint32_t i = set + 1; i < index; i++) {
        const Code *code = &function->code.at[i];
        if (code->flow == FLOW_JUMP || code->flow == FLOW_TABLE ||
            changes_register(function->isa, code, place.base) ||
            changes_register(function->isa, code, place.index))
            return false;
    }
    return true;
}

bool overlooked_is_instrumented(const CodeFunction *function)
{
    bool calls = false;
    for (size_t i = 0; i < function->code.count; i++) {
        const Code *code = &function->code.at[i];
        if (code->kind != CODE_CALL)
            continue;
        if (code->callee_name && !strncmp(code->callee_name, "__tsan_", 7))
            return true;
        calls |= !call_is_added(code->callee_name);
    }
    return !calls;
}

static bool take(uint16_t *room, unsigned bytes)
{
    if (*room == ANY)
        return true;
    if (!bytes || bytes > *room)
        return false;
    *room = (uint16_t)(*room - bytes);
    return true;
}

bool rooms_take(Rooms *rooms, const CodeFunction *function, uint32_t index,
                const IsaOperand *operand, uint32_t *hook)
{
    *hook = CODE_NOWHERE;
    const LinkWatch *watch = &operand->watch;
    unsigned bytes = watch->bytes;
    if (operand->is_elsewhere)
        return true;
    if (!operand->is_known)
        return rooms->reads == ANY || rooms->writes == ANY;
    bool string = !bytes, reads = string ? !watch->writes : watch->writes != 1;
    bool announced = true;
    if (reads && !watch->writes && bytes && bytes == rooms->left_behind) {
        rooms->left_behind = 0;
        return true;
    }
    if (reads && !take(&rooms->reads, bytes)) {
        bool merged =
            bytes && bytes <= rooms->writes && (watch->writes || is_stored_again(function, index));
        announced = merged || (bytes == 8 && is_called(function, index));
        *hook = rooms->read_hook;
    }
    if ((watch->writes || string) && !take(&rooms->writes, bytes)) {
        announced = false;
        *hook = rooms->write_hook;
    }
    return announced;
}
