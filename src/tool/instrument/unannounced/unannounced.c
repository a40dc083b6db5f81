#include "tool/instrument/unannounced/unannounced.h"
#include <elfutils/libdw.h>
#include <gelf.h>
#include <stdlib.h>
#include <string.h>
#include "tool/instrument/liveness/calls.h"
#include "tool/instrument/liveness/code.h"
#include "tool/instrument/unannounced/overlooked.h"
#include "tool/instrument/unannounced/signature.h"
#include "tool/instrument/unannounced/look.h"

enum { FILLS = 1, FILLS_SEEN = 2 };

/* ---- values ---- */

static uint8_t base_leads_to(const State *state, const CodeMemory *memory)
{
    uint8_t to = memory->base >= 0 ? state->reg[memory->base] : TO_OTHER;
    if (memory->index >= 0 && state->reg[memory->index] == TO_STACK)
        return TO_STACK; /* (index, address) either way round */
    return to;
}

static bool is_slot(const State *state, const CodeMemory *memory)
{
    return memory->index == REG_NONE && memory->base >= 0 && memory->bytes == 8 &&
           base_leads_to(state, memory) == TO_STACK;
}

static uint8_t last_after(const char *name, uint8_t last)
{
    if (!call_model(name).is_hook || strstr(name, "atomic") || strstr(name, "func_"))
        return LAST_OTHER;
    if (strstr(name, "write") || strstr(name, "vptr_update"))
        return LAST_WRITE;
    return last & LAST_WRITE ? LAST_WRITE : LAST_READ;
}

/* ---- findings ---- */

/* Names it as the source does, if that is known. */
static const char *function_name(const Finder *f, uint32_t function, const char *otherwise)
{
    const char *name = NULL;
    if (function != IMAGE_NO_FUNCTION)
        name = signature_name(f->dwarf, image_functions(f->image)[function].address);
    name = name ? name : otherwise ? otherwise : "a function";
    return arena_copy(f->arena, name, strlen(name));
}

static bool loads_shared(const Look *look, const State *state, const Code *code);

static unsigned loaded_by(const Code *code);

static bool watch(const Finder *f, const Code *code, bool stores)
{
    return overlooked_watch(f->watches, f->image, f->handle, f->instruction, code, stores);
}

/* The loads that copy a structure onto the stack for CALL: they stand before it, up to the call
 * before or to a place where control comes from elsewhere. If these are not all that was counted,
 * nothing is watched. */
static bool watch_loads(Look *look, const Code *call)
{
    const Code *first = look->function->code.at;
    uint32_t end = (uint32_t)(call - first), from = end;
    unsigned counted = 0;
    while (from > 0 && !first[from].leader && first[from - 1].flow == FLOW_NEXT &&
           first[from - 1].kind != CODE_CALL) {
        from--;
        if (loads_shared(look, &look->states[from], &first[from]))
            counted += loaded_by(&first[from]);
    }
    if (counted < look->states[end].loaded)
        return false;
    for (uint32_t i = from; i < end; i++)
        if (loads_shared(look, &look->states[i], &first[i]) &&
            !watch(look->finder, &first[i], false))
            return false;
    return true;
}

static void found(Look *look, const Code *code, const Code *call, bool stores)
{
    Finder *f = look->finder;
    if (!f->report || (stores && f->clang))
        return;
    if (code != call ? watch(f, code, stores) : !stores && watch_loads(look, call))
        return;
    uint32_t self = look->function->function;
    const char *function = function_name(f, self, image_functions(f->image)[self].name);
    const char *place = signature_place(f->arena, f->dwarf, code->address);
    uint64_t entry = image_functions(f->image)[self].address;
    for (size_t i = 0; i < f->out->count; i++) /* a structure takes several stores */
        if (place && !strcmp(f->out->at[i].place, place) && f->out->at[i].address == entry)
            return;
    const char *callee = function_name(f, call->callee, call->callee_name);
    const char *why = arena_printf(
        f->arena,
        stores
            ? "where %s stores the structure that %s returns, which gcc does not announce (assign "
              "it to a local variable first, or use --cc=clang)"
            : "where %s gives a structure to %s by value, which compilers do not announce (give "
              "its "
              "address instead)",
        function, callee);
    vec_push(f->out, ((Escape){.place = place ? place : function,
                               .function = function,
                               .why = why,
                               .address = entry}));
}

