#include "guest/runtime/mappings.h"
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>
#include "guest/runtime/pages.h"

#define PAGE 4096u
#define MAX_SAVED 256
#define MAX_GONE 1024

typedef struct SavedPage {
    char *address, *copy;
} SavedPage;
typedef struct SavedRange {
    char *from;
    size_t bytes;
    int protection;
} SavedRange;

static uintptr_t used[MAX_THREADS + 1]; /* bytes, by owner */
static uintptr_t saved_used;            /* of MAPPINGS_START */
static SavedRange ranges[MAX_SAVED];
static unsigned range_count;
static SavedPage *saved_pages;
static size_t page_count;
static void *start_of_break; /* sbrk(0) */
static struct {
    uintptr_t from, to;
} gone[MAX_GONE];
unsigned mappings_gone_count;

static char *start_of(int owner)
{
    return (char *)(MAPPING_BASE + (uintptr_t)owner * MAPPING_SLOT);
}

void *mappings_place(int owner, size_t bytes)
{
    size_t room = (bytes + 2 * (size_t)PAGE - 1) & ~(size_t)(PAGE - 1);
    if (bytes > MAPPING_SLOT || used[owner] + room > MAPPING_SLOT)
        return NULL;
    char *place = start_of(owner) + used[owner];
    used[owner] += room;
    return place;
}

bool mappings_are_gone(const void *address, size_t bytes)
{
    uintptr_t from = (uintptr_t)address, to = from + bytes;
    for (unsigned i = 0; i < mappings_gone_count; i++)
        if (from < gone[i].to && gone[i].from < to)
            return true;
    return false;
}

bool mappings_take(uintptr_t from, size_t bytes)
{
    uintptr_t to = from + ((bytes + PAGE - 1) & ~(size_t)(PAGE - 1));
    for (unsigned i = 0; i < mappings_gone_count; i++)
        if (from <= gone[i].to && gone[i].from <= to) {
            gone[i].from = MIN(from, gone[i].from);
            gone[i].to = MAX(to, gone[i].to);
            return true;
        }
    if (mappings_gone_count == MAX_GONE)
        return false;
    gone[mappings_gone_count].from = from;
    gone[mappings_gone_count++].to = to;
    return true;
}

bool mappings_give(uintptr_t from, size_t bytes)
{
    uintptr_t to = from + ((bytes + PAGE - 1) & ~(size_t)(PAGE - 1));
    for (unsigned i = 0; i < mappings_gone_count;) {
        uintptr_t old_from = gone[i].from, old_to = gone[i].to;
        if (from >= old_to || old_from >= to) {
            i++;
            continue;
        }
        gone[i] = gone[--mappings_gone_count];
        if (old_from < from && !mappings_take(old_from, from - old_from))
            return false;
        if (old_to > to && !mappings_take(to, old_to - to))
            return false;
    }
    return true;
}

static bool is_zero(const char *page)
{
    const uint64_t *words = (const void *)page;
    for (unsigned i = 0; i < PAGE / sizeof *words; i++)
        if (words[i])
            return false;
    return true;
}

/* Calls visit(page) for every page of the saved ranges that holds anything. */
static void each_page(void (*visit)(char *page))
{
    for (unsigned i = 0; i < range_count; i++)
        for (size_t at = 0; ranges[i].protection & PROT_READ && at < ranges[i].bytes; at += PAGE)
            if (!is_zero(ranges[i].from + at))
                visit(ranges[i].from + at);
}

static void count_page(char *page UNUSED)
{
    page_count++;
}

static void copy_page(char *page)
{
    SavedPage *saved = &saved_pages[page_count++];
    *saved = (SavedPage){page, pages_alloc(PAGE)};
    memcpy(saved->copy, page, PAGE);
}

/* The ranges as the kernel has them, with protections that the program may have changed since. */
static void find_ranges(void)
{
    FILE *maps = fopen("/proc/self/maps", "re");
    char line[512], mode[5];
    unsigned long from, to;
    range_count = 0;
    while (maps && fgets(line, sizeof line, maps))
        if (sscanf(line, "%lx-%lx %4s", &from, &to, mode) == 3 &&
            from - (uintptr_t)start_of(MAPPINGS_START) < MAPPING_SLOT) {
            ASSERT(range_count < MAX_SAVED);
            int protection = (mode[0] == 'r' ? PROT_READ : 0) | (mode[1] == 'w' ? PROT_WRITE : 0) |
                             (mode[2] == 'x' ? PROT_EXEC : 0);
            ranges[range_count++] =
                (SavedRange){(char *)from, to - from, protection}; // NOLINT: an address
        }
    if (maps)
        fclose(maps);
}

void mappings_save(void)
{
    start_of_break = sbrk(0);
    saved_used = used[MAPPINGS_START];
    if (!saved_used)
        return;
    find_ranges();
    page_count = 0;
    each_page(count_page);
    saved_pages = pages_alloc((page_count + 1) * sizeof *saved_pages);
    page_count = 0;
    each_page(copy_page);
}

static void unmap_all(void)
{
    for (int owner = 0; owner <= MAX_THREADS; owner++) {
        if (used[owner])
            munmap(start_of(owner), used[owner]);
        used[owner] = 0;
    }
}

void mappings_restore(void)
{
    if (sbrk(0) != start_of_break && brk(start_of_break))
        die("the system does not take back what the program has got by sbrk");
    unmap_all();
    mappings_gone_count = 0; /* before main they go for good */
    used[MAPPINGS_START] = saved_used;
    for (unsigned i = 0; saved_used && i < range_count; i++)
        pages_reserve_at((uintptr_t)ranges[i].from, ranges[i].bytes, PROT_READ | PROT_WRITE,
                         "what the program maps before main");
    for (size_t i = 0; saved_used && i < page_count; i++)
        memcpy(saved_pages[i].address, saved_pages[i].copy, PAGE);
    for (unsigned i = 0; saved_used && i < range_count; i++)
        if (ranges[i].protection != (PROT_READ | PROT_WRITE))
            mprotect(ranges[i].from, ranges[i].bytes, ranges[i].protection);
}
