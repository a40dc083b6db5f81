#include "guest/explore/reduce/confirm/memo.h"
#include "guest/runtime/pages.h"

#define SLOTS (1u << 16)
typedef struct Memo {
    Hash128 key;
    bool is_used;
    int answer;
} Memo;
static Memo *memo;
static uint64_t explorations; /* a part of every key */

void memo_begin(void)
{
    explorations++;
    if (!memo)
        memo = pages_reserve(sizeof *memo * SLOTS);
}

Hash128 memo_key(MemoKind kind, Hash128 key)
{
    return hash128_mix(hash128_add(key, kind, explorations));
}

bool memo_find(Hash128 key, int *answer)
{
    const Memo *slot = &memo[key.low % SLOTS];
    if (!slot->is_used || slot->key.low != key.low || slot->key.high != key.high)
        return false;
    *answer = slot->answer;
    return true;
}

void memo_keep(Hash128 key, int answer)
{
    memo[key.low % SLOTS] = (Memo){.key = key, .is_used = true, .answer = answer};
}
