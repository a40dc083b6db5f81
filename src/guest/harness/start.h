/* start.h: the program under test as its main: the arguments that it was given, and its main as the
 * first thread of each execution. */
#ifndef HEDDLE_HARNESS_START_H
#define HEDDLE_HARNESS_START_H
#include "base/common.h"

/* Keeps the arguments of main, and notes where the program lies. */
void start_take(int argc, char **argv, char **environment);
/* The user's main as a thread function: runs it with one argument, its name. */
void *start_program(void *unused);
bool start_has_program(void); /* false: the user's code has no main */
extern uint64_t start_load_base;
#endif
