/* lanes.h: vector instructions that access memory by lanes: gathers (vpgatherdd and its like) and
 * masked moves (vpmaskmovd, vmaskmovps). No compiler's instrumentation announces them: they come
 * from intrinsics, and from code that others compiled. The runtime performs them lane by lane
 * (guest/entry/watch.h). Scatters and the masks of AVX-512 are not decoded: their functions stay
 * escapes (escapes.h). */
#ifndef HEDDLE_INSTRUMENT_MACHINE_LANES_H
#define HEDDLE_INSTRUMENT_MACHINE_LANES_H
#include "tool/instrument/machine/escapes.h"

/* Replaces the escapes of this kind in our own code by watches, where all of a function's can be
 * performed. */
void lanes_watch(const Build *build, Escapes *escapes, Watches *watches);
#endif
