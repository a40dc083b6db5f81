#include "guest/states/room.h"
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include "guest/runtime/native.h"

static uint64_t limit;
static uint32_t processes;
static uint64_t besides; /* what the process takes beside the tables, when it was looked at last */
static uint32_t asked;   /* how often room_left was */

/* The kilobytes that stand behind NAME in TEXT, as bytes. */
static uint64_t bytes_after(const char *text, const char *name)
{
    const char *at = strstr(text, name);
    return at ? strtoull(at + strlen(name), NULL, 10) * 1024 : 0;
}

/* Returns what the tool counts: memory of this process and the same of each that is forked from it,
 * pages that they share once. 0 if nobody says (there is no /proc). */
static uint64_t resident_bytes(void)
{
    char text[4096];
    long file = native_call(SYS_openat, AT_FDCWD, (long)"/proc/self/status", O_RDONLY, 0);
    if (file < 0)
        return 0;
    long got = native_call(SYS_read, file, (long)text, sizeof text - 1, 0);
    native_call(SYS_close, file, 0, 0, 0);
    if (got <= 0)
        return 0;
    text[got] = 0;
    return bytes_after(text, "\nRssAnon:") * processes + bytes_after(text, "\nRssShmem:");
}

void room_begin(uint64_t bytes, uint32_t count)
{
    limit = bytes;
    processes = MAX(count, 1u);
    besides = asked = 0;
}

static void look_besides(uint64_t used)
{
    uint64_t resident = resident_bytes();
    besides = resident > used ? resident - used : 0;
}

Room room_left(uint64_t used, uint64_t later)
{
    enum { EVERY = 32 };
    if (!limit)
        return ROOM_PLENTY;
    if (asked++ % EVERY == 0)
        look_besides(used);
    uint64_t all = used + besides;
    return all + later > limit / 10 * 9 ? ROOM_NONE : all > limit / 2 ? ROOM_SCARCE : ROOM_PLENTY;
}

bool room_fits(uint64_t used, uint64_t more)
{
    if (!limit)
        return true;
    look_besides(used);
    return used + besides + more <= limit / 10 * 9;
}
