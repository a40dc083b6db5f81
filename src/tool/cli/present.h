/* present.h: the end of a command: the answer printed in the form that was asked for, its record
 * saved, its files written, its exit status. */
#ifndef HEDDLE_CLI_PRESENT_H
#define HEDDLE_CLI_PRESENT_H
#include "tool/cli/session.h"

/* Saves the record of a violation, if that is wanted. */
void present_save(const Session *session, Answer *answer);
/* Does the same with SUFFIX behind its name, for one of several. */
void present_save_as(const Session *session, Answer *answer, const char *suffix);
/* Fills in what is wrong, in a sentence. */
void present_message(const Session *session, Answer *answer);
/* The answer as text on stdout; nothing else. */
void present_text(const Session *session, Answer *answer);
/* Returns the exit status. */
int present_answer(const Session *session, Answer *answer);
/* Writes the files that were asked for (--html, --sarif, --junit), and fills in what is wrong. */
MUST_USE bool present_reports(const Session *session, Answer *answer, Error *error);
/* "heddle: file:line: message" on stderr. */
void present_error(const Error *error);
/* Does the same at the end of a command that gave no answer; returns the exit status: 2, or 3 if a
 * person has interrupted it. */
int present_failure(const Error *error);
#endif
