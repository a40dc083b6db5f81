#include "guest/entry/copied.h"
#include <link.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include "guest/entry/guest.h"
#include "guest/entry/library/effects.h"
#include "guest/entry/watch.h"
#include "guest/explore/memory/heap.h"
#include "guest/explore/search/ops.h"
#include "guest/runtime/arch.h"
#include "guest/runtime/fiber.h"
#include "guest/runtime/native.h"
#include "guest/runtime/opaque.h"
#include "guest/runtime/pages.h"
#include "guest/runtime/unseen.h"
#include "record/hooks.h"

enum { DEPTH = 8, MOST_FORMS = 128, TRAP = 0xcc };

typedef struct Span {
    uint64_t from, to;
} Span;

typedef struct Call {
    const uint64_t *slot; /* of the return address, which is in the program */
    const char *name;
    uint64_t pc;
    bool given_up;
} Call;
static struct {
    unsigned number; /* of the library; 0: there is no copy */
    uint64_t distance;
    Span code;      /* of the original */
    Call begun[64]; /* one of every function, as far as there is room */
    Call reader;    /* a call that has read hidden data */
} copy;

/* Writable data of the library and of the loader. */
typedef struct Hidden {
    Span span;
    const char *before;   /* what was there before the first execution */
    unsigned char *marks; /* a byte for every word */
} Hidden;
static Hidden hidden[4];
enum { MARK_CHANGED = 1, MARK_READ = 2, WORD = 8 };

static struct {
    Call at[DEPTH];
    int count;
} calls[MAX_THREADS];

/* Functions that the library chooses when it is loaded, as it has chosen. */
typedef struct Form {
    uint64_t address;
    const char *name, *effects; /* NULL: not a string function */
} Form;
static Form forms[MOST_FORMS];
static unsigned form_count;

static bool is_in(Span span, uint64_t address)
{
    return address - span.from < span.to - span.from;
}

uint64_t copied_distance(unsigned number)
{
    return number && number == copy.number ? copy.distance : 0;
}

bool copied_is_in(uint64_t address, uint64_t *original)
{
    *original = address - copy.distance;
    return copy.number && is_in(copy.code, *original);
}

static const Form *form_at(uint64_t address)
{
    for (unsigned i = 0; i < form_count; i++)
        if (forms[i].address == address)
            return &forms[i];
    return NULL;
}

/* ---- the program's calls ---- */

/* The innermost call that has not returned; NULL if there is none. */
static Call *present_call(const void *sp)
{
    int t = fiber_current;
    if (t < 0)
        return NULL;
    for (const Call *call; calls[t].count; calls[t].count--) {
        call = &calls[t].at[calls[t].count - 1];
        if ((const void *)call->slot >= sp && *call->slot == call->pc)
            break;
    }
    return calls[t].count ? &calls[t].at[calls[t].count - 1] : NULL;
}

/* Returns false for functions that make, or keep a pointer to, what others use that are not
 * watched; and for those of locks and threads, which are the runtime's and not what the library
 * takes them for. */
static bool may_be_watched(const char *name)
{
    static const char *const names[] = {"fmemopen",           "fopencookie", "open_memstream",
                                        "open_wmemstream",    "re_comp",     "re_compile_fastmap",
                                        "re_compile_pattern", "re_exec",     "re_match",
                                        "re_match_2",         "re_search",   "re_search_2",
                                        "re_set_registers"};
    static const char *const starts[] = {"pthread_", "__pthread_", "sem_", "mtx_",
                                         "cnd_",     "thrd_",      "tss_"};
    for (unsigned i = 0; i < COUNT_OF(names); i++)
        if (!strcmp(names[i], name))
            return false;
    for (unsigned i = 0; i < COUNT_OF(starts); i++)
        if (!strncmp(starts[i], name, strlen(starts[i])))
            return false;
    return true;
}

/* The program calls NAME: is it to run in the copy? */
static bool begin_call(const char *name, uint64_t function, const uint64_t *slot)
{
    int t = fiber_current;
    if (t < 0)
        return false;
    present_call(slot + 1);
    if (!op_active() || form_at(function) || calls[t].count == DEPTH || !may_be_watched(name)) {
        unseen_call(name, *slot);
        return false;
    }
    calls[t].at[calls[t].count++] = (Call){slot, name, *slot, false};
    for (unsigned i = 0; i < COUNT_OF(copy.begun) && copy.begun[i].name != name; i++)
        if (!copy.begun[i].name)
            copy.begun[i] = calls[t].at[calls[t].count - 1];
    return true;
}