/* Is it the operand of such an instruction that is handed over? */
static bool is_handed_over(const Look *look, const Code *code)
{
    const Finder *f = look->finder;
    uint64_t address = (uint64_t)code->memory.displacement;
    return f->handed_over && code->memory.base == REG_UNKNOWN && address >= f->handed_over &&
           address < f->handed_over + 16;
}

static void note_fresh_result(Finder *f, uint32_t callee)
{
    if (!f->fills_fresh[callee]) {
        f->fills_fresh[callee] = FILLS;
        f->grew = true;
    }
}

/* Notes an escape at CODE; INSTRUCTION may be NULL. */
static void report(const Look *look, const Code *code, const char *instruction, const char *why)
{
    Finder *f = look->finder;
    const ImageFunction *self = &image_functions(f->image)[look->function->function];
    const char *function = function_name(f, look->function->function, self->name);
    const char *place = signature_place(f->arena, f->dwarf, code->address);
    vec_push(f->out, ((Escape){.place = place ? place : function,
                               .function = function,
                               .instruction = instruction,
                               .why = why,
                               .address = self->address}));
}

/* A store to memory that nobody else knows races with nothing, but what it overwrites must come
 * back with the thread's stack. One that can't be watched is passed over, unless none can. */
static void watch_fresh(Look *look, const Code *code)
{
    Finder *f = look->finder;
    bool wanted = (f->report || f->fills) && !f->clang && !watch(f, code, true);
    if (wanted && !look->function->isa->foreign)
        report(look, code, NULL, "a store of a structure that gcc does not announce");
}

static void store(Look *look, State *state, const Code *code, uint8_t to)
{
    if (to == TO_STACK || code->is_thread_local || is_handed_over(look, code) || code->is_locked)
        return;
    if (state->last & (LAST_WRITE | LAST_WRITTEN)) {
        state->last = LAST_WRITTEN;
        return;
    }
    if (to == TO_RESULT) {
        look->stores_result = true;
        if (look->finder->fills)
            watch_fresh(look, code);
    } else if (to & (TO_OTHER | TO_FRESH) && state->last == LAST_OTHER &&
               state->call != CODE_NOWHERE) {
        const char *callee = look->function->code.at[state->call].callee_name;
        if (callee && strncmp(callee, "__tsan_", 7) == 0)
            return;
        if (to & TO_OTHER)
            found(look, code, &look->function->code.at[state->call], true);
        else
            watch_fresh(look, code);
    }
}

static bool loads_shared(const Look *look, const State *state, const Code *code)
{
    if (code->kind == CODE_STRING)
        return code->copies && state->reg[code->string_from] & TO_KNOWN;
    return code->memory.bytes && code->memory.reads && code->kind != CODE_ADDRESS &&
           base_leads_to(state, &code->memory) & TO_KNOWN && !code->is_thread_local &&
           !overlooked_is_constant(look->finder->image, code);
}

static unsigned loaded_by(const Code *code)
{
    return code->kind == CODE_STRING ? UINT8_MAX : code->memory.loaded;
}

/* Does the instruction access memory of one of the kinds TO? */
static bool accesses(const Look *look, const State *state, const Code *code, uint8_t to)
{
    if (code->kind == CODE_STRING) {
        return (code->copies || code->fills) &&
               (state->reg[code->string_to] & to || loads_shared(look, state, code));
    }
    return code->memory.bytes && code->kind != CODE_ADDRESS && code->kind != CODE_NOTHING &&
           base_leads_to(state, &code->memory) & to && !code->is_thread_local &&
           !overlooked_is_constant(look->finder->image, code) && !is_handed_over(look, code) &&
           !(code->memory.base == REG_UNKNOWN &&
             overlooked_is_table(image_elf(look->finder->image),
                                 (uint64_t)code->memory.displacement));
}

/* An access that no hook announces is watched, or reported with its place; not the latter if
 * nobody else knows the memory. */
