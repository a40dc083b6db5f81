/* together.h: several locks that are taken one after the other, and given back to begin with
 * another one if one of them is not free, as std::lock does: which of them such a loop begins with
 * is no state. The statement, and why no outcome is lost: doc/proofs/sections.md. */
#ifndef HEDDLE_EXPLORE_WAITING_TOGETHER_H
#define HEDDLE_EXPLORE_WAITING_TOGETHER_H
#include <stdbool.h>

/* T asks for a lock, and has made a round since its event number I, at which it asked for one, too,
 * and found one taken that it tried. Is it as far as it was, only that it begins with another lock?
 * *LEARNS: it would be if all of these locks were watched, as they are from now on; the exploration
 * begins again. */
bool together_comes_back(int thread, int i, bool *learns);
#endif
