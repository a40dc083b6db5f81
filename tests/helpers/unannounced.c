/* unannounced PROGRAM FUNCTION...: what the compiler's instrumentation forgets in these functions
 * of a linked program (tool/instrument/unannounced/unannounced.h), a line each: what
 * is an escape, and what is watched. */
#include <stdio.h>
#include <string.h>
#include "base/hash.h"
#include "tool/instrument/liveness/image.h"
#include "tool/instrument/unannounced/unannounced.h"

static const char *function_at(const Image *image, uint64_t address)
{
    uint32_t f = image_function_with(image, address);
    return f == IMAGE_NO_FUNCTION ? "?" : image_functions(image)[f].name;
}

int main(int count, char **words)
{
    Arena *arena = arena_new();
    Escapes escapes = {0};
    Watches watches = {0};
    HashMap names = {0};
    Error error;
    Image *image;
    for (int i = 2; i < count; i++)
        hashmap_put(&names, hash_bytes(words[i], strlen(words[i]), 0), NULL);
    if (count < 2 ||
        !unannounced_find(arena, words[1], false, &names, &escapes, &watches, &error) ||
        !image_open(arena, words[1], &image, &error))
        return 2;
    for (size_t i = 0; i < escapes.count; i++)
        printf("%s %s\n", escapes.at[i].function, escapes_text(arena, &escapes.at[i]));
    for (size_t i = 0; i < watches.count; i++)
        printf("%s watched, %u bytes\n", function_at(image, watches.at[i].address),
               watches.at[i].bytes);
    return 0;
}
