/* watch.c: instructions of AArch64 that are watched (entry/watch.h): plain loads and stores of our
 * own code, whose operand is named by registers. A copy does the same wherever it stands. */
#include "guest/entry/watch.h"
#include <stdlib.h>
#include <sys/mman.h>
#include <ucontext.h>
#include "guest/entry/guest.h"
#include "guest/entry/watched.h"
#include "guest/runtime/arch.h"
#include "guest/runtime/crash.h"
#include "guest/runtime/fiber.h"
#include "guest/runtime/pages.h"
#include "guest/runtime/unseen.h"

enum {
    STACK_POINTER = 31,
    FRAME_POINTER = 29,
    ARGUMENT = 98, /* words of heddle__watch's frame before the argument */
    BELOW = 16     /* bytes that the argument takes */
};
typedef struct Copy {
    ArchTrap instruction, trap;
} Copy;

bool watch_is_used;
static const LinkWatch *list;
static uint32_t list_count;
static Copy *copies; /* of the instructions, by number */

/* watch.S */
void heddle__watch(void);
void heddle__watch_resume(void);
uint64_t watch_step(uint64_t argument, const uint64_t *registers);

void watch_clear_all(void)
{
}

static uint64_t address_of(const LinkWatch *watch, const uint64_t *registers)
{
    uint64_t base = watch->base == STACK_POINTER ? (uintptr_t)(registers + ARGUMENT) + BELOW
                                                 : registers[watch->base];
    uint64_t index = watch->index ? registers[watch->index - 1] * watch->scale : 0;
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

static unsigned length_of_watched(const void *address)
{
    uint32_t number = watch_at((uintptr_t)address);
    return number < list_count ? list[number].length : 0;
}

/* The access that is taken up at the second trap of an instruction. Nothing of the program but the
 * copy of the instruction runs between the two. */
static DeferredAside aside_of_copy;

uint64_t watch_step(uint64_t argument, const uint64_t *registers)
{
    const LinkWatch *watch = &list[argument / 2];
    const void *next = (const void *)(watch->address + watch->length);
    DeferredAside aside = {0};
    if (argument & 1) { /* the access is made */
        aside = aside_of_copy;
        aside_of_copy.what.address = NULL;
        deferred_settle();
        deferred_take_up(&aside);
        return (uintptr_t)next;
    }
    aside_of_copy.what.address = NULL;
    void *address = (void *)address_of(watch, registers);
    if (!watch->writes || !watched_is_announced(address, watch->bytes)) {
        watched_put_aside(watch, registers[FRAME_POINTER], length_of_watched, &aside);
        watched_announce(watch, address, next);
        aside_of_copy = aside;
    }
    return (uintptr_t)&copies[argument / 2].instruction;
}

/* In the signal handler: the thread goes on in heddle__watch, or where that has said. */
static bool on_trap(void *context)
{
    mcontext_t *machine = &((ucontext_t *)context)->uc_mcontext;
    uint64_t at = machine->pc, copy = (at - (uintptr_t)copies) / sizeof *copies, argument;
    if (at == (uintptr_t)heddle__watch_resume) {
        machine->pc = *(const uint64_t *)machine->sp;
        machine->sp += BELOW;
        return true;
    }
    if (copy < list_count)
        argument = copy * 2 + 1;
    else if (watch_at(at) < list_count)
        argument = (uint64_t)watch_at(at) * 2;
    else
        return false;
    if (fiber_current < 0 || !op_active()) { /* nobody is interested */
        machine->pc = argument & 1 ? list[argument / 2].address + sizeof(ArchTrap)
                                   : (uintptr_t)&copies[argument / 2].instruction;
        return true;
    }
    machine->sp -= BELOW;
    *(uint64_t *)machine->sp = argument;
    machine->pc = (uintptr_t)heddle__watch;
    return true;
}

static int by_address(const void *a, const void *b)
{
    uint64_t left = ((const LinkWatch *)a)->address, right = ((const LinkWatch *)b)->address;
    return (left > right) - (left < right);
}

void watch_setup(const LinkWatch *watches, uint32_t count)
{
    if (!count)
        return;
    list_count = MIN(count, LINK_WATCHES);
    LinkWatch *taken = pages_alloc(sizeof *taken * list_count);
    size_t bytes = sizeof *copies * list_count;
    copies = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (copies == MAP_FAILED)
        die("no memory for the copies of instructions");
    for (uint32_t i = 0; i < list_count; i++)
        taken[i] = watches[i];
    qsort(taken, list_count, sizeof *taken, by_address);
    list = taken;
    for (uint32_t i = 0; i < list_count; i++) {
        if (list[i].library || list[i].foreign || list[i].base < 0)
            die("an instruction at %#llx can't be watched", (unsigned long long)list[i].address);
        copies[i] = (Copy){*(const ArchTrap *)list[i].address, ARCH_TRAP};
    }
    __builtin___clear_cache((char *)copies, (char *)copies + bytes);
    if (mprotect(copies, bytes, PROT_READ | PROT_EXEC))
        die("the copies of instructions can't be made executable");
    watch_is_used = true;
    crash_trap = on_trap;
    for (uint32_t i = 0; i < list_count; i++)
        unseen_put(list[i].address, ARCH_TRAP);
}
