/* constructors.h: what runs before main. The system runs the program's constructors before anything
 * is explored, which is right for most: there is one thread, and what they leave behind is where
 * every execution begins. A constructor that starts a thread or fails is part of the program like
 * any other code: then the process starts once more, keeps the system from running the program's
 * constructors, and runs them in the first thread of every execution, just before main. */
#ifndef HEDDLE_ENTRY_LIBRARY_CONSTRUCTORS_H
#define HEDDLE_ENTRY_LIBRARY_CONSTRUCTORS_H
#include "base/common.h"

/* Called outside an exploration where a constructor does what only an exploration can follow. Does
 * not return if the process can start once more; otherwise the caller says what is wrong. */
void constructors_explore(void);
/* main is about to be explored: from here on nothing starts again. */
void constructors_done(void);
/* Runs those that were kept back, if any. In the first thread of an execution. */
void constructors_run(int argc, char **argv, char **environment);
#endif