static void overlooked(Look *look, const State *state, const Code *code, const IsaOperand *operand)
{
    Finder *f = look->finder;
    if (!f->report || overlooked_is_watched(f->watches, code))
        return;
    if (operand->can_watch && f->watches->count < LINK_WATCHES) {
        vec_push(f->watches, operand->watch);
        return;
    }
    if (!accesses(look, state, code, TO_OTHER))
        return;
    report(look, code, arena_copy(f->arena, operand->text, strlen(operand->text)),
           "an access that the compiler does not announce");
}

/* Is it an access that the runtime has to know of? */
static bool is_shared(const Look *look, const State *state, const Code *code)
{
    return accesses(look, state, code, TO_KNOWN);
}

/* More bytes were accessed after the hook than it announces. If one of the accesses is known to be
 * its own, the others are not: they are watched. Returns whether that is so. */
static bool overlook_others(Look *look, uint32_t hook)
{
    const CodeFunction *function = look->function;
    const Finder *f = look->finder;
    uint32_t own = CODE_NOWHERE, count = (uint32_t)function->code.count;
    for (uint32_t i = hook; i < 2 * count - hook; i++) { /* twice: to find it, and the others */
        uint32_t at = i < count ? i : i - count + hook;
        const Code *code = &function->code.at[at];
        const State *state = &look->states[at];
        bool write = state->rooms.write_hook == hook;
        IsaOperand operand;
        if (!state->last || (!write && state->rooms.read_hook != hook) ||
            !is_shared(look, state, code) || !(write ? code->memory.writes : code->memory.reads))
            continue;
        operand_decode(f->image, f->handle, f->instruction, code, &operand);
        if (i < count && overlooked_is_of(function, hook, at, operand.watch.bytes))
            own = MIN(own, at);
        else if (i >= count && own != CODE_NOWHERE && at != own && !operand.is_elsewhere &&
                 !overlooked_is_excused(function, at))
            overlooked(look, state, code, &operand);
    }
    return own != CODE_NOWHERE;
}

static void account(Look *look, State *state, const Code *code, uint32_t index)
{
    IsaOperand operand;
    if (!is_shared(look, state, code))
        return;
    operand_decode(look->finder->image, look->finder->handle, look->finder->instruction, code,
                   &operand);
    uint32_t hook;
    if (rooms_take(&state->rooms, look->function, index, &operand, &hook) || !look->finder->report)
        return;
    if (hook == CODE_NOWHERE || !overlook_others(look, hook))
        overlooked(look, state, code, &operand);
}

static void load(const Look *look, State *state, const Code *code)
{
    if (!loads_shared(look, state, code))
        return;
    state->loaded = (uint8_t)MIN(state->loaded + loaded_by(code), UINT8_MAX);
}

/* A call with a structure by value: it was copied onto the stack since the call before. The hook of
 * a read announces 16 bytes at most, that of a range any number. */
static void check_arguments(Look *look, const State *state, const Code *code)
{
    const Code *before = state->call != CODE_NOWHERE ? &look->function->code.at[state->call] : NULL;
    bool range = before && before->callee_name && strstr(before->callee_name, "_range");
    if (state->loaded > 16 && !range)
        found(look, code, code, false);
}

/* ---- instructions ---- */

static void call(Look *look, State *state, const Code *code, uint32_t index)
{
    Finder *f = look->finder;
    const Isa *isa = look->function->isa;
    uint8_t to = state->reg[isa->result_place];
    bool unknown = code->callee == IMAGE_NO_FUNCTION && !code->callee_name;
    if (code->callee != IMAGE_NO_FUNCTION && f->returns_memory[code->callee]) {
        if (to & TO_OTHER)
            found(look, code, code, true);
        else if (to & TO_RESULT)
            look->stores_result = true;
        if (f->fills ? to & TO_RESULT : f->report && to & TO_FRESH)
            note_fresh_result(f, code->callee);
    } else if (unknown && (to == TO_RESULT || to == TO_FRESH)) {
        look->stores_result |= to == TO_RESULT;
        if (f->fills ? to == TO_RESULT : f->report && to == TO_FRESH)
            for (uint32_t i = 0; i < image_function_count(f->image); i++)
                if (f->returns_memory[i]) /* it may be any of these */
                    note_fresh_result(f, i);
    }
    if (code->callee != IMAGE_NO_FUNCTION && f->takes_structure[code->callee])
        check_arguments(look, state, code);
    if (code->flow != FLOW_NEXT || call_is_arithmetic(code->callee_name) ||
        call_is_translated(code->callee_name))
        return;
    state->loaded = 0;
    rooms_after_call(&state->rooms, code->callee_name, index, f->clang);
    for (int r = 0; r < REG_COUNT; r++)
        if (!(isa->callee_saved >> r & 1) && r != isa->stack_pointer)
            state->reg[r] = TO_OTHER;
    if (call_allocates(code->callee_name))
        state->reg[isa->result] = TO_FRESH;
    state->last = last_after(code->callee_name, state->last);
    state->call = index;
}

