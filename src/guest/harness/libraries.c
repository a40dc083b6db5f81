#include "guest/harness/libraries.h"
#include <link.h>
#include <stdio.h>
#include <string.h>

typedef struct Listed {
    char *text;
    size_t room, used;
} Listed;

static int list_library(struct dl_phdr_info *info, size_t bytes, void *context)
{
    (void)bytes;
    Listed *list = context;
    char *to = list->text;
    size_t *used = &list->used, room = list->room;
    const char *slash = strrchr(info->dlpi_name, '/');
    if (!slash) /* the program itself, or what the kernel lends */
        return 0;
    *used += (size_t)snprintf(to + *used, room - *used, "%s ", slash + 1);
    for (int i = 0; i < info->dlpi_phnum && *used < room - 64; i++) {
        const ElfW(Phdr) *segment = &info->dlpi_phdr[i];
        if (segment->p_type != PT_NOTE)
            continue;
        const char *at = (const char *)(info->dlpi_addr + segment->p_vaddr);
        const char *end = at + segment->p_memsz;
        while (at + sizeof(ElfW(Nhdr)) <= end) {
            ElfW(Nhdr) note;
            memcpy(&note, at, sizeof note);
            const unsigned char *id =
                (const unsigned char *)at + sizeof note + ((note.n_namesz + 3) & ~3u);
            for (unsigned k = 0; note.n_type == NT_GNU_BUILD_ID && k < MIN(note.n_descsz, 20u); k++)
                *used += (size_t)snprintf(to + *used, room - *used, "%02x", id[k]);
            at = (const char *)id + ((note.n_descsz + 3) & ~3u);
        }
    }
    *used += (size_t)snprintf(to + *used, room - *used, "\n");
    return *used > room - 512;
}

void libraries_list(char *text, size_t room)
{
    Listed list = {text, room, 0};
    dl_iterate_phdr(list_library, &list);
}
