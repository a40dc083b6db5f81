/* copied.h: functions of the C library that no table knows (record/effects.inc). The library can't
 * be watched where it is, since the runtime and functions with known effects run in it, too. So the
 * runtime makes a copy of its code (guest/entry/copied.h), and what it needs for that is read off
 * the file here: instructions to be watched, operands to be moved, gaps. It is done only if the
 * program names such a function. */
#ifndef HEDDLE_INSTRUMENT_SHARED_COPIED_H
#define HEDDLE_INSTRUMENT_SHARED_COPIED_H
#include "tool/instrument/shared/shared.h"

void copied_watch(Arena *arena, const Build *build, Watches *watches, SharedCode *shared);
#endif
