/* child_dump.h: the present graph as text on a file descriptor, for maintainers. */
#ifndef HEDDLE_CHECK_CHILD_DUMP_H
#define HEDDLE_CHECK_CHILD_DUMP_H
void dump_graph(int fd);
#endif
