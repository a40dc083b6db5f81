#include "guest/states/strong.h"
#include <string.h>
#include "guest/explore/graph/graph.h"
#include "guest/explore/graph/models/buffers.h"
#include "guest/explore/search/ops.h"
#include "guest/runtime/pages.h"
#include "guest/states/memory.h"

enum { WORDS = 4096 };
typedef struct Strong { /* in memory that all processes of a search share */
    bool weak;          /* some access was not as it must be */
    /* Aligned words by their numbers, open addressing; for each byte of one how it is accessed:
     * see code_of; 0: not at all. */
    uint64_t word[WORDS], codes[WORDS];
} Strong;
static Strong *shared;
bool strong_is_demanded;
static uint32_t kept_model, kept_races;

bool strong_is_possible(void)
{
    return model_forbids_races(options.model) && options.races != RACES_IGNORE;
}

bool states_know_model(void)
{
    return model_is_interleaved(options.model) || buffers_drain_as_x86() || strong_is_possible();
}

void strong_begin(bool anew)
{
    if (!shared)
        shared = pages_share(sizeof *shared);
    if (anew)
        memset(shared, 0, sizeof *shared);
    strong_is_demanded = strong_is_possible();
    if (!strong_is_demanded)
        return;
    kept_model = options.model;
    kept_races = options.races;
    options.model = MODEL_SC;
    options.races = RACES_ERROR;
}

void strong_end(void)
{
    if (!strong_is_demanded)
        return;
    options.model = kept_model;
    options.races = kept_races;
    strong_is_demanded = false;
}

bool strong_was_kept(void)
{
    return shared && !shared->weak && !states_site_count;
}

/* Does Q take a mutex, or give one back? (sync/mutex.c) */
static bool is_of_mutex(const Request *q)
{
    return (q->kind == REQUEST_AWAIT && q->op == RMW_EXCHANGE && q->test == AWAIT_FREE &&
            q->order == ORDER_ACQUIRE) ||
           (q->kind == REQUEST_STORE && q->locked && q->order == ORDER_RELEASE && !q->plain);
}

static bool is_seq_cst(const Request *q)
{
    return !q->plain && q->order == ORDER_SEQ_CST &&
           (q->kind != REQUEST_CAS || q->failure_order == ORDER_SEQ_CST);
}

/* Returns the place where the codes of WORD are kept, or NULL: there is no more room. */
static uint64_t *codes_of(uint64_t word)
{
    for (unsigned i = 0; i < WORDS; i++) {
        unsigned slot = (unsigned)(word + i) % WORDS;
        uint64_t known = __atomic_load_n(&shared->word[slot], __ATOMIC_RELAXED);
        if (known == word ||
            (!known && (__atomic_compare_exchange_n(&shared->word[slot], &known, word, false,
                                                    __ATOMIC_RELAXED, __ATOMIC_RELAXED) ||
                        known == word)))
            return &shared->codes[slot];
    }
    return NULL;
}

/* Bytes of accesses at multiples of their size (1 to 16) have this code: with the same code at each
 * byte, two accesses are to the same bytes or to different ones. */
static uint64_t code_of(const Request *q)
{
    return 1 + 2 * (unsigned)__builtin_ctz(q->size) + is_of_mutex(q);
}

/* Is each byte that Q accesses always accessed in this size, as part of a mutex or not? */
static bool is_as_before(const Request *q)
{
    uint64_t at = (uintptr_t)q->address, code = code_of(q);
    if (at % q->size)
        return false;
    for (uint64_t word = at / 8; word <= (at + q->size - 1) / 8; word++) {
        unsigned first = q->size < 8 ? at % 8 : 0, bytes = MIN(q->size, 8u);
        uint64_t mask = (bytes == 8 ? UINT64_MAX : (UINT64_C(1) << 8 * bytes) - 1) << 8 * first;
        uint64_t wanted = code * UINT64_C(0x0101010101010101) & mask, *codes = codes_of(word);
        if (!codes)
            return false;
        if (LIKELY((__atomic_load_n(codes, __ATOMIC_RELAXED) & mask) == wanted))
            continue;
        uint64_t known = __atomic_fetch_or(codes, wanted, __ATOMIC_RELAXED) & mask;
        if (known && known != wanted)
            return false;
    }
    return true;
}

void strong_note(const Request *q)
{
    if (!states_concurrent || !request_is_access(q) || q->plain == 1 ||
        (shared->weak && !strong_is_demanded))
        return;
    if (LIKELY((is_seq_cst(q) || is_of_mutex(q)) && is_as_before(q)))
        return;
    shared->weak = true;
    if (strong_is_demanded)
        op_unsupported_at(q->pc,
                          "the states of sc decide under %s only where all that threads race by "
                          "are seq_cst accesses of one size, and mutexes",
                          model_word(kept_model));
}
