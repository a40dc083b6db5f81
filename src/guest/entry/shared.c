#include "guest/entry/shared.h"
#include <link.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include "guest/entry/copied.h"
#include "guest/runtime/opaque.h"

static uint64_t bases[LINK_LIBRARIES];

uint64_t shared_base(unsigned number)
{
    return number && number <= LINK_LIBRARIES ? bases[number - 1] : 0;
}

/* Writes a word of a table that may be closed by now. */
static void put_word(uint64_t address, uint64_t value)
{
    char *page = (char *)(address & ~(uint64_t)4095);
    size_t bytes =
        ((address + sizeof value - 1) & ~(uint64_t)4095) == (uintptr_t)page ? 4096 : 8192;
    if (mprotect(page, bytes, PROT_READ | PROT_WRITE))
        die("the table of a library can't be changed");
    memcpy((char *)address, &value, sizeof value);
}

static int find_library(struct dl_phdr_info *info, size_t size, void *context)
{
    const Link *link = context;
    struct stat status;
    (void)size;
    if (!info->dlpi_name[0] || stat(info->dlpi_name, &status) != 0)
        return 0;
    for (uint32_t i = 0; i < link->library_count; i++)
        if (link->libraries[i].device == (uint64_t)status.st_dev &&
            link->libraries[i].file == (uint64_t)status.st_ino) {
            bases[i] = info->dlpi_addr;
            if (link->libraries[i].is_copied)
                copied_setup(link, &link->libraries[i], i + 1, info);
            else
                opaque_watch_library(info);
        }
    return 0;
}

void shared_setup(const Link *link)
{
    union {
        const Link *constant;
        void *plain;
    } context = {link};
    if (!link->library_count)
        return;
    dl_iterate_phdr(find_library, context.plain);
    for (uint32_t i = 0; i < MIN(link->redirect_count, LINK_REDIRECTS); i++) {
        uint64_t base = shared_base(link->redirects[i].library);
        if (base)
            put_word(base + link->redirects[i].word, link->redirects[i].address);
    }
}
