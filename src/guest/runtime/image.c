#include "guest/runtime/image.h"
#include <fcntl.h>
#include <link.h>
#include <string.h>
#include <unistd.h>
#include "guest/runtime/mappings.h"
#include "guest/runtime/pages.h"

#define MAX_SEGMENTS 64
typedef struct Segment {
    char *address;
    size_t bytes;
    char *copy;
} Segment;
static Segment segments[MAX_SEGMENTS];
static int segment_count;

/* The runtime object's .data and .bss are renamed when it is made (Makefile). */
extern char __start_heddle_data[] __attribute__((weak)), __stop_heddle_data[] __attribute__((weak));
extern char __start_heddle_bss[] __attribute__((weak)), __stop_heddle_bss[] __attribute__((weak));

static void add(char *from, char *to)
{
    /* cut out what is the runtime's own */
    char *holes[2][2] = {{__start_heddle_data, __stop_heddle_data},
                         {__start_heddle_bss, __stop_heddle_bss}};
    for (int i = 0; i < 2; i++)
        if (holes[i][0] && holes[i][0] < to && holes[i][1] > from) {
            if (holes[i][0] > from)
                add(from, holes[i][0]);
            if (holes[i][1] < to)
                add(holes[i][1], to);
            return;
        }
    if (from >= to)
        return;
    ASSERT(segment_count < MAX_SEGMENTS);
    Segment *segment = &segments[segment_count++];
    *segment = (Segment){from, (size_t)(to - from), pages_alloc((size_t)(to - from))};
    memcpy(segment->copy, from, segment->bytes);
}

static int add_object(struct dl_phdr_info *info, size_t size, void *unused)
{
    (void)size;
    (void)unused;
    /* the loader's own state describes the process, not the execution */
    if (strstr(info->dlpi_name, "/ld-linux") || strstr(info->dlpi_name, "vdso"))
        return 0;
    uintptr_t relro = 0, relro_end = 0;
    for (int i = 0; i < info->dlpi_phnum; i++)
        if (info->dlpi_phdr[i].p_type == PT_GNU_RELRO) {
            relro = info->dlpi_addr + info->dlpi_phdr[i].p_vaddr;
            relro_end = (relro + info->dlpi_phdr[i].p_memsz) & ~(uintptr_t)4095;
        }
    for (int i = 0; i < info->dlpi_phnum; i++) {
        const ElfW(Phdr) *header = &info->dlpi_phdr[i];
        if (header->p_type != PT_LOAD || !(header->p_flags & PF_W))
            continue;
        uintptr_t from = info->dlpi_addr + header->p_vaddr, to = from + header->p_memsz;
        if (from < relro_end && relro < to)
            from = relro_end; /* read-only by now */
        if (from < to)
            add((char *)from, (char *)to);
    }
    return 0;
}

bool image_may_open_files;
enum { FILES = 256 };
static bool was_open[FILES];

static void note_files(void)
{
    image_may_open_files = false;
    for (int fd = 0; fd < FILES; fd++)
        was_open[fd] = fcntl(fd, F_GETFD) >= 0;
}

static void close_files(void)
{
    image_may_open_files = false;
    for (int fd = 0; fd < FILES;) {
        int end = fd;
        while (end < FILES && !was_open[end])
            end++;
        if (end > fd) /* the last range has no end */
            close_range((unsigned)fd, end == FILES ? ~0u : (unsigned)end - 1, 0);
        fd = end + 1;
    }
}

void (*image_files_back)(bool last);

void image_end(void)
{
    if (image_files_back)
        image_files_back(false);
}

void image_leave(void)
{
    if (image_files_back)
        image_files_back(true);
}

bool image_file_was_open(int fd)
{
    return fd >= 0 && fd < FILES && was_open[fd];
}

void image_keep_file(int fd)
{
    ASSERT(fd >= 0 && fd < FILES);
    was_open[fd] = true;
}

void image_save(void)
{
    note_files();
    segment_count = 0;
    dl_iterate_phdr(add_object, NULL);
    mappings_save();
}

void image_restore(void)
{
    image_end();
    if (image_may_open_files)
        close_files();
    for (int i = 0; i < segment_count; i++)
        memcpy(segments[i].address, segments[i].copy, segments[i].bytes);
    mappings_restore();
}

void image_each(void (*visit)(const char *from, size_t bytes))
{
    for (int i = 0; i < segment_count; i++)
        visit(segments[i].address, segments[i].bytes);
}
