/* golden_code.h: golden code of the program itself (HD_GOLDEN, HD_GOLDEN_INIT of <heddle.h>) as a
 * specification, for programs that mark their calls. Golden code keeps its state where it likes, so
 * a state of the specification is the calls that lead to it, and to make a step they are made once
 * more from the start; what heddle_choose gives is a part of a call. The code runs outside of the
 * exploration: its variables must not be the implementation's. */
#ifndef HEDDLE_HARNESS_GOLDEN_CODE_H
#define HEDDLE_HARNESS_GOLDEN_CODE_H
#include "judge/spec/spec.h"

/* Lives in ARENA, with values in VALUES; NULL if the program has no golden code. INIT may be
 * NULL. */
const Spec *golden_code_spec(Arena *arena, Values *values, void (*init)(void));
/* The operation whose code is running now, or NULL: for the message if it crashes. */
extern const char *golden_code_running;
#endif
