#include "guest/runtime/opaque.h"
#include <link.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include "guest/runtime/arch.h"
#include "guest/runtime/fiber.h"
#include "guest/runtime/image.h"
#include "guest/runtime/unseen.h"
#include "guest/runtime/vtables.h"
#include "record/known.h"

#define MAX_RANGES 128
#define MAX_THUNKS 8192
#define THUNK_ROOM (MAX_THUNKS * sizeof(Thunk))

typedef struct Range {
    uintptr_t from, to;
    bool is_watched; /* code of a library whose instructions are watched */
} Range;

bool opaque_is_watched;
void (*opaque_after_run)(void);
bool (*opaque_begins_copy)(const char *name, uint64_t function, const uint64_t *slot);
static bool entered; /* by the thread that runs */
static struct {
    const uint64_t *slot; /* of the outermost call that may be open, or NULL */
    uint64_t address;     /* what stands there while it is */
} open_call[MAX_THREADS];

/* ---- what the threads do ---- */

static bool is_open(int t, const void *sp)
{
    const uint64_t *slot = open_call[t].slot;
    return slot && (const void *)slot >= sp && *slot == open_call[t].address;
}

void opaque_begin(int t)
{
    open_call[t].slot = NULL;
    entered = false;
}

void opaque_note(const uint64_t *slot)
{
    int t = fiber_current;
    if (t < 0)
        return;
    entered = true;
    if (!slot || (const char *)slot < fibers[t].limit || (const char *)slot >= fibers[t].base ||
        is_open(t, slot))
        return;
    open_call[t].slot = slot;
    open_call[t].address = *slot;
}

bool opaque_ran(int t)
{
    bool ran = entered || open_call[t].slot;
    if (UNLIKELY(opaque_after_run != NULL))
        opaque_after_run();
    entered = false;
    if (!is_open(t, fibers[t].sp))
        open_call[t].slot = NULL;
    return ran;
}

/* ---- the program's table of addresses ---- */

static Range code[MAX_RANGES]; /* of the libraries */
static unsigned code_count;
static struct dl_phdr_info program; /* the executable: the first object */
typedef struct Thunk {
    unsigned char code[ARCH_THUNK_BYTES];
    uintptr_t *slot; /* whose calls go there */
    uintptr_t function;
    const char *name;    /* of the function */
    const char *effects; /* NULL: nobody knows them */
    bool keeps_state;    /* what it does is not in the log of memory */
    bool returns_twice;  /* it notes where its caller stands: no frame may be between the two */
    bool is_seen;        /* its instructions are watched */
    bool returns;        /* its return is of interest */
    bool is_virtual;     /* called through tables of the C++ library; the five above are not set */
    uint64_t distance;   /* to its copy, or 0 */
} Thunk;
static Thunk *thunks;
static unsigned thunk_count;
typedef struct Virtual { /* what a thunk can't hold, whose page is closed: found at the first call
                          */
    const char *effects;
    bool is_known, returns;
} Virtual;
static struct {
    VtableSpan code, constants; /* of the C++ library, if there is one */
    Virtual *at;                /* by number of the thunk */
    uint16_t *thunks;           /* numbers plus 1, by hashes of the functions */
} virtuals;
OpaqueHooks opaque_hooks;
static bool changes[128]; /* by letter of hidden state */

bool opaque_may_change(char letter)
{
    return changes[letter & 127];
}

/* In the order of effects_before's arguments: those in registers, then those on the stack, behind
 * the return address at SLOT. */
static void arguments_of(const uint64_t *registers, const uint64_t *slot, uint64_t *arguments)
{
    for (unsigned i = 0; i < OPAQUE_ARGUMENTS; i++)
        arguments[i] = arch_argument(registers, slot, i);
}

typedef struct OpaqueCall {
    uintptr_t function;
    uintptr_t
        returns; /* 1: opaque_leave is to be called; ARCH_OPEN_CALL: SLOT must stay where it is */
} OpaqueCall;
/* Called by heddle__opaque. */
OpaqueCall opaque_enter(const uint64_t *slot, Thunk *thunk, const uint64_t *registers);
void opaque_leave(const uint64_t *slot, const Thunk *thunk, const uint64_t *registers);

