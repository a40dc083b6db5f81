/* live.h: the backward analysis of liveness.c, instruction by instruction. */
#ifndef HEDDLE_INSTRUMENT_LIVENESS_LIVE_H
#define HEDDLE_INSTRUMENT_LIVENESS_LIVE_H
#include "tool/instrument/liveness/idle.h"

/* From what is live after instruction I to what is live before it. */
void live_before(const StackFrame *frame, uint32_t i, FrameLive *live);
/* Computes what is live after instruction I, the last of its block. AT: what is live at the
 * leaders. */
void live_after(const StackFrame *frame, uint32_t i, FrameLive *const *at, FrameLive *live);
void live_copy(const StackFrame *frame, FrameLive *into, const FrameLive *from);
#endif