void copied_note_object(const void *object)
{
    const HeapBlock *block = copy.number ? heap_block_around(object) : NULL;
    if (!block || !is_in(copy.code, block->pc - copy.distance))
        return;
    for (unsigned i = 0; i < COUNT_OF(copy.begun) && copy.begun[i].name; i++)
        unseen_call(copy.begun[i].name, copy.begun[i].pc);
}

void copied_give_up(const void *sp, uint64_t place, uint64_t address)
{
    Call *call = present_call(sp);
    if (!call || call->given_up)
        return;
    if (UNLIKELY(hooks.given_up))
        dprintf(2, "heddle: %s is given up at %#llx, which works on %#llx (code %#llx)\n",
                call->name, (unsigned long long)place, (unsigned long long)address,
                (unsigned long long)copy.code.from);
    call->given_up = true;
    unseen_call(call->name, call->pc);
}

bool copied_is_given_up(const void *sp)
{
    const Call *call = present_call(sp);
    return !call || call->given_up;
}

const void *copied_pc(const void *sp)
{
    const Call *call = present_call(sp);
    return call ? (const void *)call->pc : NULL;
}

const char *copied_name(const void *sp)
{
    const Call *call = copy.number ? present_call(sp) : NULL;
    return call ? call->name : NULL;
}

/* ---- memory ---- */

/* Marks what has changed. A word that a call has read and that changes after all makes that call
 * one of an unknown function. */
static void look_for_changes(void)
{
    for (unsigned i = 0; i < COUNT_OF(hidden) && hidden[i].span.to; i++) {
        const char *now = (const char *)hidden[i].span.from, *before = hidden[i].before;
        size_t bytes = hidden[i].span.to - hidden[i].span.from;
        if (!memcmp(now, before, bytes))
            continue;
        for (size_t at = 0; at < bytes; at += WORD)
            if (memcmp(now + at, before + at, MIN(bytes - at, (size_t)WORD))) {
                unsigned char *mark = &hidden[i].marks[at / WORD];
                if (*mark == MARK_READ)
                    unseen_call(copy.reader.name, copy.reader.pc);
                *mark |= MARK_CHANGED;
            }
    }
}

/* Reads BYTES at ADDRESS in this hidden data; false if they have changed in any execution. */
static bool read_hidden(const Hidden *data, uint64_t address, size_t bytes, const void *sp)
{
    const Call *call = present_call(sp);
    look_for_changes();
    if (!call || address + bytes > data->span.to)
        return false;
    for (uint64_t at = (address - data->span.from) / WORD;
         at <= (address + bytes - 1 - data->span.from) / WORD; at++) {
        if (data->marks[at] & MARK_CHANGED)
            return false;
        data->marks[at] |= MARK_READ;
    }
    copy.reader = *call;
    return true;
}

CopiedMemory copied_memory(const void *address, size_t reads, const void *sp)
{
    const Fiber *fiber = &fibers[fiber_current];
    if ((const char *)address >= fiber->limit && (const char *)address < fiber->base)
        return COPIED_OWN;
    for (unsigned i = 0; i < COUNT_OF(hidden) && hidden[i].span.to; i++)
        if (is_in(hidden[i].span, (uintptr_t)address))
            return reads && read_hidden(&hidden[i], (uintptr_t)address, reads, sp) ? COPIED_OWN
                                                                                   : COPIED_HIDDEN;
    const HeapBlock *block = heap_block_around(address);
    return block && is_in(copy.code, block->pc) ? COPIED_HIDDEN : COPIED_SHARED;
}

/* ---- jumps and calls ---- */

/* Both strings as far as a comparison of at most LIMIT characters looks at them. */
static void announce_comparison(const uint64_t *arguments, size_t limit, const void *pc)
{
    const char *left = (const char *)arguments[0], *right = (const char *)arguments[1];
    size_t i = 0;
    while (i < limit && left[i] == right[i] && left[i])
        i++;
    guest_will_read(left, MIN(i + 1, limit), pc);
    guest_will_read(right, MIN(i + 1, limit), pc);
}

