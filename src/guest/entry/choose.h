/* choose.h: heddle_choose of <heddle.h>. */
#ifndef HEDDLE_ENTRY_CHOOSE_H
#define HEDDLE_ENTRY_CHOOSE_H
/* Who chooses when no thread of an exploration asks; NULL: nobody, it is 0. */
extern unsigned (*choose_outside)(unsigned count);
#endif
