#include "guest/entry/library/constructors.h"
#include <dlfcn.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>
#include "guest/explore/search/ops.h"

#define WANTED "HEDDLE_CONSTRUCTORS" /* in the environment of the process that starts once more */
enum { MOST = 4096 };

typedef void (*Constructor)(int argc, char **argv, char **environment);
extern Constructor __init_array_start[] __attribute__((weak, visibility("hidden")));
extern Constructor __init_array_end[] __attribute__((weak, visibility("hidden")));

static Constructor kept[MOST];
static size_t kept_count;
static bool inside, done;

/* The words that the process was started with, which nobody has told yet. */
static char **own_arguments(void)
{
    static char text[1 << 17], *arguments[1 << 12];
    int file = open("/proc/self/cmdline", O_RDONLY | O_CLOEXEC);
    ssize_t got, bytes = 0;
    size_t count = 0;
    while (file >= 0 && (got = read(file, text + bytes, sizeof text - 1 - (size_t)bytes)) > 0)
        bytes += got;
    if (file >= 0)
        close(file);
    for (char *at = text; at < text + bytes && count + 1 < COUNT_OF(arguments);
         at += strlen(at) + 1)
        arguments[count++] = at;
    return arguments;
}

void constructors_explore(void)
{
    if (inside || done)
        return;
    setenv(WANTED, "1", 1);
    execv("/proc/self/exe", own_arguments());
}

static void nothing(int argc, char **argv, char **environment)
{
    (void)argc, (void)argv, (void)environment;
}

static void keep_back(Constructor *from, Constructor *to)
{
    uintptr_t page = (uintptr_t)from & ~(uintptr_t)4095;
    size_t bytes = (uintptr_t)to - page;
    if (mprotect((void *)page, bytes, PROT_READ | PROT_WRITE))
        die("the program's constructors can't be kept from running");
    for (; from < to; from++) {
        if (kept_count == MOST)
            die("the program has more than %d constructors", MOST);
        kept[kept_count++] = *from;
        *from = nothing;
    }
    if (mprotect((void *)page, bytes, PROT_READ))
        die("the table of the program's constructors can't be closed");
}

/* The standard streams of C++ are the library's: they are there before any constructor of the
 * program, whose own std::ios_base::Init objects then only count. */
static void begin_streams(void)
{
    static char object[16];
    void *address = dlsym(RTLD_DEFAULT, "_ZNSt8ios_base4InitC1Ev");
    void (*begin)(void *);
    memcpy(&begin, &address, sizeof begin);
    if (begin)
        begin(object);
}

/* The table is worked off one by one, so that what stands behind this one can still be taken out.
 * Behind the runtime's own, and before those of the program that name no priority. */
static __attribute__((constructor(102))) void constructors_begin(int argc, char **argv,
                                                                 char **environment)
{
    (void)argc, (void)argv, (void)environment;
    if (!getenv(WANTED))
        return;
    unsetenv(WANTED);
    inside = true;
    begin_streams();
    for (Constructor *at = __init_array_start; at < __init_array_end; at++)
        if (*at == constructors_begin) {
            keep_back(at + 1, __init_array_end);
            return;
        }
}

void constructors_done(void)
{
    done = true;
}

void constructors_run(int argc, char **argv, char **environment)
{
    if (!kept_count)
        return;
    op_needs_replay("constructors run in every execution");
    for (size_t i = 0; i < kept_count; i++)
        kept[i](argc, argv, environment);
}
