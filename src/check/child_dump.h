/* child_dump.h: graphs and outcomes as text, for maintainers and tests. */
#ifndef HEDDLE_CHECK_CHILD_DUMP_H
#define HEDDLE_CHECK_CHILD_DUMP_H
void dump_graph(int fd); /* the present one */
/* From now on the outcome of every complete execution goes to the file PATH, each different one once:
 * a line with address and final value of every atomic location that has not its first value. */
void dump_outcomes_to(const char *path);
#endif
