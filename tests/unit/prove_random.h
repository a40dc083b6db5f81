/* prove_random.h: what the random tests of the prover share: how many systems to try and from which
 * seed, and how a system's text becomes a prover. Include it after cmocka.h. */
#ifndef HEDDLE_TESTS_UNIT_PROVE_RANDOM_H
#define HEDDLE_TESTS_UNIT_PROVE_RANDOM_H
#include "base/hash.h"
#include "prove/prover.h"
#include "prove/read/text.h"

/* HEDDLE_SYSTEMS if it is set, else NIGHTLY with HEDDLE_NIGHTLY=1, else USUAL. */
static inline int random_systems(int usual, int nightly)
{
    const char *wanted = getenv("HEDDLE_SYSTEMS"), *night = getenv("HEDDLE_NIGHTLY");
    return wanted ? atoi(wanted) : night && night[0] == '1' ? nightly : usual;
}

static inline Random random_from(uint64_t usual)
{
    const char *seed = getenv("HEDDLE_SEED");
    return (Random){seed ? strtoull(seed, NULL, 10) : usual};
}

static inline const char *random_word(Random *random, const char *const *words, size_t count)
{
    return words[random_below(random, count)];
}

/* A prover of TEXT with its candidates for facts; the test fails if the text can't be read. */
static inline void random_prover(Arena *arena, const char *text, Prover *prover)
{
    IrProgram *program;
    Error error = {0};
    if (!text_read(arena, "random", str_of(text), &program, &error))
        fail_msg("%s in\n%s", error.message, text);
    prover_init(prover, arena, program, 20000);
    facts_candidates(arena, program, &prover->facts);
}
#endif