static uint8_t value_of(Look *look, const State *state, const Code *code)
{
    if (code->kind == CODE_ADDRESS)
        return overlooked_is_constant(look->finder->image, code)
                   ? TO_CONSTANT
                   : base_leads_to(state, &code->memory);
    if (code->kind == CODE_ADD)
        return state->reg[code->dst];
    if (code->kind == CODE_MOVE && code->memory.bytes && code->memory.reads) {
        Slot *slot = is_slot(state, &code->memory)
                         ? slots_find(&look->slots, look->function->isa->stack_pointer, state->sp,
                                      &code->memory, false)
                         : NULL;
        return slot && slot->to ? slot->to : TO_OTHER;
    }
    if (code->kind == CODE_MOVE && code->src >= 0)
        return state->reg[code->src];
    if (code->kind == CODE_OTHER) /* a sum of an address and a number, perhaps */
        for (int r = 0; r < REG_COUNT; r++)
            if (code->reads >> r & 1 && state->reg[r] == TO_STACK)
                return TO_STACK;
    return TO_OTHER;
}

void look_perform(Look *look, State *state, const Code *code, uint32_t index)
{
    if (code->kind == CODE_CALL || code->flow == FLOW_TAIL || code->flow == FLOW_BRANCH_TAIL) {
        call(look, state, code, index);
        return;
    }
    load(look, state, code);
    account(look, state, code, index);
    if (code->kind == CODE_STRING) {
        if (code->copies || code->fills)
            store(look, state, code, state->reg[code->string_to]);
    } else if (code->memory.bytes && code->memory.writes && code->kind != CODE_PUSH) {
        store(look, state, code, base_leads_to(state, &code->memory));
    }
    if (code->memory.writes && is_slot(state, &code->memory)) {
        Slot *slot = slots_find(&look->slots, look->function->isa->stack_pointer, state->sp,
                                &code->memory, true);
        uint8_t to = code->kind == CODE_MOVE && code->src >= 0 ? state->reg[code->src] : TO_OTHER;
        if (slot && (slot->to | to) != slot->to) {
            slot->to |= to;
            look->again = true;
        }
    }
    const Isa *isa = look->function->isa;
    RegSet changes = code->changes;
    if (code->dst >= 0)
        changes |= REG_BIT(code->dst);
    uint8_t value = value_of(look, state, code);
    state->sp = overlooked_sp_after(isa, state->sp, code);
    if (code->step) /* it still leads to the same object */
        changes &= ~REG_BIT(code->memory.base);
    for (int r = 0; r < REG_COUNT; r++)
        if (changes >> r & 1)
            state->reg[r] = r == isa->stack_pointer ? TO_STACK : r == code->dst ? value : TO_OTHER;
}

/* ---- functions ---- */

static uint8_t first_argument_leads_to(const Finder *f, const ImageFunction *function)
{
    if (signature_is_constructor(function->name))
        return TO_FRESH;
    return signature_has_hidden_argument(f->dwarf, function->address) ? TO_RESULT : TO_OTHER;
}

static void not_understood(Finder *f, uint32_t function)
{
    uint64_t entry = image_functions(f->image)[function].address;
    const char *name = function_name(f, function, image_functions(f->image)[function].name);
    const char *place = signature_place(f->arena, f->dwarf, entry);
    const char *why = "a function whose machine code is not understood: what the compiler does not "
                      "announce can't be found in it";
    place = arena_printf(f->arena, "%s (%s)", name, place ? place : "?");
    vec_push(f->out, ((Escape){.place = place, .function = name, .why = why, .address = entry}));
}

