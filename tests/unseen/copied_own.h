/* What some functions of the C library do, as the program's own code: compiled by heddle it is announced, where the
 * library's functions are watched. */
#include <stddef.h>
#include <string.h>
#include <wchar.h>

struct element {
    struct element *next, *previous;
};

static void own_insque(void *new, void *after)
{
    struct element *element = new, *before = after;
    if (!before) {
        element->next = element->previous = NULL;
        return;
    }
    struct element *next = before->next;
    before->next = element;
    if (next)
        next->previous = element;
    element->next = next;
    element->previous = before;
}

static void own_remque(void *old)
{
    struct element *element = old, *next = element->next, *previous = element->previous;
    if (next)
        next->previous = previous;
    if (previous)
        previous->next = next;
}

static void *own_lfind(const void *key, const void *table, size_t *count, size_t size,
                       int (*compare)(const void *, const void *))
{
    const char *at = table;
    size_t i = 0;
    while (i < *count && compare(key, at) != 0) {
        at += size;
        i++;
    }
    return i < *count ? (void *)at : NULL;
}

static void *own_lsearch(const void *key, void *table, size_t *count, size_t size,
                         int (*compare)(const void *, const void *))
{
    void *found = own_lfind(key, table, count, size, compare);
    if (!found) {
        found = memcpy((char *)table + *count * size, key, size);
        ++*count;
    }
    return found;
}

static void *own_memfrob(void *memory, size_t bytes)
{
    char *at = memory;
    while (bytes-- > 0)
        *at++ ^= 42;
    return memory;
}

static int is_one_of(wchar_t c, const wchar_t *set)
{
    while (*set && *set != c)
        set++;
    return *set == c;
}

static wchar_t *own_wcstok(wchar_t *text, const wchar_t *separators, wchar_t **rest)
{
    if (!text && !(text = *rest))
        return NULL;
    while (*text && is_one_of(*text, separators))
        text++;
    *rest = NULL;
    if (!*text)
        return NULL;
    wchar_t *token = text;
    while (*text && !is_one_of(*text, separators))
        text++;
    if (*text) {
        *text = L'\0';
        *rest = text + 1;
    }
    return token;
}

#ifdef OWN
#define insque own_insque
#define remque own_remque
#define lfind own_lfind
#define lsearch own_lsearch
#define memfrob own_memfrob
#define wcstok own_wcstok
#endif
