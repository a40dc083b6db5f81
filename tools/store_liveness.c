/* store_liveness PROGRAM FILE: writes what the liveness analysis knows of the runtime, which is all
 * that PROGRAM contains, to FILE (tool/instrument/liveness/stored.h). For the Makefile. */
#include <stdio.h>
#include "tool/instrument/liveness/liveness.h"

int main(int argc, char **argv)
{
    Error error = {0};
    Arena *arena = arena_new();
    bool fine = argc == 3 && liveness_store(arena, argv[1], argv[2], &error);
    if (!fine)
        fprintf(stderr, "store_liveness: %s\n", argc == 3 ? error.message : "PROGRAM FILE");
    arena_free(arena);
    return fine ? 0 : 1;
}
