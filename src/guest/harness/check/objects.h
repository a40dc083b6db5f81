/* objects.h: several objects in one test (HD_OP_OF), inside the program under test: which
 * given specification is whose. Those without one are judged by their part of the serial runs. */
#ifndef HEDDLE_HARNESS_CHECK_OBJECTS_H
#define HEDDLE_HARNESS_CHECK_OBJECTS_H
#include "guest/harness/judges.h"

bool child_objects_several(void);
/* NAME as in judges.h, or NULL. RELAXED: --quasi is asked for. */
MUST_USE bool child_objects_setup(Arena *arena, const char *name, bool relaxed, Error *error);
/* By number in child_test.declared; NULL if nothing is given for it. */
ObjectJudge *child_objects_judge(uint32_t object);
#endif