static void announce_form(const Form *form, const uint64_t *arguments, const void *pc)
{
    if (!strcmp(form->effects, "c"))
        announce_comparison(arguments, SIZE_MAX, pc);
    else if (!strcmp(form->effects, "c*2"))
        announce_comparison(arguments, arguments[2], pc);
    else if (!strcmp(form->effects, "rawmemchr")) {
        const char *text = (const char *)arguments[0];
        size_t bytes = (size_t)((const char *)rawmemchr(text, (int)arguments[1]) - text);
        guest_will_read(text, bytes + 1, pc);
    } else
        effects_before(form->name, form->effects, arguments, pc);
}

uint64_t copied_target(uint64_t target, const uint64_t *registers, const void *sp)
{
    static const int order[] = {7, 6, 2, 1, 8, 9}; /* rdi, rsi, rdx, rcx, r8, r9 */
    uint64_t arguments[COUNT_OF(order)];
    const Form *form = form_at(target);
    if (!form && is_in(copy.code, target))
        return target + copy.distance;
    if (!form) /* the program lies below its libraries; other code (the loader's, the kernel's) is
                  not watched */
        return target >> 40 ? 0 : target;
    for (unsigned i = 0; i < COUNT_OF(order); i++)
        arguments[i] = registers[order[i]];
    bool two = form->effects && (strchr(form->effects, '1') || form->effects[0] == 'c');
    if (!form->effects || copied_memory((const void *)arguments[0], 0, sp) == COPIED_HIDDEN ||
        (two && copied_memory((const void *)arguments[1], 0, sp) == COPIED_HIDDEN))
        return 0;
    announce_form(form, arguments, copied_pc(sp));
    return target;
}

/* ---- the copy ---- */

/* The table of string functions says what they do in the words of library/effects.h, but for
 * comparisons. */
static const struct {
    const char *name, *effects;
} string_functions[] = {{"memchr", "r0:*2"},
                        {"memcmp", "r0:*2 r1:*2"},
                        {"memcpy", "r1:*2 w0:*2"},
                        {"memmove", "r1:*2 w0:*2"},
                        {"mempcpy", "r1:*2 w0:*2"},
                        {"memrchr", "r0:*2"},
                        {"memset", "w0:*2"},
                        {"rawmemchr", "rawmemchr"},
                        {"stpcpy", "s1 w0=s1"},
                        {"stpncpy", "s1*2 w0:*2"},
                        {"strcasecmp", "s0 s1"},
                        {"strcat", "s0 s1 a0=s1"},
                        {"strchr", "s0"},
                        {"strchrnul", "s0"},
                        {"strcmp", "c"},
                        {"strcpy", "s1 w0=s1"},
                        {"strcspn", "s0 s1"},
                        {"strlen", "s0"},
                        {"strncasecmp", "s0*2 s1*2"},
                        {"strncat", "s0 s1*2 a0=s1*2"},
                        {"strncmp", "c*2"},
                        {"strncpy", "s1*2 w0:*2"},
                        {"strnlen", "s0*1"},
                        {"strpbrk", "s0 s1"},
                        {"strrchr", "s0"},
                        {"strspn", "s0 s1"},
                        {"strstr", "s0 s1"},
                        {"wcschr", "S0"},
                        {"wcscmp", "S0 S1"},
                        {"wcslen", "S0"},
                        {"wcsnlen", "S0*1"},
                        {"wcsrchr", "S0"},
                        {"wmemchr", "r0:*2.4"},
                        {"wmemcmp", "r0:*2.4 r1:*2.4"},
                        {"wmemset", "w0:*2.4"}};

static void add_form(uint64_t address, const char *name, const char *effects)
{
    if (form_at(address))
        return;
    if (form_count == MOST_FORMS)
        die("the C library chooses between the forms of too many functions");
    forms[form_count++] = (Form){address, name, effects};
}

