/* dump.h: graphs and outcomes as text, for maintainers and for the brute-force twin. */
#ifndef HEDDLE_HARNESS_DUMP_H
#define HEDDLE_HARNESS_DUMP_H
#include <stdio.h>
void dump_graph(int fd); /* the present one */
/* One line, in the form of tests/twin/README.md. */
void dump_execution(FILE *to);
/* From now on the outcome of every complete execution goes to the file PATH, each different one
 * once: a line with address and final value of every atomic location that has not its first value.
 */
void dump_outcomes_to(const char *path);
#endif
