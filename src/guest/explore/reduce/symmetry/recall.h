/* recall.h: stretches of threads (pasts.h) that were met before, word for word.
 *
 * Whatever is known of a stretch when it ends, the past with its owners, the answer, the plain
 * reads, what was written and the request, all with addresses as they are, decides which node of
 * the tree of pasts it leads to. Most stretches are repeated, so that is looked up, by a hash of
 * 128 bits, before the addresses are put in relation to their owners and the node is sought. An
 * entry of this table gives way to another one with the same place: what is forgotten is found out
 * again. HEDDLE_DEBUG=validate finds everything out and compares. */
#ifndef HEDDLE_EXPLORE_SYMMETRY_RECALL_H
#define HEDDLE_EXPLORE_SYMMETRY_RECALL_H
#include "base/hash.h"
#include "guest/explore/reduce/symmetry/pasts.h"

void recall_begin(void);     /* forgets all */
extern uint64_t recall_turn; /* how often it has */
/* Was a stretch of these TERMS, which follows the past FROM, met? Then FROM becomes the past that
 * ends with it. */
bool recall_find(Past *from, const PastTerm *terms, uint32_t count);
/* The stretch that was sought last leads to TO. */
void recall_note(const Past *to);
/* Hash of the stack IMAGE of thread T, without its dead bytes (scrub_hash), at the request at which
 * it has this past, if pasts are kept. What it has on its stack follows from that, unless others
 * write there, so that most hashes are known. */
Hash128 recall_stack(int t, const Past *past, const char *image, size_t bytes);
/* Was that noted since recall_begin? Then a thread, or its ghost, has had this past, with these
 * owners. */
bool recall_has_met(const Past *past);
#endif