/* The runtime object's code is renamed when it is made (Makefile): its own calls go through the
 * same table of addresses. */
extern const char __start_heddle_text[] __attribute__((weak, visibility("hidden")));
extern const char __stop_heddle_text[] __attribute__((weak, visibility("hidden")));

bool opaque_is_own_call(uint64_t pc)
{
    return pc - (uintptr_t)__start_heddle_text <
           (uintptr_t)__stop_heddle_text - (uintptr_t)__start_heddle_text;
}

static Range *library_around(uintptr_t address)
{
    for (unsigned i = 0; i < code_count; i++)
        if (address >= code[i].from && address < code[i].to)
            return &code[i];
    return NULL;
}

static bool is_library_code(uintptr_t address)
{
    return library_around(address);
}

/* Words about hidden state: its lock is given back when the function returns. */
static bool uses_hidden_state(const char *effects)
{
    bool uses = false;
    for (const char *at = effects; at; at = strchr(at, ' ') ? strchr(at, ' ') + 1 : NULL) {
        uses |= strchr("fdhHlk", at[0]) != NULL;
        if (at[0] == 'H')
            changes[at[1] & 127] = true;
    }
    return uses;
}

static bool is_function(uintptr_t address)
{
    return address - (uintptr_t)thunks < THUNK_ROOM ||
           address - virtuals.code.from < virtuals.code.to - virtuals.code.from;
}

/* The name of a virtual function, or of the class that it belongs to, for people; and as the table
 * of effects has it, with its number in that class. */
static const char *name_virtual(const Thunk *thunk, char *in_table, size_t room)
{
    static char text[256];
    unsigned number;
    if (thunk->name) {
        snprintf(in_table, room, "%s", thunk->name);
        return thunk->name;
    }
    const char *class = vtables_class(thunk->slot, virtuals.constants, is_function, &number);
    snprintf(text, sizeof text, "_ZTV%s", class ? class : "St9exception");
    snprintf(in_table, room, "%s_%u", text, number);
    return text;
}

/* A virtual function of the C++ library is called. What that library itself calls, or another that
 * is not watched, is part of what the program has called by name. Returns whether the return is of
 * interest. */
static uintptr_t enter_virtual(const uint64_t *slot, const Thunk *thunk, const uint64_t *registers)
{
    Virtual *virtual = &virtuals.at[thunk - thunks];
    const Range *library = library_around(*slot);
    char in_table[300];
    if (fiber_current < 0 || (library && !library->is_watched))
        return false;
    if (!virtual->is_known) {
        name_virtual(thunk, in_table, sizeof in_table);
        virtual->effects = known_virtual_effects(in_table);
        virtual->returns = uses_hidden_state(virtual->effects);
        virtual->is_known = true;
    }
    if (!virtual->effects) {
        opaque_note(slot);
        unseen_call(name_virtual(thunk, in_table, sizeof in_table), *slot);
        return ARCH_OPEN_CALL;
    }
    uint64_t arguments[OPAQUE_ARGUMENTS];
    arguments_of(registers, slot, arguments);
    opaque_hooks.before(thunk->name ? thunk->name : "a virtual function of the C++ library",
                        virtual->effects, arguments, (const void *)*slot);
    return virtual->returns;
}

