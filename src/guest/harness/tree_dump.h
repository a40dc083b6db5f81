/* tree_dump.h: the shape of the search tree, for those who measure how it can be divided
 * (bench/scale). */
#ifndef HEDDLE_HARNESS_TREE_DUMP_H
#define HEDDLE_HARNESS_TREE_DUMP_H

/* From now on PATH gets, for each complete execution in the order of the search, 16 bits: the
 * number of the oldest frame (frames.h) that was advanced since the one before. To be used with one
 * process. What came before the exploration began again is thrown away. */
void tree_dump_begin(const char *path);
void tree_dump_end(void); /* before the process ends; does nothing without tree_dump_begin */
#endif
