/* width.h: how many events of one thread can be counted. Clocks and tags take most of the memory
 * that the search goes through, so they are as narrow as short executions allow. The runtime is
 * built a second time, with HEDDLE_LONG, for programs whose threads have more events
 * (build/lib/heddle_rt_long.o): the tool begins again with it when an execution was given up for
 * that reason (tool/cli/session.c). */
#ifndef HEDDLE_EXPLORE_WIDTH_H
#define HEDDLE_EXPLORE_WIDTH_H
#include "base/common.h"
#include "record/options.h"

#ifdef HEDDLE_LONG
typedef int32_t ClockEntry; /* how many events of a thread are before */
typedef int32_t EventIndex; /* of an event in its thread; how many it has. Never negative */
#define EVENT_INDEX_MAX INT32_MAX
#define MAX_EVENTS (1u << 21) /* of one execution, in the pool */
#define MAX_THREAD_EVENTS (EVENTS_OF_THREAD_LONG + 2000u)
#define EVENTS_OF_THREAD EVENTS_OF_THREAD_LONG
#else
typedef int16_t ClockEntry;
typedef uint16_t EventIndex;
#define EVENT_INDEX_MAX UINT16_MAX
#define MAX_EVENTS (1u << 20)
#define MAX_THREAD_EVENTS (EVENTS_OF_THREAD_SHORT + 2000u)
#define EVENTS_OF_THREAD EVENTS_OF_THREAD_SHORT
#endif
#endif
