/* known.h: what a program may call, read off its undefined symbols before it runs. The tool decides
 * by it whether the program can be explored with checkpoints. Plain data: the tool includes it,
 * too. */
#ifndef HEDDLE_RECORD_KNOWN_H
#define HEDDLE_RECORD_KNOWN_H
#include <string.h>
#include "base/common.h"

typedef enum KnownClass {
    KNOWN_SAFE,   /* pure, or what it writes is logged by the runtime */
    KNOWN_REPLAY, /* keeps state or writes memory behind the undo log: only re-execution follows */
    KNOWN_REFUSE  /* when called, the runtime gives up: the answer is inconclusive */
} KnownClass;

typedef struct KnownName {
    const char *name;
    KnownClass class;
} KnownName;

/* The entry of NAME in a TABLE of COUNT entries of SIZE bytes, sorted by the names that they begin
 * with; or NULL. */
static inline const void *known_find(const char *name, const void *table, size_t count, size_t size)
{
    size_t low = 0, high = count;
    while (low < high) {
        size_t middle = (low + high) / 2;
        const char *const *entry = (const void *)((const char *)table + middle * size);
        int order = strcmp(name, *entry);
        if (order == 0)
            return entry;
        if (order < 0)
            high = middle;
        else
            low = middle + 1;
    }
    return NULL;
}

/* The class of NAME in the table, or -1 if the table does not have it. */
static inline int known_listed(const char *name)
{
    static const KnownName exact[] = {
#define X(name, class) {#name, KNOWN_##class},
#include "record/known.inc"
#undef X
    };
    static const KnownName prefixes[] = {
#define X(name, class)
#define PREFIX(name, class) {#name, KNOWN_##class},
#include "record/known.inc"
#undef X
    };
    const KnownName *found = known_find(name, exact, COUNT_OF(exact), sizeof exact[0]);
    if (found)
        return (int)found->class;
    for (size_t i = 0; i < COUNT_OF(prefixes); i++)
        if (!strncmp(name, prefixes[i].name, strlen(prefixes[i].name)))
            return (int)prefixes[i].class;
    return -1;
}

static inline bool known_lists(const char *name)
{
    return known_listed(name) >= 0;
}

/* A name that the table does not know may do anything, so it wants re-execution once it is called.
 */
static inline KnownClass known_class(const char *name)
{
    int class = known_listed(name);
    return class < 0 ? KNOWN_REPLAY : (KnownClass) class;
}

typedef struct KnownEffects {
    const char *name, *effects;
} KnownEffects;

/* Returns what a function that runs as it is does to memory, in the words of
 * entry/library/effects.h; NULL if the table does not have it. */
static inline const char *known_effects(const char *name)
{
    static const KnownEffects table[] = {
#define E(name, effects) {#name, effects},
#include "record/effects.inc"
#undef E
    };
    const KnownEffects *found = known_find(name, table, COUNT_OF(table), sizeof table[0]);
    return found ? found->effects : NULL;
}

/* Returns the same for virtual functions of the C++ library's own classes. */
static inline const char *known_virtual_effects(const char *name)
{
    static const KnownEffects table[] = {
#define V(name, effects) {#name, effects},
#include "record/virtual.inc"
#undef V
    };
    const KnownEffects *found = known_find(name, table, COUNT_OF(table), sizeof table[0]);
    return found ? found->effects : known_effects(name);
}
#endif
