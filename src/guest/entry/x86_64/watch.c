#include "guest/entry/watch.h"
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <ucontext.h>
#include "guest/entry/assembly.h"
#include "guest/entry/copied.h"
#include "guest/entry/guest.h"
#include "guest/entry/shared.h"
#include "guest/entry/watched.h"
#include "guest/runtime/pages.h"
#include "guest/entry/x86_64/lanes.h"
#include "guest/explore/memory/deferred.h"
#include "guest/runtime/crash.h"
#include "guest/runtime/fiber.h"
#include "guest/explore/search/explore.h"
#include "guest/runtime/unseen.h"
#include "record/memory_model.h"

enum {
    SLOT = 32,   /* bytes for the copy of an instruction and the trap behind it */
    BELOW = 144, /* of the stack pointer: the red zone and one word */
    RAX = 0,     /* registers by number */
    RSP = 4,
    RBP = 5,
    RSI = 6,
    RDI = 7,
    RCX = 1,
    FLAGS = 16,
    ARGUMENT = 17 /* words of heddle__watch's frame before the argument */
};

bool watch_is_used;
static const LinkWatch *list;
static uint32_t list_count;
static unsigned char **copies; /* of the instructions, by number */
typedef struct Group {         /* instructions whose copies lie together */
    unsigned char *slots;
    uint32_t first, end;
} Group;
static Group groups[LINK_LIBRARIES + 1];
static unsigned group_count;

/* x86_64/watch.S; returns to where watch_step says. */
void heddle__watch(void);
/* Goes to heddle__watch_target with one more word on the stack, which is there already. */
void heddle__watch_call(void);
extern uint64_t heddle__watch_target;
uint64_t heddle__watch_target;
uint64_t watch_step(uint64_t argument, uint64_t *registers, unsigned char *state);

/* How much a string instruction with these registers moves: *UNIT bytes at a time. */
static size_t string_bytes(const unsigned char *code, const uint64_t *registers)
{
    size_t unit = 4;
    bool repeats = false;
    for (;; code++)
        if (*code == 0xf3 || *code == 0xf2)
            repeats = true;
        else if (*code == 0x66)
            unit = 2;
        else if ((*code & 0xf8) == 0x48)
            unit = 8;
        else
            break;
    if (!(*code & 1))
        unit = 1;
    return repeats ? registers[RCX] * unit : unit;
}

/* The thread's stack pointer at the instruction. */
static const void *stack_of(const uint64_t *registers)
{
    return (const char *)(registers + ARGUMENT) + BELOW;
}

static const void *pc_of(const LinkWatch *watch, const uint64_t *registers)
{
    return copied_distance(watch->library) ? copied_pc(stack_of(registers))
                                           : (const void *)(watch->address + watch->length);
}

/* The address of the operand, less the index of lanes. */
static uint64_t address_of(const LinkWatch *watch, const uint64_t *registers)
{
    uint64_t base = watch->base == RSP ? (uintptr_t)stack_of(registers)
                    : watch->base >= 0 ? registers[watch->base]
                                       : 0;
    bool indexed = watch->index && !watch->lane_index_bytes;
    uint64_t index = indexed ? registers[watch->index - 1] * watch->scale : 0;
    return base + index + (uint64_t)watch->displacement;
}

/* The number of the watch at ADDRESS, or list_count. */
static uint32_t watch_at(uint64_t address)
{
    uint32_t low = 0, high = list_count;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (list[middle].address < address)
            low = middle + 1;
        else
            high = middle;
    }
    return low < list_count && list[low].address == address ? low : list_count;
}

/* The access that is taken up at the second trap of an instruction. Nothing of the program but the
 * copy of the instruction runs between the two. */
static DeferredAside aside_of_copy;

static unsigned length_of_watched(const void *address)
{
    uint32_t number = watch_at((uintptr_t)address);
    return number < list_count ? list[number].length : 0;
}

static void announce(const LinkWatch *watch, const unsigned char *code, const uint64_t *registers)
{
    const void *pc = pc_of(watch, registers);
    void *address = (void *)address_of(watch, registers);
    if (!watch->bytes) {
        size_t bytes = string_bytes(code, registers);
        if (watch->writes)
            guest_will_write((void *)registers[RDI], bytes, pc);
        else
            guest_will_copy((void *)registers[RDI], (const void *)registers[RSI], bytes, pc);
    } else {
        watched_announce(watch, address, pc);
    }
}

