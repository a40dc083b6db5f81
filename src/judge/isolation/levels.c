#include "judge/isolation/levels.h"
#include <string.h>

const LevelRules level_rules[LEVEL_COUNT] = {
#define X(name, word, depends, rule, below) {word, depends, rule, below},
    ISOLATION_LEVELS(X)
#undef X
};

const char *anomaly_word(Anomaly anomaly)
{
    static const char *const words[] = {
#define X(name, word, what) word,
        ISOLATION_ANOMALIES(X)
#undef X
    };
    return words[anomaly];
}

const char *anomaly_what(Anomaly anomaly)
{
    static const char *const texts[] = {
#define X(name, word, what) what,
        ISOLATION_ANOMALIES(X)
#undef X
    };
    return texts[anomaly];
}

Level level_from_word(const char *word)
{
    if (!strcmp(word, "auto"))
        return LEVEL_AUTO;
    for (Level level = 0; level < LEVEL_COUNT; level++)
        if (!strcmp(word, level_rules[level].word))
            return level;
    return LEVEL_NONE;
}

unsigned level_implies(Level level)
{
    unsigned all = 1u << level;
    for (Level l = level + 1; l-- > 0;)
        if (all >> l & 1)
            all |= level_rules[l].below;
    return all;
}

bool level_forbids(Level level, Anomaly anomaly)
{
    switch (anomaly) {
    case ANOMALY_GARBAGE:
    case ANOMALY_DUPLICATES:
    case ANOMALY_INCOMPATIBLE:
    case ANOMALY_INTERNAL:
        return true;
    case ANOMALY_DIRTY_UPDATE:
    case ANOMALY_G1A:
    case ANOMALY_G1B:
        return level != LEVEL_READ_UNCOMMITTED;
    case ANOMALY_UNREPEATABLE:
        return level >= LEVEL_CUT_ISOLATION;
    case ANOMALY_LOST_UPDATE:
        return level >= LEVEL_PARALLEL_SI;
    default:
        return false; /* a cycle: the rule says */
    }
}
