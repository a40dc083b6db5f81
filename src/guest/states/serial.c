#include "guest/states/serial.h"
#include "guest/states/state.h"
#include <setjmp.h>
#include <stdlib.h>
#include <string.h>
#include "base/hash.h"
#include "guest/explore/graph/finding.h"
#include "guest/states/tickets.h"

static const StatesClient *client, *beside;
static Vec(char *) copies; /* by state */
static Vec(StatesKey) keys;
static HashMap by_key, waiting;
static uint64_t bytes_used, runs;

static uint64_t asked_word(uint32_t state, uint32_t thread, uint32_t call)
{
    return (uint64_t)state << 24 | (uint64_t)thread << 16 | call;
}

/* The number of the present state, in which all threads are idle. */
static uint32_t number_state(void)
{
    StatesKey key = tickets_key();
    states_collect();
    for (uint64_t hash = hash_combine(key.a, key.b);; hash++) {
        bool absent;
        uint64_t *at = hashmap_put(&by_key, hash, &absent);
        if (absent) {
            static StatesCopy copy;
            states_copy(&copy);
            *at = copies.count;
            vec_push(&copies, states_keep(&copy));
            vec_push(&keys, key);
            bytes_used += copy.count;
            return (uint32_t)copies.count - 1;
        }
        if (keys.at[*at].a == key.a && keys.at[*at].b == key.b)
            return (uint32_t)*at;
    }
}

static void add_step(Value result, void *out)
{
    memset(states_prints, 0, sizeof states_prints);
    vec_push((SetsSteps *)out, (SetsStep){number_state(), result});
}

/* A violation in one call that runs alone is found by the search as well, as an execution in which
 * the others do nothing; here the call just has no step. */
static void take_step(uint32_t state, uint32_t thread, uint32_t call, SetsSteps *out)
{
    jmp_buf outer;
    runs++;
    memcpy(&outer, &findings.jump, sizeof outer);
    states_use(client);
    states_restore(copies.at[state]);
    states_concurrent = false;
    if (setjmp(findings.jump)) {
        if (finding.kind != FINDING_VIOLATION) {
            memcpy(&findings.jump, &outer, sizeof outer);
            longjmp(findings.jump, 1);
        }
        finding.kind = FINDING_NONE;
    } else if (states_run_alone((int)thread, call, add_step, out)) {
        bool absent;
        hashmap_put(&waiting, asked_word(state, thread, call), &absent);
    }
    memcpy(&findings.jump, &outer, sizeof outer);
    states_use(beside);
    states_concurrent = true;
}

static bool may_wait(uint32_t state, uint32_t thread, uint32_t call)
{
    return hashmap_find(&waiting, asked_word(state, thread, call)) != NULL;
}

static bool is_equal(uint32_t call UNUSED, Value seen, Value given)
{
    return value_equal(seen, given);
}

static uint32_t initial(void)
{
    states_start(client);
    states_concurrent = false;
    uint32_t state = number_state();
    states_use(beside);
    states_concurrent = true;
    return state;
}

const SetsSpec *serial_states(const StatesClient *wanted, const StatesClient *other)
{
    static const SetsSpec spec = {initial, take_step, may_wait, is_equal, NULL};
    client = wanted;
    beside = other;
    for (size_t i = 0; i < copies.count; i++)
        free(copies.at[i]);
    copies.count = keys.count = 0;
    hashmap_clear(&by_key);
    hashmap_clear(&waiting);
    bytes_used = 0;
    return &spec;
}

uint64_t serial_states_count(void)
{
    return copies.count;
}

uint64_t serial_states_runs(void)
{
    return runs;
}

uint64_t serial_states_bytes(void)
{
    return bytes_used;
}
