/* main.c: where the process begins. The linker sends the call of main here (--wrap=main). */
#include <sys/personality.h>
#include <sys/single_threaded.h>
#include <unistd.h>
#include "guest/entry/guest.h"
#include "guest/harness/run.h"
#include "guest/harness/start.h"

GUEST int __wrap_main(int argc, char **argv, char **environment);

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
    start_take(argc, argv, environment);
    run_driver();
}
