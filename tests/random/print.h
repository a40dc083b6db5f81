/* print.h: programs as C text, so that compilers make of them what they make of other programs:
 * values in registers, loops in their shape, places in the code for each access. */
#ifndef HEDDLE_RANDOM_PRINT_H
#define HEDDLE_RANDOM_PRINT_H
#include "program.h"

/* Functions of PROGRAM, and its main as pNUMBER. printed.h is included before. */
void print_program(const Program *program, int number);
void print_end(int count); /* a table of them */
#endif