OpaqueCall opaque_enter(const uint64_t *slot, Thunk *thunk, const uint64_t *registers)
{
    if (opaque_is_own_call(*slot))
        return (OpaqueCall){thunk->function, 0};
    if (thunk->is_virtual)
        return (OpaqueCall){thunk->function, enter_virtual(slot, thunk, registers)};
    if (thunk->keeps_state) {
        if (fiber_current >= 0 && opaque_hooks.keeps_state)
            opaque_hooks.keeps_state();
        opaque_note(thunk->returns_twice ? NULL : slot);
        image_may_open_files = true;
    }
    if (thunk->distance && opaque_begins_copy(thunk->name, thunk->function, slot))
        return (OpaqueCall){thunk->function + thunk->distance, 0};
    if (fiber_current >= 0 && !thunk->effects && !thunk->is_seen && !thunk->distance)
        unseen_call(thunk->name, *slot);
    if (thunk->effects && opaque_hooks.before) {
        uint64_t arguments[OPAQUE_ARGUMENTS];
        arguments_of(registers, slot, arguments);
        opaque_hooks.before(thunk->name, thunk->effects, arguments, (const void *)*slot);
    }
    bool is_open = thunk->keeps_state && !thunk->returns_twice;
    return (OpaqueCall){thunk->function,
                        (uintptr_t)thunk->returns | (is_open ? ARCH_OPEN_CALL : 0)};
}

void opaque_leave(const uint64_t *slot, const Thunk *thunk, const uint64_t *registers)
{
    uint64_t arguments[OPAQUE_ARGUMENTS];
    arguments_of(registers, slot, arguments);
    opaque_hooks.after(thunk->name ? thunk->name : "",
                       thunk->is_virtual ? virtuals.at[thunk - thunks].effects : thunk->effects,
                       arguments, (const void *)*slot);
}

static int add_object(struct dl_phdr_info *info, size_t size, void *unused)
{
    (void)size, (void)unused;
    if (!program.dlpi_phdr) {
        program = *info;
        return 0;
    }
    for (int i = 0; i < info->dlpi_phnum && code_count < MAX_RANGES; i++) {
        const ElfW(Phdr) *header = &info->dlpi_phdr[i];
        uintptr_t from = info->dlpi_addr + header->p_vaddr;
        if (header->p_type == PT_LOAD && header->p_flags & PF_X)
            code[code_count++] = (Range){from, from + header->p_memsz, false};
    }
    return 0;
}

/* True unless the function that RELOCATION of the object at BASE names can't be watched. */
static bool watch(uintptr_t base, const ElfW(Rela) * relocation, const ElfW(Sym) * symbols,
                  const char *names)
{
    const ElfW(Sym) *symbol = &symbols[ELF64_R_SYM(relocation->r_info)];
    const char *name = names + symbol->st_name;
    unsigned type = ELF64_R_TYPE(relocation->r_info);
    bool keeps_state = known_class(name) == KNOWN_REPLAY;
    const char *effects = keeps_state ? known_virtual_effects(name) : known_effects(name);
    if (symbol->st_shndx != SHN_UNDEF || (!keeps_state && !effects))
        return true;
    uintptr_t *slot = (uintptr_t *)(base + relocation->r_offset);
    if (type != ARCH_R_JUMP && type != ARCH_R_DATA && type != ARCH_R_ABSOLUTE)
        return true;
    if (!is_library_code(*slot)) /* data, weak and absent, or the program's; else not bound yet */
        return type != ARCH_R_JUMP || !*slot || base != program.dlpi_addr;
    if (thunk_count == MAX_THUNKS)
        return false;
    Thunk *thunk = &thunks[thunk_count++];
    *thunk = (Thunk){.slot = slot,
                     .function = *slot,
                     .name = name,
                     .effects = effects,
                     .keeps_state = keeps_state,
                     .returns_twice = strstr(name, "setjmp") != NULL,
                     .returns = uses_hidden_state(effects)};
    arch_write_thunk(thunk->code, thunk);
    return true;
}

static bool watch_all(uintptr_t base, const ElfW(Dyn) * dynamic)
{
    const ElfW(Sym) *symbols = NULL;
    const char *names = NULL;
    const char *tables[2] = {NULL, NULL};
    size_t bytes[2] = {0, 0};
    for (; dynamic->d_tag != DT_NULL; dynamic++)
        switch (dynamic->d_tag) {
        case DT_SYMTAB:
            symbols = (const void *)dynamic->d_un.d_ptr;
            break;
        case DT_STRTAB:
            names = (const void *)dynamic->d_un.d_ptr;
            break;
        case DT_RELA:
            tables[0] = (const void *)dynamic->d_un.d_ptr;
            break;
        case DT_RELASZ:
            bytes[0] = dynamic->d_un.d_val;
            break;
        case DT_JMPREL:
            tables[1] = (const void *)dynamic->d_un.d_ptr;
            break;
        case DT_PLTRELSZ:
            bytes[1] = dynamic->d_un.d_val;
            break;
        default:
            break;
        }
    if (!symbols || !names)
        return false;
    for (int i = 0; i < 2; i++)
        for (size_t at = 0; tables[i] && at + sizeof(ElfW(Rela)) <= bytes[i];
             at += sizeof(ElfW(Rela)))
            if (!watch(base, (const void *)(tables[i] + at), symbols, names))
                return false;
    return true;
}

