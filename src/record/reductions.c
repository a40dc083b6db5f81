#include "record/reductions.h"
#include <string.h>

const char *const reduction_words[REDUCTION_COUNT] = {
#define X(word, what, needs) [REDUCTION_##word] = #word,
    REDUCTIONS(X)
#undef X
};

const char *const reduction_meanings[REDUCTION_COUNT] = {
#define X(word, what, needs) [REDUCTION_##word] = what,
    REDUCTIONS(X)
#undef X
};

static const uint8_t rests_on[REDUCTION_COUNT] = {
#define X(word, what, needs) [REDUCTION_##word] = REDUCTION_##needs,
    REDUCTIONS(X)
#undef X
};

bool reductions_include(uint32_t wanted, unsigned reduction)
{
    while (wanted >> reduction & 1 && rests_on[reduction] != reduction)
        reduction = rests_on[reduction];
    return wanted >> reduction & 1;
}

/* Returns the reduction that the LENGTH characters at TEXT name, or REDUCTION_COUNT. */
static unsigned find(const char *text, size_t length)
{
    unsigned i = 0;
    while (i < REDUCTION_COUNT &&
           (strlen(reduction_words[i]) != length || memcmp(reduction_words[i], text, length)))
        i++;
    return i;
}

bool reductions_parse(const char *text, uint32_t *out)
{
    uint32_t wanted = *text == '-' ? REDUCTIONS_ALL : 0;
    if (!strcmp(text, "all") || !strcmp(text, "none")) {
        *out = *text == 'a' ? REDUCTIONS_ALL : 0;
        return true;
    }
    for (;;) {
        bool without = *text == '-';
        text += without;
        size_t length = strcspn(text, ",");
        unsigned named = find(text, length);
        if (named == REDUCTION_COUNT)
            return false;
        if (without)
            wanted &= ~(UINT32_C(1) << named);
        for (unsigned i = named; !without && !(wanted >> i & 1); i = rests_on[i])
            wanted |= UINT32_C(1) << i;
        if (!text[length])
            break;
        text += length + 1;
    }
    *out = wanted;
    return true;
}

void reductions_name(uint32_t wanted, char *to, size_t room)
{
    const char *all = !wanted ? "none" : wanted == REDUCTIONS_ALL ? "all" : NULL;
    size_t used = 0;
    if (all)
        strncpy(to, all, room);
    for (unsigned i = 0; !all && i < REDUCTION_COUNT; i++) {
        size_t length = strlen(reduction_words[i]);
        if (!(wanted >> i & 1) || used + length + 2 > room)
            continue;
        if (used)
            to[used++] = ',';
        memcpy(to + used, reduction_words[i], length + 1);
        used += length;
    }
}
