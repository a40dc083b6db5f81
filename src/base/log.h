/* log.h: messages for maintainers on stderr, by module: HEDDLE_LOG=all:warn,explore:debug.
 * Nothing is printed unless HEDDLE_LOG asks for it, except warnings. */
#ifndef HEDDLE_BASE_LOG_H
#define HEDDLE_BASE_LOG_H
#include "base/common.h"

typedef enum LogLevel { LOG_ERROR, LOG_WARN, LOG_INFO, LOG_DEBUG } LogLevel;

/* The module is the folder of the source file: src/guest/explore/graph/graph.c logs as "explore".
 */
#define LOG(level, ...) log_message((level), __FILE__, __VA_ARGS__)
void log_message(LogLevel level, const char *file, const char *format, ...) PRINTF_LIKE(3, 4);
#endif