/* Performs a jump or a call through memory, and returns where the thread goes on. What a call
 * leaves on the stack lies below the stack pointer until heddle__watch_call makes it a part of it:
 * signal handlers leave these bytes alone. */
static uint64_t go_to(const LinkWatch *watch, uint64_t *registers, uint64_t target)
{
    uint64_t next = watch->address + watch->length;
    if (watch->goes & 1)
        return target;
    memcpy((char *)(registers + ARGUMENT) + BELOW - sizeof next, &next, sizeof next);
    heddle__watch_target = target;
    return (uintptr_t)heddle__watch_call;
}

static uint64_t go(const LinkWatch *watch, uint64_t *registers)
{
    uint64_t *address = (uint64_t *)address_of(watch, registers);
    op_plain_read(address, sizeof *address, pc_of(watch, registers));
    uint64_t target = *address;
    deferred_settle();
    return go_to(watch, registers, target);
}

/* Performs a locked instruction, a fence or a look at the clock. */
static void perform(const LinkWatch *watch, uint64_t *registers)
{
    const void *pc = pc_of(watch, registers);
    uint32_t code = watch->assembly - 1;
    AssemblyState state = {.address = (void *)address_of(watch, registers),
                           .flags = registers[FLAGS]};
    memcpy(state.registers, registers, sizeof state.registers);
    /* one that fails is a load to the model, but the instruction is a fence: stores before it have
     * reached memory when it loads */
    if (ASSEMBLY_IS_CAS(ASSEMBLY_CODE_OP(code)) && model_assembly(options.model) == ASSEMBLY_IN_TSO)
        op_fence(ORDER_SEQ_CST, pc);
    assembly_perform(&state, code, watch->number, pc);
    memcpy(registers, state.registers, sizeof state.registers);
    registers[FLAGS] = state.flags;
}

/* The first trap; returns where the thread goes on. */
static uint64_t perform_watched(const LinkWatch *watch, uint64_t *registers, unsigned char *state,
                                unsigned char *slot)
{
    DeferredAside aside = {0};
    uint64_t next = watch->address + watch->length;
    bool copied = !watch->goes && !watch->assembly && !watch->lanes;
    if (copied && watch->bytes && watch->writes == 1 && !watch->is_volatile &&
        watched_is_announced((void *)address_of(watch, registers), watch->bytes))
        return (uintptr_t)slot;
    watched_put_aside(watch, registers[RBP], length_of_watched, &aside);
    if (copied) {
        announce(watch, slot, registers);
        aside_of_copy = aside;
        return (uintptr_t)slot;
    }
    if (watch->goes)
        next = go(watch, registers);
    else if (watch->assembly)
        perform(watch, registers);
    else
        lanes_perform(watch, address_of(watch, registers), state);
    deferred_take_up(&aside);
    return next;
}

/* The second trap: the access is made. */
static void end_watched(void)
{
    DeferredAside aside = aside_of_copy;
    aside_of_copy.what.address = NULL;
    deferred_settle();
    deferred_take_up(&aside);
}

/* Returns whose memory an instruction of a copied library works on. */
static CopiedMemory memory_of(const LinkWatch *watch, const uint64_t *registers)
{
    const void *sp = stack_of(registers);
    bool reads = watch->bytes && !watch->writes && !watch->assembly && !watch->lanes;
    if (watch->bytes || watch->assembly || watch->lanes)
        return copied_memory((const void *)address_of(watch, registers), reads ? watch->bytes : 0,
                             sp);
    CopiedMemory to = copied_memory((const void *)registers[RDI], 0, sp);
    CopiedMemory from = watch->writes ? to : copied_memory((const void *)registers[RSI], 0, sp);
    return to == COPIED_HIDDEN || from == COPIED_HIDDEN ? COPIED_HIDDEN : COPIED_SHARED;
}

/* A jump or a call in a copied library; returns 0 if the original must go on. The library's own
 * table of addresses is constant. */
static uint64_t go_in_copy(const LinkWatch *watch, uint64_t *registers)
{
    uint64_t target = 0;
    if (watch->goes > 2)
        target = registers[(unsigned)watch->base];
    else {
        const uint64_t *address = (const uint64_t *)address_of(watch, registers);
        CopiedMemory memory = watch->base == -2
                                  ? COPIED_OWN
                                  : copied_memory(address, sizeof *address, stack_of(registers));
        if (memory == COPIED_HIDDEN)
            return 0;
        if (memory == COPIED_SHARED) {
            op_plain_read((void *)(uintptr_t)address, sizeof *address, pc_of(watch, registers));
            deferred_settle();
        }
        target = *address;
    }
    target = copied_target(target, registers, stack_of(registers));
    return target ? go_to(watch, registers, target) : 0;
}

