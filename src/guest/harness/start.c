#include "guest/harness/start.h"
#include <link.h>
#include <string.h>
#include <sys/personality.h>
#include <sys/single_threaded.h>
#include <unistd.h>
#include "guest/entry/guest.h"
#include "guest/entry/library/constructors.h"
#include "guest/runtime/pages.h"

GUEST int __wrap_main(int argc, char **argv, char **environment);
/* Test files for `heddle check` have no main. */
extern int __real_main(int argc, char **argv, char **environment) __attribute__((weak));

uint64_t start_load_base;
static char **program_environment;
/* The program's arguments: as given, and as it sees them. It may write there. */
static int argument_count;
static char *given_text, *argument_text;
static size_t argument_bytes;
static char **arguments;

static void keep_arguments(int argc, char **argv)
{
    argument_count = argc;
    for (int i = 0; i < argc; i++)
        argument_bytes += strlen(argv[i]) + 1;
    given_text = pages_alloc(argument_bytes + 1);
    argument_text = pages_alloc(argument_bytes + 1);
    arguments = pages_alloc(((size_t)argc + 1) * sizeof *arguments);
    char *at = given_text;
    for (int i = 0; i < argc; i++)
        at = stpcpy(at, argv[i]) + 1;
}

static void put_arguments(void)
{
    char *at = memcpy(argument_text, given_text, argument_bytes);
    for (int i = 0; i < argument_count; i++, at += strlen(at) + 1)
        arguments[i] = at;
    arguments[argument_count] = NULL;
}

static int find_base(struct dl_phdr_info *info, size_t size, void *unused)
{
    (void)size;
    (void)unused;
    start_load_base = info->dlpi_addr; /* the first object is the executable */
    return 1;
}

bool start_has_program(void)
{
    return __real_main != NULL;
}

void *start_program(void *unused)
{
    (void)unused;
    put_arguments();
    constructors_run(argument_count, arguments, program_environment);
    int status = __real_main(argument_count, arguments, program_environment);
    process_exit(status, NULL); /* static objects end, then the thread */
}

int __wrap_main(int argc, char **argv, char **environment)
{
    /* Addresses must be the same in every run. The tool starts the program without randomisation;
     * when somebody else does, it starts once more. Where personality is refused, as in many
     * containers, the addresses of libraries stay random, and the tool says so. */
    int persona = personality(0xffffffff);
    if (persona != -1 && !(persona & ADDR_NO_RANDOMIZE) &&
        personality((unsigned long)persona | ADDR_NO_RANDOMIZE) != -1 &&
        (personality(0xffffffff) & ADDR_NO_RANDOMIZE))
        execv("/proc/self/exe", argv);
    __libc_single_threaded = 0; /* shared_ptr would use plain counters otherwise */
    program_environment = environment;
    keep_arguments(argc, argv);
    constructors_done();
    dl_iterate_phdr(find_base, NULL);
    start_driver();
}
