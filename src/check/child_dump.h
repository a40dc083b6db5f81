/* child_dump.h: the present graph as text, for maintainers and for the brute-force twin. */
#ifndef HEDDLE_CHECK_CHILD_DUMP_H
#define HEDDLE_CHECK_CHILD_DUMP_H
#include <stdio.h>
void dump_graph(int fd);
/* One line, in the form of tests/twin/README.md. */
void dump_execution(FILE *to);
#endif