static void look_at(Finder *f, uint32_t function, uint8_t first_argument)
{
    CodeFunction code = {0};
    bool follows = code_follow(f->reader, function, &code);
    if (!follows && f->report)
        not_understood(f, function);
    if (follows && overlooked_is_instrumented(&code)) {
        Look look = {.finder = f, .function = &code};
        look.states = arena_array_of(f->scratch, State, code.code.count);
        memset(look.states, 0, sizeof(State) * code.code.count);
        bool report = f->report;
        f->report = false;
        look_follow(&look, first_argument);
        f->report = report;
        for (uint32_t i = 0; (report || f->fills) && i < code.code.count; i++)
            look_step(&look, i);
        if (look.stores_result && !f->returns_memory[function]) {
            f->returns_memory[function] = 1;
            f->grew = true;
        }
    }
    code_free(&code);
}

bool unannounced_find(Arena *arena, const char *program, bool clang, HashMap *names, Escapes *out,
                      Watches *watches, Error *error)
{
    Finder f = {
        .arena = arena, .scratch = arena_new(), .out = out, .watches = watches, .clang = clang};
    if (!image_open(f.scratch, program, &f.image, error)) {
        arena_free(f.scratch);
        return false;
    }
    f.reader = code_reader_new(f.scratch, f.image);
    image_isa(f.image)->open(&f.handle);
    f.instruction = cs_malloc(f.handle);
    f.dwarf = dwarf_begin_elf(image_elf(f.image), DWARF_C_READ, NULL);
    f.handed_over = image_symbol(f.image, "heddle__asm");
    uint64_t runtime = image_symbol(f.image, "__start_heddle_text");
    uint64_t runtime_end = image_symbol(f.image, "__stop_heddle_text");
    size_t count = image_function_count(f.image);
    const ImageFunction *functions = image_functions(f.image);
    f.returns_memory = arena_array_of(f.scratch, uint8_t, count + 1);
    memset(f.returns_memory, 0, count + 1);
    f.takes_structure = arena_array_of(f.scratch, uint8_t, count + 1);
    f.fills_fresh = arena_array_of(f.scratch, uint8_t, count + 1);
    memset(f.fills_fresh, 0, count + 1);
    uint8_t *first_argument = arena_array_of(f.scratch, uint8_t, count + 1);
    for (uint32_t i = 0; i < count; i++) {
        const ImageFunction *function = &functions[i];
        /* one of the runtime's may have the name of one of the user's */
        bool wanted = function->name && !function->is_cold &&
                      function->address - runtime >= runtime_end - runtime &&
                      hashmap_find(names, hash_bytes(function->name, strlen(function->name), 0));
        first_argument[i] = wanted ? first_argument_leads_to(&f, function) : 0;
        f.takes_structure[i] = wanted && signature_takes_structure(f.dwarf, function->address);
    }
    do { /* until no more functions are known to store to what their callers name */
        f.grew = false;
        for (uint32_t i = 0; i < count; i++)
            if (first_argument[i] == TO_RESULT && !f.returns_memory[i])
                look_at(&f, i, TO_RESULT);
    } while (f.grew);
    f.report = true;
    for (uint32_t i = 0; i < count; i++)
        if (first_argument[i])
            look_at(&f, i, first_argument[i]);
    f.report = false;
    do {
        f.grew = false;
        for (uint32_t i = 0; i < count; i++)
            if (f.fills_fresh[i] == FILLS && first_argument[i] == TO_RESULT) {
                f.fills_fresh[i] = FILLS_SEEN;
                f.fills = true;
                look_at(&f, i, TO_RESULT);
                f.fills = false;
            }
    } while (f.grew);
    if (f.dwarf)
        dwarf_end(f.dwarf);
    cs_free(f.instruction, 1);
    cs_close(&f.handle);
    code_reader_free(f.reader);
    image_close(f.image);
    arena_free(f.scratch);
    return true;
}
