/* word.h: atomic accesses to the words of locks: those of ops.h during an exploration, the same by
 * hand while there is one thread only. */
#ifndef HEDDLE_ENTRY_SYNC_WORD_H
#define HEDDLE_ENTRY_SYNC_WORD_H
#include "guest/explore/search/ops.h"

/* Returns what the operation makes of a value; whether op_await would go on with it. */
uint64_t word_apply(RmwOp op, uint64_t old, uint64_t operand);
bool word_test(AwaitTest test, uint64_t value, unsigned size, int64_t operand);

uint64_t word_load(const void *address, unsigned size, int order, const void *pc);
void word_store(void *address, unsigned size, uint64_t value, int order, const void *pc);
void word_release(void *address, unsigned size, uint64_t value, const void *pc); /* op_release */
uint64_t word_rmw(void *address, unsigned size, RmwOp op, uint64_t operand, int order,
                  const void *pc);
bool word_cas(void *address, unsigned size, uint64_t *expected, uint64_t desired, int success,
              int failure, const void *pc);
uint64_t word_await(void *address, unsigned size, AwaitTest test, int64_t operand, RmwOp op,
                    uint64_t after, int order, const void *pc, const char *object,
                    const char *verb);
/* Initialises a lock object with IMAGE, whose first WORDS words of four bytes the lock uses
 * atomically: those are stored so (relaxed: what orders the initialisation before another thread's
 * first use is the creation of that thread, or however it learned of the lock), since the memory
 * may have held another lock before, whose last value must not be seen any more. The rest is
 * plain. */
void word_init(void *object, const void *image, size_t bytes, unsigned words, const void *pc);

/* ---- the life of a lock: initialised, used, destroyed ----
 * Its first word tells whether it is destroyed (record/operations.h). Uses meet that word anyhow,
 * so that both orders of a use and a destruction that nothing orders are explored. */

/* A use VERB of the OBJECT found this in its first word: a violation if it is destroyed. */
void word_check_alive(uint64_t found, const void *word, const char *object, const char *verb,
                      const void *pc);
/* A use VERB of the OBJECT comes next: a violation if nothing has written its first word. Uses that
 * wait say it themselves (word_await). */
void word_check_begun(const void *word, const char *object, const char *verb, const void *pc);
/* Marks the first word of an object as destroyed and returns what it held. */
uint64_t word_destroy(void *word, unsigned size, const char *object, const void *pc);
/* Some bytes of the object tell that it is initialised. An object that is initialised while they do
 * is a violation, unless it lies on a stack, where an older one may have been. */
uint64_t word_life_mark(const void *object);
void word_check_fresh(uint64_t found, const void *object, const char *name, const void *pc);
#endif
