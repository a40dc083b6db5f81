#include "guest/harness/start.h"
#include <link.h>
#include <string.h>
#include <sys/auxv.h>
#include "guest/entry/guest.h"
#include "guest/entry/library/constructors.h"
#include "guest/runtime/pages.h"

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

/* Sixteen bytes that the kernel draws for each process. */
static void make_random_bytes_alike(void)
{
    void *bytes = (void *)(uintptr_t)getauxval(AT_RANDOM);
    if (bytes)
        memset(bytes, 'h', 16);
}

void start_take(int argc, char **argv, char **environment)
{
    make_random_bytes_alike();
    program_environment = environment;
    keep_arguments(argc, argv);
    constructors_done();
    dl_iterate_phdr(find_base, NULL);
}