/* Finds what the loader has written into the library's table of functions that it chooses. */
static void find_forms(const struct dl_phdr_info *info)
{
    const ElfW(Dyn) *dynamic = NULL;
    for (unsigned i = 0; i < COUNT_OF(string_functions); i++) {
        const void *address = native_symbol(string_functions[i].name);
        if (address && is_in(copy.code, (uintptr_t)address))
            add_form((uintptr_t)address, string_functions[i].name, string_functions[i].effects);
    }
    for (int i = 0; i < info->dlpi_phnum; i++)
        if (info->dlpi_phdr[i].p_type == PT_DYNAMIC)
            dynamic = (const void *)(info->dlpi_addr + info->dlpi_phdr[i].p_vaddr);
    const char *tables[2] = {NULL, NULL};
    size_t bytes[2] = {0, 0};
    for (; dynamic && dynamic->d_tag != DT_NULL; dynamic++) {
        if (dynamic->d_tag == DT_RELA || dynamic->d_tag == DT_JMPREL)
            tables[dynamic->d_tag == DT_JMPREL] = (const void *)dynamic->d_un.d_ptr;
        if (dynamic->d_tag == DT_RELASZ || dynamic->d_tag == DT_PLTRELSZ)
            bytes[dynamic->d_tag == DT_PLTRELSZ] = dynamic->d_un.d_val;
    }
    for (int i = 0; i < 2; i++)
        for (size_t at = 0; at + sizeof(ElfW(Rela)) <= bytes[i]; at += sizeof(ElfW(Rela))) {
            const ElfW(Rela) *entry = (const void *)(tables[i] + at);
            if (ELF64_R_TYPE(entry->r_info) == R_X86_64_IRELATIVE)
                add_form(*(const uint64_t *)(info->dlpi_addr + entry->r_offset), "", NULL);
        }
}

static void add_hidden(uint64_t from, uint64_t to)
{
    DEBUG_ASSERT(from < to);
    for (unsigned i = 0; i < COUNT_OF(hidden); i++)
        if (!hidden[i].span.to) {
            hidden[i] =
                (Hidden){{from, to}, pages_alloc(to - from), pages_alloc((to - from) / WORD + 1)};
            return;
        }
    die("too many parts of the C library can be written to");
}

static int find_loader(struct dl_phdr_info *info, size_t size, void *unused)
{
    (void)size, (void)unused;
    for (int i = 0; strstr(info->dlpi_name, "ld-linux") && i < info->dlpi_phnum; i++) {
        const ElfW(Phdr) *header = &info->dlpi_phdr[i];
        uint64_t from = info->dlpi_addr + header->p_vaddr;
        if (header->p_type == PT_LOAD && header->p_flags & PF_W)
            add_hidden(from, from + header->p_memsz);
    }
    return 0;
}

void copied_setup(const Link *link, const LinkLibrary *library, unsigned number,
                  const struct dl_phdr_info *info)
{
    uint64_t base = info->dlpi_addr;
    copy.code = (Span){base + library->code, base + library->code_end};
    size_t bytes = library->code_end - library->code;
    unsigned char *to = watch_memory_near(copy.code.from, bytes);
    copy.distance = (uintptr_t)to - copy.code.from;
    copy.number = number;
    memcpy(to, (const void *)copy.code.from, bytes);
    for (uint32_t i = 0; i < MIN(link->move_count, LINK_MOVES); i++) {
        int32_t displacement;
        unsigned char *at = to + (link->moves[i] - library->code);
        memcpy(&displacement, at, sizeof displacement);
        displacement -= (int32_t)copy.distance;
        memcpy(at, &displacement, sizeof displacement);
    }
    for (uint32_t i = 0; i < MIN(link->gap_count, LINK_GAPS); i++)
        memset(to + (link->gaps[i].from - library->code), TRAP,
               link->gaps[i].to - link->gaps[i].from);
    find_forms(info);
    add_hidden(base + library->data, base + library->data_end);
    dl_iterate_phdr(find_loader, NULL);
    opaque_begins_copy = begin_call;
    opaque_copy_library(copy.code.from, copy.code.to, copy.distance);
}

void copied_close(void)
{
    for (unsigned i = 0; i < COUNT_OF(hidden) && hidden[i].span.to; i++)
        memcpy((char *)(uintptr_t)hidden[i].before, (const char *)hidden[i].span.from,
               hidden[i].span.to - hidden[i].span.from);
    if (copy.number)
        opaque_after_run = look_for_changes;
    if (copy.number && mprotect((char *)(copy.code.from + copy.distance),
                                copy.code.to - copy.code.from, PROT_READ | PROT_EXEC))
        die("the copy of a library can't be made executable");
}
