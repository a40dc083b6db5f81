/* cases.h: programs whose test cases a framework runs: GoogleTest, Catch2. The program itself tells
 * the names of its tests; each is explored by itself, as `heddle run FILE -- --gtest_filter=NAME`
 * would. What the user's own arguments select is asked for, no more. */
#ifndef HEDDLE_CLI_CASES_H
#define HEDDLE_CLI_CASES_H
#include "tool/cli/session.h"

typedef enum CasesFramework { CASES_NONE, CASES_GTEST, CASES_CATCH } CasesFramework;

/* The names in what a program of FRAMEWORK prints as its list, without tests that it would not run;
 * *left_out counts these. */
void cases_read_list(Arena *arena, CasesFramework framework, Str text, Words *names,
                     unsigned *left_out);
/* The argument that selects the test NAME and no other. */
const char *cases_argument(Arena *arena, CasesFramework framework, const char *name);
/* The framework of an opened session's program, if its tests are to be explored one by one: a
 * journal, a share or other processes know one exploration only. */
CasesFramework cases_of(const Session *session);
/* Explores every test case. ANSWER is that of the worst one (violated, then inconclusive), or, if
 * all hold, one for all; its `cases` has them all. */
MUST_USE bool cases_explore(Session *session, CasesFramework framework, Answer *answer,
                            Error *error);
#endif
