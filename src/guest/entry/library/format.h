/* format.h: the accesses that formatted output makes through its arguments. */
#ifndef HEDDLE_ENTRY_LIBRARY_FORMAT_H
#define HEDDLE_ENTRY_LIBRARY_FORMAT_H
#include <stdarg.h>
#include "base/common.h"

/* Announces the strings that %s reads and the integers that %n writes. Stops at the first directive
 * that it does not know: then the rest goes unchecked, as libc would do it. LIST is consumed. */
void format_announce(const char *format, va_list list, const void *pc);
#endif
