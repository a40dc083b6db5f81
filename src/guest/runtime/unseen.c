#include "guest/runtime/unseen.h"
#include <string.h>
#include <sys/mman.h>

static Link *notes;
static LinkUnseen *list;
static uint32_t list_count;
static struct Armed {
    ArchTrap original;
    bool armed; /* in this process */
} * traps_set;

/* The pages are the process's own: what is written there is seen by nobody else. */
void unseen_put(uint64_t address, ArchTrap word)
{
    char *page = (char *)(address & ~(uint64_t)4095);
    if (mprotect(page, 4096, PROT_READ | PROT_WRITE | PROT_EXEC))
        die("cannot write to the program's code");
    *(volatile ArchTrap *)address = word;
    __builtin___clear_cache((char *)address, (char *)address + sizeof word);
    if (mprotect(page, 4096, PROT_READ | PROT_EXEC))
        die("cannot protect the program's code");
}

void unseen_setup(Link *link, bool traps)
{
    notes = link;
    if (!traps)
        return;
    list = link->unseen;
    list_count = MIN(link->unseen_count, LINK_UNSEEN);
    traps_set = mmap(NULL, LINK_UNSEEN * sizeof *traps_set, PROT_READ | PROT_WRITE,
                     MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (traps_set == MAP_FAILED)
        die("no memory for the places that nobody sees");
    for (uint32_t i = 0; i < list_count; i++)
        if (list[i].address)
            traps_set[i] = (struct Armed){*(const ArchTrap *)list[i].address, true};
    for (uint32_t i = 0; i < list_count; i++)
        if (list[i].address)
            unseen_put(list[i].address, ARCH_TRAP);
        else
            list[i].ran = 1;
}

bool unseen_trap(uint64_t address)
{
    bool found = false;
    for (uint32_t i = 0; i < list_count; i++)
        if (list[i].address && list[i].address == address && traps_set[i].armed) {
            list[i].ran = 1;
            traps_set[i].armed = false;
            if (!found) /* of several at one place, all know the original */
                unseen_put(list[i].address, traps_set[i].original);
            found = true;
        }
    return found;
}

void unseen_call(const char *name, uint64_t pc)
{
    if (!notes)
        return;
    uint32_t count = __atomic_load_n(&notes->unseen_call_count, __ATOMIC_ACQUIRE);
    for (uint32_t i = 0; i < MIN(count, LINK_UNSEEN_CALLS); i++)
        if (notes->unseen_calls[i].pc == pc &&
            !strncmp(notes->unseen_calls[i].name, name, sizeof notes->unseen_calls[i].name - 1))
            return;
    if (count > LINK_UNSEEN_CALLS) /* that there are more is noted already */
        return;
    uint32_t i = __atomic_fetch_add(&notes->unseen_call_count, 1, __ATOMIC_ACQ_REL);
    if (i >= LINK_UNSEEN_CALLS)
        return;
    LinkUnseenCall *call = &notes->unseen_calls[i];
    for (size_t k = 0; k + 1 < sizeof call->name && name[k]; k++)
        call->name[k] = name[k];
    call->pc = pc;
}
