#include "record/kinds.h"

const char *violation_word(ViolationKind kind)
{
    static const char *const words[] = {
#define X(name, word, text) word,
        VIOLATION_KINDS(X)
#undef X
    };
    return words[kind];
}

const char *violation_text(ViolationKind kind)
{
    static const char *const texts[] = {
#define X(name, word, text) text,
        VIOLATION_KINDS(X)
#undef X
    };
    return texts[kind];
}

const char *verdict_word(Verdict verdict)
{
    static const char *const words[] = {"holds", "violated", "inconclusive"};
    return words[verdict];
}