static bool set_up(void)
{
    dl_iterate_phdr(add_object, NULL);
    thunks = mmap(NULL, THUNK_ROOM, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (!program.dlpi_phdr || code_count == MAX_RANGES || thunks == MAP_FAILED)
        return false;
    const ElfW(Dyn) *dynamic = NULL;
    Range relro = {0, 0, false};
    for (int i = 0; i < program.dlpi_phnum; i++) {
        const ElfW(Phdr) *header = &program.dlpi_phdr[i];
        uintptr_t from = program.dlpi_addr + header->p_vaddr;
        if (header->p_type == PT_DYNAMIC)
            dynamic = (const void *)from;
        if (header->p_type == PT_GNU_RELRO) /* the loader protects whole pages */
            relro = (Range){from & ~(uintptr_t)4095, (from + header->p_memsz) & ~(uintptr_t)4095,
                            false};
    }
    size_t closed = relro.to - relro.from;
    if (!dynamic || !watch_all(program.dlpi_addr, dynamic) ||
        (closed && mprotect((void *)relro.from, closed, PROT_READ | PROT_WRITE)) ||
        mprotect(thunks, THUNK_ROOM, PROT_READ | PROT_EXEC)) /* they are in use from here on */
        return false;
    for (unsigned i = 0; i < thunk_count; i++)
        *thunks[i].slot = (uintptr_t)thunks[i].code;
    return !closed || mprotect((void *)relro.from, closed, PROT_READ) == 0;
}

static bool is_in(const struct dl_phdr_info *library, uintptr_t address)
{
    for (int i = 0; i < library->dlpi_phnum; i++) {
        const ElfW(Phdr) *header = &library->dlpi_phdr[i];
        if (header->p_type == PT_LOAD && header->p_flags & PF_X &&
            address - (library->dlpi_addr + header->p_vaddr) < header->p_memsz)
            return true;
    }
    return false;
}

void opaque_watch_library(const struct dl_phdr_info *library)
{
    const ElfW(Dyn) *dynamic = NULL;
    unsigned before = thunk_count;
    for (int i = 0; i < library->dlpi_phnum; i++)
        if (library->dlpi_phdr[i].p_type == PT_DYNAMIC)
            dynamic = (const void *)(library->dlpi_addr + library->dlpi_phdr[i].p_vaddr);
    /* they are in use: the runtime's own calls go through them */
    if (!opaque_is_watched || !dynamic ||
        mprotect(thunks, THUNK_ROOM, PROT_READ | PROT_WRITE | PROT_EXEC))
        die("the calls of a library can't be watched");
    for (unsigned i = 0; i < code_count; i++)
        code[i].is_watched |= is_in(library, code[i].from);
    for (unsigned i = 0; i < thunk_count; i++)
        if (is_in(library, thunks[i].function)) {
            thunks[i].keeps_state = false;
            thunks[i].is_seen = true;
        }
    if (!watch_all(library->dlpi_addr, dynamic) ||
        mprotect(thunks, THUNK_ROOM, PROT_READ | PROT_EXEC))
        die("the calls of a library can't be watched");
    for (unsigned i = before; i < thunk_count; i++) {
        char *page = (char *)((uintptr_t)thunks[i].slot & ~(uintptr_t)4095);
        if (mprotect(page, 4096, PROT_READ | PROT_WRITE))
            die("the table of a library can't be changed");
        *thunks[i].slot = (uintptr_t)thunks[i].code;
    }
}

/* ---- virtual functions of the C++ library ---- */

/* The place in virtuals.thunks for FUNCTION: empty, or with its thunk. */
static uint16_t *thunk_of(uintptr_t function)
{
    enum { PLACES = 2 * MAX_THUNKS };
    size_t i = (function * 0x9e3779b97f4a7c15u) >> 40;
    while (virtuals.thunks[i % PLACES] &&
           thunks[virtuals.thunks[i % PLACES] - 1].function != function)
        i++;
    return &virtuals.thunks[i % PLACES];
}

static void make_virtual_thunk(uintptr_t *slot, const char *name)
{
    uint16_t *place = thunk_of(*slot);
    if (*place)
        return;
    if (thunk_count == MAX_THUNKS)
        die("the C++ library has too many virtual functions");
    Thunk *thunk = &thunks[thunk_count++];
    *thunk = (Thunk){.slot = slot, .function = *slot, .name = name, .is_virtual = true};
    arch_write_thunk(thunk->code, thunk);
    *place = (uint16_t)thunk_count;
}

static void use_virtual_thunk(uintptr_t *slot, const char *name)
{
    (void)name;
    if (*thunk_of(*slot))
        *slot = (uintptr_t)thunks[*thunk_of(*slot) - 1].code;
}

static bool protect(VtableSpan span, int protection)
{
    return span.from == span.to || !mprotect((void *)span.from, span.to - span.from, protection);
}

/* Leads the tables of virtual functions of the C++ library, and those of them that were copied into
 * the program, to thunks. */
static int watch_virtual(struct dl_phdr_info *library, size_t size, void *unused)
{
    (void)size, (void)unused;
    if (!strstr(library->dlpi_name, "/libstdc++.so"))
        return 0;
    VtableSpan own = vtables_constants(&program);
    virtuals.code = vtables_code(library);
    virtuals.constants = vtables_constants(library);
    virtuals.at = mmap(NULL, MAX_THUNKS * (sizeof(Virtual) + 2 * sizeof(uint16_t)),
                       PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (virtuals.at == MAP_FAILED ||
        mprotect(thunks, THUNK_ROOM, PROT_READ | PROT_WRITE | PROT_EXEC))
        die("the virtual functions of the C++ library can't be watched");
    virtuals.thunks = (uint16_t *)(virtuals.at + MAX_THUNKS);
    vtables_each(library, virtuals.code, make_virtual_thunk);
    vtables_each_copied(&program, virtuals.code, make_virtual_thunk);
    if (mprotect(thunks, THUNK_ROOM, PROT_READ | PROT_EXEC) ||
        !protect(virtuals.constants, PROT_READ | PROT_WRITE) ||
        !protect(own, PROT_READ | PROT_WRITE))
        die("the virtual functions of the C++ library can't be watched");
    vtables_each(library, virtuals.code, use_virtual_thunk);
    vtables_each_copied(&program, virtuals.code, use_virtual_thunk);
    if (!protect(virtuals.constants, PROT_READ) || !protect(own, PROT_READ))
        die("the tables of the C++ library can't be closed");
    return 1;
}

void opaque_copy_library(uint64_t from, uint64_t to, uint64_t distance)
{
    if (!opaque_is_watched || mprotect(thunks, THUNK_ROOM, PROT_READ | PROT_WRITE | PROT_EXEC))
        die("the calls of a library can't be watched");
    ASSERT(opaque_begins_copy);
    for (unsigned i = 0; i < thunk_count; i++)
        if (!thunks[i].effects && thunks[i].function - from < to - from)
            thunks[i].distance = distance;
    if (mprotect(thunks, THUNK_ROOM, PROT_READ | PROT_EXEC))
        die("the calls of a library can't be watched");
}

/* Before the program's own constructors, which may already keep the address of a function. */
static __attribute__((constructor(101))) void opaque_setup(void)
{
    opaque_is_watched = set_up();
    if (opaque_is_watched)
        dl_iterate_phdr(watch_virtual, NULL);
}