/* The step of an instruction in a copied library; 0 if it is one like any other. */
static uint64_t step_in_copy(const LinkWatch *watch, uint64_t *registers, unsigned char *slot)
{
    uint64_t original = watch->address - copied_distance(watch->library), next = 0;
    if (copied_is_given_up(stack_of(registers)))
        return original;
    if (watch->goes)
        next = go_in_copy(watch, registers);
    else {
        CopiedMemory memory = memory_of(watch, registers);
        if (memory == COPIED_SHARED)
            return 0;
        next = memory == COPIED_OWN ? (uintptr_t)slot : 0;
    }
    if (!next)
        copied_give_up(stack_of(registers), original,
                       watch->goes > 2 ? registers[(unsigned)watch->base]
                                       : address_of(watch, registers));
    return next ? next : original;
}

uint64_t watch_step(uint64_t argument, uint64_t *registers, unsigned char *state)
{
    const LinkWatch *watch = &list[argument / 2];
    unsigned char *slot = copies[argument / 2];
    if (argument & 1) {
        end_watched();
        return watch->address + watch->length;
    }
    aside_of_copy.what.address = NULL;
    if (copied_distance(watch->library)) {
        uint64_t next = step_in_copy(watch, registers, slot);
        if (next)
            return next;
    }
    return perform_watched(watch, registers, state, slot);
}

/* The number of the watch whose copy ADDRESS lies in, or list_count. */
static uint32_t copy_at(uint64_t address)
{
    for (unsigned i = 0; i < group_count; i++) {
        uint64_t number = (address - (uintptr_t)groups[i].slots) / SLOT;
        if (number < groups[i].end - groups[i].first)
            return groups[i].first + (uint32_t)number;
    }
    return list_count;
}

/* In the signal handler: a jump or a call through memory. Its copy would leave a wrong address on
 * the stack. */
static void go_natively(const LinkWatch *watch, greg_t *registers)
{
    static const int numbers[] = {REG_RAX, REG_RCX, REG_RDX, REG_RBX, REG_RSP, REG_RBP,
                                  REG_RSI, REG_RDI, REG_R8,  REG_R9,  REG_R10, REG_R11,
                                  REG_R12, REG_R13, REG_R14, REG_R15};
    uint64_t at = (uint64_t)watch->displacement, next = watch->address + watch->length;
    if (watch->base >= 0)
        at += (uint64_t)registers[numbers[(unsigned)watch->base]];
    if (watch->index)
        at += (uint64_t)registers[numbers[watch->index - 1]] * watch->scale;
    uint64_t target = *(const uint64_t *)at;
    if (watch->goes == 2) {
        registers[REG_RSP] -= (greg_t)sizeof next;
        memcpy((char *)registers[REG_RSP], &next, sizeof next);
    }
    registers[REG_RIP] = (greg_t)target;
}

/* In the signal handler: the thread goes on in heddle__watch. */
static bool on_trap(void *context)
{
    greg_t *registers = ((ucontext_t *)context)->uc_mcontext.gregs;
    uint64_t at = (uint64_t)registers[REG_RIP] - 1, argument, original;
    if (copy_at(at) < list_count)
        argument = (uint64_t)copy_at(at) * 2 + 1;
    else if (watch_at(at) < list_count)
        argument = (uint64_t)watch_at(at) * 2;
    else if (copied_is_in(at, &original)) {
        copied_give_up((const void *)registers[REG_RSP], original, 0);
        registers[REG_RIP] = (greg_t)original;
        return true;
    } else
        return false;
    if (fiber_current < 0 || !op_active()) { /* nobody is interested */
        const LinkWatch *watch = &list[argument / 2];
        if (!(argument & 1) && copied_is_in(at, &original)) {
            registers[REG_RIP] = (greg_t)original;
            return true;
        }
        if (watch->goes) {
            go_natively(watch, registers);
            return true;
        }
        registers[REG_RIP] =
            argument & 1 ? (greg_t)(watch->address + watch->length) : (greg_t)copies[argument / 2];
        return true;
    }
    uint64_t *below = (uint64_t *)(registers[REG_RSP] - BELOW);
    *below = argument;
    registers[REG_RSP] = (greg_t)below;
    registers[REG_RIP] = (greg_t)heddle__watch;
    return true;
}

