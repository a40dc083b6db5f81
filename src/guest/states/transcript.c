#include "guest/states/transcript.h"
#include "guest/states/part.h"
#include "guest/states/symmetry.h"

enum { KNOWN = 1 << 16, ONE_OF = 64 };

typedef uint64_t __attribute__((aligned(1), may_alias)) UnalignedWord;
uint64_t transcript_sum;
static uint64_t known[KNOWN]; /* transcripts of steps that have passed, the last at each place */
static uint64_t tested;       /* the last one that was asked about */

/* It runs on the stack of a thread, where nothing of it must be left: no local variable has an
 * address, and no function is called. */
void transcript_add_memory(const void *at, size_t bytes)
{
    const char *from = at;
    uint64_t sum = transcript_sum;
    for (; bytes >= 8; bytes -= 8, from += 8)
        sum = hash_combine(sum, *(const UnalignedWord *)from);
    for (; bytes; bytes--, from++)
        sum = hash_combine(sum, *(const unsigned char *)from);
    transcript_sum = sum;
}

void transcript_begin(int thread, uint32_t way)
{
    DEBUG_ASSERT(thread >= 0 && thread < STATES_THREADS);
    uint64_t part = states_has_stack[thread] ? part_sum(thread) : 0;
    transcript_sum = hash_combine(part, (uint64_t)way << 32 | (uint64_t)thread);
}

bool transcript_wants_test(uint64_t salt)
{
    tested = symmetry_used ? hash_mix(transcript_sum) : transcript_sum;
    return known[tested % KNOWN] != tested || hash_mix(tested ^ salt) % ONE_OF == 0;
}

void transcript_note_passed(void)
{
    known[tested % KNOWN] = tested;
}
