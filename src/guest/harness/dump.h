/* dump.h: graphs and outcomes as text, for maintainers and for the brute-force twin. */
#ifndef HEDDLE_HARNESS_DUMP_H
#define HEDDLE_HARNESS_DUMP_H
#include "base/common.h"
void dump_graph(int fd); /* the present one */
/* From now on every complete execution is appended to the file PATH as a line in the form of
 * tests/twin/README.md; by whole lines if SHARED, since other processes write there, too. What
 * came before an exploration that begins again is taken out. */
void dump_graphs_to(const char *path, bool shared);
void dump_end(void); /* writes what is not written yet */
/* From now on the outcome of every complete execution goes to the file PATH, each different one
 * once: a line with address and final value of every atomic location that has not its first value.
 * What came before an exploration that begins again is taken out. */
void dump_outcomes_to(const char *path);
#endif
