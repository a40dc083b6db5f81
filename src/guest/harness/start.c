#include "guest/harness/start.h"
#include <link.h>
#include <sys/personality.h>
#include <sys/single_threaded.h>
#include <unistd.h>
#include "guest/entry/guest.h"
#include "guest/entry/library/constructors.h"

GUEST int __wrap_main(int argc, char **argv, char **environment);
/* Test files for `heddle check` have no main. */
extern int __real_main(int argc, char **argv, char **environment) __attribute__((weak));

uint64_t start_load_base;
static char **program_environment;
static char program_name[] = "program";
static char *program_arguments[] = {program_name, NULL};

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
    constructors_run(1, program_arguments, program_environment);
    int status = __real_main(1, program_arguments, program_environment);
    process_exit(status, NULL); /* static objects end, then the thread */
}

int __wrap_main(int argc, char **argv, char **environment)
{
    (void)argc;
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
    constructors_done();
    dl_iterate_phdr(find_base, NULL);
    start_driver();
}
