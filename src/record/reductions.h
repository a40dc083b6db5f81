/* reductions.h: the reductions of the search by name, for both sides: --reductions, the help, JSON
 * and the table of guest/explore/reduce/table.c come from this list. What each leaves out is argued
 * on a page of doc/proofs. X(WORD, what it leaves out, the one that it rests on).
 * (That main need not run to its end in every execution is none of them, since it leaves no graph
 * out: guest/explore/reduce/rest.h.) */
#ifndef HEDDLE_RECORD_REDUCTIONS_H
#define HEDDLE_RECORD_REDUCTIONS_H
#include "base/common.h"

#define REDUCTIONS(X)                                                                              \
    X(waiting, "iterations of loops that leave nothing behind", waiting)                           \
    X(sections, "such iterations that take a lock only to look", waiting)                          \
    X(counters, "such iterations that count themselves in and out", sections)                      \
    X(hopeless, "graphs with a thread that nothing explored from there frees", waiting)            \
    X(confirm, "other writes for a read that confirms an earlier one", waiting)                    \
    X(doomed, "what follows a compare-exchange after which its thread only waits", confirm)        \
    X(returning, "revisits of a confirming load by values that do not stay", confirm)              \
    X(lost, "graphs with a thread that no write there is could free", confirm)                     \
    X(barriers, "orders in which threads arrive at a barrier", barriers)                           \
    X(symmetry, "executions that differ in which of equal threads did what", symmetry)

enum {
#define X(word, what, needs) REDUCTION_##word,
    REDUCTIONS(X)
#undef X
        REDUCTION_COUNT
};
#define REDUCTIONS_ALL ((UINT32_C(1) << REDUCTION_COUNT) - 1)
extern const char *const reduction_words[REDUCTION_COUNT];
extern const char *const reduction_meanings[REDUCTION_COUNT]; /* what each leaves out */

/* Is REDUCTION among those that are WANTED, with all that it rests on? */
bool reductions_include(uint32_t wanted, unsigned reduction);
/* Reads `all', `none', or a list: names, with those that they rest on; a name after `-' is left
 * out, and a list that begins so begins with all. False if it has an unknown name. */
bool reductions_parse(const char *text, uint32_t *out);
/* Writes WANTED as such a text. */
void reductions_name(uint32_t wanted, char *to, size_t room);

#endif
