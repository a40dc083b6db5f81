/* libraries.h: which shared libraries the program under test has loaded. */
#ifndef HEDDLE_HARNESS_LIBRARIES_H
#define HEDDLE_HARNESS_LIBRARIES_H
#include "base/common.h"

/* A line for each, its name and its build id, in TEXT; what does not fit is left out. */
void libraries_list(char *text, size_t room);
#endif
