/* found.c: functions that a program finds while it runs. What dlsym returns is the library's own,
 * not what stands in its place here: it is named as unseen, unless it lies in the program. */
#include <dlfcn.h>
#include "guest/entry/guest.h"
#include "guest/runtime/opaque.h"
#include "guest/runtime/unseen.h"

void *__wrap_dlsym(void *library, const char *name);
void *__wrap_dlvsym(void *library, const char *name, const char *version);

extern const char __executable_start[] __attribute__((visibility("hidden")));
extern const char _end[] __attribute__((visibility("hidden")));

static void *found(void *address, const char *name, const void *pc)
{
    bool own = (const char *)address >= __executable_start && (const char *)address < _end;
    opaque_note(NULL);
    if (op_active())
        guest_will_read(name, strlen(name) + 1, pc);
    if (op_active() && address && !own)
        unseen_call(name, (uintptr_t)pc);
    return address;
}

GUEST void *__wrap_dlsym(void *library, const char *name)
{
    return found(dlsym(library, name), name, GUEST_PC);
}

GUEST void *__wrap_dlvsym(void *library, const char *name, const char *version)
{
    return found(dlvsym(library, name, version), name, GUEST_PC);
}
