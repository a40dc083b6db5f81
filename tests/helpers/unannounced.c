/* unannounced PROGRAM FUNCTION...: what the compiler's instrumentation forgets in these functions
 * of a linked program (tool/instrument/unannounced/unannounced.h), a line each. */
#include <stdio.h>
#include <string.h>
#include "base/hash.h"
#include "tool/instrument/unannounced/unannounced.h"

int main(int count, char **words)
{
    Arena *arena = arena_new();
    Escapes escapes = {0};
    Watches watches = {0};
    HashMap names = {0};
    Error error;
    for (int i = 2; i < count; i++)
        hashmap_put(&names, hash_bytes(words[i], strlen(words[i]), 0), NULL);
    if (count < 2 || !unannounced_find(arena, words[1], false, &names, &escapes, &watches, &error))
        return 2;
    for (size_t i = 0; i < escapes.count; i++)
        printf("%s %s\n", escapes.at[i].function, escapes_text(arena, &escapes.at[i]));
    for (size_t i = 0; i < watches.count; i++)
        printf("watched\n");
    return 0;
}
