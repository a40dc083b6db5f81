/* watched.h: the access of one watched instruction (watch.h), on whatever processor: announced like
 * any other, and put in its place among those that hooks have announced. */
#ifndef HEDDLE_ENTRY_WATCHED_H
#define HEDDLE_ENTRY_WATCHED_H
#include "guest/explore/memory/deferred.h"
#include "record/link.h"

/* Has a hook announced this very store, so that its value is waited for? The tool watches a store
 * of our own code where it is in doubt (tool/instrument/unannounced/overlooked.h). */
bool watched_is_announced(const void *address, size_t bytes);
/* Announces the access of WATCH to ADDRESS: a load, a store, or both by one instruction. [switch]
 */
void watched_announce(const LinkWatch *watch, void *address, const void *pc);
/* Compilers may move an access that no hook announces before the one that the last hook has
 * announced: that is put aside then. In code without hooks every access is made that was announced
 * before. FRAME is the frame pointer; TRAPPED as for code_before. */
void watched_put_aside(const LinkWatch *watch, uint64_t frame,
                       unsigned (*trapped)(const void *address), DeferredAside *aside);
#endif
