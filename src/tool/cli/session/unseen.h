/* unseen.h: code that nobody announces or watches, and the part of it that is trusted: what --trust
 * names, and test frameworks.
 *
 * Trust of a whole object or library includes the calls that its code makes, and calls of functions
 * that a shared library defines; trust of a line or of
 * a library function includes the calls at that line, or of that function. A call belongs to the
 * object whose function contains the return address. Where another object has a function of the
 * same name and size, or where no symbol covers the address, the call counts as one that nobody
 * answers for. */
#ifndef HEDDLE_CLI_SESSION_UNSEEN_H
#define HEDDLE_CLI_SESSION_UNSEEN_H
#include "tool/cli/session.h"

/* Takes what is trusted out of the session's escapes. Call it again when whole objects have been
 * replaced by their functions (foreign_watch). */
void unseen_trust(Session *session);
/* Finds the code of the objects that are trusted as a whole, in the linked program. */
void unseen_find_trusted_code(Session *session);
/* Collects what RESULT says that the program ran and nobody saw: escapes, and calls of functions
 * whose effects are unknown. */
void unseen_take(Session *session, const SuperviseResult *result, Words *out);
#endif
