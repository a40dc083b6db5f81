/* cache.h: what failed, for next time: the failing tests of a test file (--cache), which are made
 * before any other, and the failing tests of a project, which are run first. Small text files in a
 * folder that may be deleted, kept between runs of continuous integration or put under version
 * control. */
#ifndef HEDDLE_CLI_PROJECT_CACHE_H
#define HEDDLE_CLI_PROJECT_CACHE_H
#include "base/error.h"
#include "tool/instrument/compiler.h"

#define CACHE_FOLDER ".heddle-cache"

/* The file for the tests of these sources: FOLDER/queue_check-0123456789abcdef.tests. */
const char *cache_path(Arena *arena, const char *folder, const Words *files);
/* Its lines, newest first; none if there is no such file. */
void cache_read(Arena *arena, const char *path, Words *lines);
/* Puts LINE in front and drops the oldest beyond a limit; makes the folder if need be. */
MUST_USE bool cache_add(Arena *arena, const char *path, const char *line, Error *error);
/* Replaces all lines. */
MUST_USE bool cache_write(const char *path, const Words *lines, Error *error);
#endif
