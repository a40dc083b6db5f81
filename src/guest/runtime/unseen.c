#include "guest/runtime/unseen.h"
#include <sys/mman.h>

#define TRAP 0xcc /* int3 */

static LinkUnseen *list;
static uint32_t list_count;
static unsigned char *originals; /* by place */

/* The pages are the process's own: what is written there is seen by nobody else. */
static void put_byte(uint64_t address, unsigned char byte)
{
    char *page = (char *)(address & ~(uint64_t)4095);
    if (mprotect(page, 4096, PROT_READ | PROT_WRITE | PROT_EXEC))
        die("cannot write to the program's code");
    *(volatile unsigned char *)address = byte;
    if (mprotect(page, 4096, PROT_READ | PROT_EXEC))
        die("cannot protect the program's code");
}

void unseen_setup(LinkUnseen *places, uint32_t count)
{
    list = places;
    list_count = MIN(count, LINK_UNSEEN);
    originals = mmap(NULL, LINK_UNSEEN, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (originals == MAP_FAILED)
        die("no memory for the places that nobody sees");
    for (uint32_t i = 0; i < list_count; i++)
        originals[i] = list[i].address ? *(const unsigned char *)list[i].address : 0;
    for (uint32_t i = 0; i < list_count; i++)
        if (list[i].address)
            put_byte(list[i].address, TRAP);
        else
            list[i].ran = 1;
}

bool unseen_trap(uintptr_t pc)
{
    bool found = false;
    for (uint32_t i = 0; i < list_count; i++)
        if (list[i].address && list[i].address == pc - 1) {
            list[i].ran = 1;
            if (!found) /* of several at one place, all know the original */
                put_byte(list[i].address, originals[i]);
            found = true;
        }
    return found;
}
