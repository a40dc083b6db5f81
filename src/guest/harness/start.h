/* start.h: how the program under test begins. The linker sends the call of main here (--wrap=main);
 * the driver above (guest/harness/run.c) implements start_driver, which explores `program`. */
#ifndef HEDDLE_HARNESS_START_H
#define HEDDLE_HARNESS_START_H
#include "base/common.h"

/* Explores start_program and leaves the process. */
NORETURN void start_driver(void);
/* The user's main as a thread function: runs it with one argument, its name. */
void *start_program(void *unused);
bool start_has_program(void); /* false: the user's code has no main */
extern uint64_t start_load_base;
#endif
