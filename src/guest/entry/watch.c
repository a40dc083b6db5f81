#include "guest/entry/watch.h"
#include <string.h>
#include <sys/mman.h>
#include <ucontext.h>
#include "guest/entry/guest.h"
#include "guest/explore/memory/deferred.h"
#include "guest/explore/memory/volatile.h"
#include "guest/runtime/crash.h"
#include "guest/runtime/fiber.h"
#include "guest/runtime/unseen.h"

enum {
    SLOT = 32,   /* bytes for the copy of an instruction and the trap behind it */
    BELOW = 144, /* of the stack pointer: the red zone and one word */
    RSP = 4,     /* registers by number */
    RSI = 6,
    RDI = 7,
    RCX = 1,
    ARGUMENT = 17 /* words of heddle__watch's frame before the argument */
};

static const LinkWatch *list;
static uint32_t list_count;
static unsigned char *slots;

/* x86_64/watch.S; returns to where watch_step says. */
void heddle__watch(void);
uint64_t watch_step(uint64_t argument, const uint64_t *registers);

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

static void announce(const LinkWatch *watch, const unsigned char *code, const uint64_t *registers)
{
    const void *pc = (const void *)(watch->address + watch->length);
    if (!watch->bytes) {
        size_t bytes = string_bytes(code, registers);
        if (watch->writes)
            guest_will_write((void *)registers[RDI], bytes, pc);
        else
            guest_will_copy((void *)registers[RDI], (const void *)registers[RSI], bytes, pc);
        return;
    }
    uint64_t base = watch->base == RSP ? (uintptr_t)(registers + ARGUMENT) + BELOW
                    : watch->base >= 0 ? registers[watch->base]
                                       : 0;
    uint64_t index = watch->index ? registers[watch->index - 1] * watch->scale : 0;
    void *address = (void *)(base + index + (uint64_t)watch->displacement);
    bool plain = watch->kind != WATCH_VOLATILE;
    if (watch->writes != 1 && plain)
        op_plain_read(address, watch->bytes, pc);
    else if (watch->writes != 1)
        volatile_read(address, watch->bytes, pc);
    if (watch->writes && plain)
        op_plain_write(address, watch->bytes, pc);
    else if (watch->writes)
        volatile_write(address, watch->bytes, pc);
}

uint64_t watch_step(uint64_t argument, const uint64_t *registers)
{
    const LinkWatch *watch = &list[argument / 2];
    unsigned char *slot = slots + (size_t)(argument / 2) * SLOT;
    if (argument & 1) {
        if (deferred.address)
            deferred_flush();
        return watch->address + watch->length;
    }
    announce(watch, slot, registers);
    return (uintptr_t)slot;
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

/* In the signal handler: the thread goes on in heddle__watch. */
static bool on_trap(void *context)
{
    greg_t *registers = ((ucontext_t *)context)->uc_mcontext.gregs;
    uint64_t at = (uint64_t)registers[REG_RIP] - 1, argument;
    uint64_t offset = at - (uintptr_t)slots;
    if (offset < (uint64_t)list_count * SLOT)
        argument = offset / SLOT * 2 + 1;
    else if (watch_at(at) < list_count)
        argument = (uint64_t)watch_at(at) * 2;
    else
        return false;
    if (fiber_current < 0 || !op_active()) { /* nobody is interested */
        const LinkWatch *watch = &list[argument / 2];
        registers[REG_RIP] = argument & 1 ? (greg_t)(watch->address + watch->length)
                                          : (greg_t)(slots + (size_t)(argument / 2) * SLOT);
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

void watch_setup(const LinkWatch *watches, uint32_t count)
{
    enum { TRAP = 0xcc };
    list = watches;
    list_count = MIN(count, LINK_WATCHES);
    if (!list_count)
        return;
    slots = mmap(NULL, (size_t)list_count * SLOT, PROT_READ | PROT_WRITE,
                 MAP_PRIVATE | MAP_ANONYMOUS | MAP_32BIT, -1, 0);
    if (slots == MAP_FAILED)
        die("no memory near the program's code");
    for (uint32_t i = 0; i < list_count; i++) {
        unsigned char *slot = slots + (size_t)i * SLOT;
        memcpy(slot, (const void *)list[i].address, list[i].length);
        slot[list[i].length] = TRAP;
        if (list[i].base == -2 && list[i].bytes && !move_operand(&list[i], slot))
            die("an instruction at %#llx can't be moved", (unsigned long long)list[i].address);
    }
    if (mprotect(slots, (size_t)list_count * SLOT, PROT_READ | PROT_EXEC))
        die("the copies of instructions can't be made executable");
    crash_trap = on_trap;
    for (uint32_t i = 0; i < list_count; i++)
        unseen_put_byte(list[i].address, TRAP);
}
