/* facts.h: what an exploration is an exploration of: program, arguments, and every option on which
 * the search tree depends. Two ledgers fit together if these are equal. */
#ifndef HEDDLE_CLI_SCALE_FACTS_H
#define HEDDLE_CLI_SCALE_FACTS_H
#include "tool/cli/scale/ledger.h"
#include "tool/cli/session.h"

/* Fails if the program can't be read. The facts belong to the session's arena. */
MUST_USE bool facts_collect(const Session *session, LedgerFacts *facts, Error *error);
/* The hash of what is loaded of an ELF file: not of its debug information, whose paths may differ.
 */
MUST_USE bool facts_hash_program(Arena *arena, const char *path, const char **hash, Error *error);
/* The shared libraries that the program has loaded, as LINK lists them. */
void facts_add_libraries(Arena *arena, const Link *link, LedgerFacts *facts);
#endif