/* An operand relative to the instruction: the same from where the copy stands. */
static bool move_operand(const LinkWatch *watch, unsigned char *slot)
{
    int64_t relative = watch->displacement - (int64_t)(watch->address + watch->length);
    int64_t moved = watch->displacement - (int64_t)((uintptr_t)slot + watch->length);
    int32_t old = (int32_t)relative, new = (int32_t)moved;
    if (old != relative || new != moved)
        return false;
    for (unsigned i = 1; i + 4 <= watch->length; i++)
        if (!memcmp(slot + i, &old, sizeof old)) {
            memcpy(slot + i, &new, sizeof new);
            return true;
        }
    return false;
}

unsigned char *watch_memory_near(uint64_t address, size_t bytes)
{
    enum { STEP = 1 << 20, TRIES = 1800 };
    if (address < UINT32_MAX) {
        unsigned char *low = mmap(NULL, bytes, PROT_READ | PROT_WRITE,
                                  MAP_PRIVATE | MAP_ANONYMOUS | MAP_32BIT, -1, 0);
        if (low != MAP_FAILED)
            return low;
    }
    for (uint64_t i = 1; i <= TRIES; i++)
        for (int up = 1; up >= 0; up--) {
            uint64_t hint = (up ? address + i * STEP : address - i * STEP) & ~(uint64_t)4095;
            unsigned char *at = mmap((char *)hint, bytes, PROT_READ | PROT_WRITE,
                                     MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1, 0);
            if (at != MAP_FAILED)
                return at;
        }
    die("no memory near the program's code");
}

static int by_address(const void *a, const void *b)
{
    uint64_t left = ((const LinkWatch *)a)->address, right = ((const LinkWatch *)b)->address;
    return (left > right) - (left < right);
}

/* Takes the tool's list over, with those of libraries where these are loaded. */
static void take_list(const LinkWatch *watches, uint32_t count)
{
    LinkWatch *taken = pages_alloc(sizeof *taken * count);
    for (uint32_t i = 0; i < count; i++) {
        LinkWatch watch = watches[i];
        uint64_t base = shared_base(watch.library);
        if (watch.library && !base)
            continue;
        watch.address += base + copied_distance(watch.library);
        if (watch.base == -2)
            watch.displacement += (int64_t)base;
        taken[list_count++] = watch;
    }
    qsort(taken, list_count, sizeof *taken, by_address);
    list = taken;
}

void watch_clear_all(void)
{
    lanes_clear();
}

void watch_setup(const LinkWatch *watches, uint32_t count)
{
    enum { TRAP = 0xcc };
    if (!count)
        return;
    take_list(watches, MIN(count, LINK_WATCHES));
    copies = pages_alloc(sizeof *copies * (list_count + 1));
    for (uint32_t i = 0, end; i < list_count; i = end) { /* the program's, then each library's */
        for (end = i; end < list_count && list[end].library == list[i].library;)
            end++;
        groups[group_count++] =
            (Group){watch_memory_near(list[i].address, (size_t)(end - i) * SLOT), i, end};
        for (uint32_t k = i; k < end; k++)
            copies[k] = groups[group_count - 1].slots + (size_t)(k - i) * SLOT;
    }
    for (uint32_t i = 0; i < list_count; i++) {
        unsigned char *slot = copies[i];
        memcpy(slot, (const void *)list[i].address, list[i].length);
        slot[list[i].length] = TRAP;
        if (list[i].base == -2 && list[i].bytes && !move_operand(&list[i], slot))
            die("an instruction at %#llx can't be moved", (unsigned long long)list[i].address);
    }
    for (unsigned i = 0; i < group_count; i++)
        if (mprotect(groups[i].slots, (size_t)(groups[i].end - groups[i].first) * SLOT,
                     PROT_READ | PROT_EXEC))
            die("the copies of instructions can't be made executable");
    lanes_setup();
    watch_is_used = list_count != 0;
    crash_trap = on_trap;
    for (uint32_t i = 0; i < list_count; i++)
        if (copied_distance(list[i].library)) /* can still be written to */
            *(unsigned char *)list[i].address = TRAP;
        else
            unseen_put(list[i].address, TRAP);
    copied_close();
}
