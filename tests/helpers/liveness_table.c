/* Analyses an executable and writes its table of dead stack bytes: liveness_table PROGRAM TABLE.
 * With a third argument the table is also printed, a line an entry. */
#include <stdio.h>
#include "instrument/liveness.h"

int main(int argc, char **argv)
{
    Error error = {0};
    LivenessTable *table;
    Arena *arena = arena_new();
    if (argc < 3 || !liveness_analyse(arena, argv[1], &table, &error) ||
        !liveness_save(table, argv[2], &error)) {
        fprintf(stderr, "liveness_table: %s\n", argc < 3 ? "PROGRAM TABLE [print]" : error.message);
        return 2;
    }
    for (uint32_t i = 0; argc > 3 && i < table->entry_count; i++) {
        const LivenessEntry *e = &liveness_entries(table)[i];
        printf("%llx frame %u dead registers %02x saved", (unsigned long long)e->address, e->frame_bytes,
               e->dead);
        for (int r = 0; r < LIVENESS_REGISTERS; r++)
            printf(" %d", e->saved[r]);
        for (unsigned k = 0; k < e->range_count; k++) {
            const LivenessRange *range = &liveness_ranges(table)[e->first_range + k];
            printf(" [%u,+%u]", range->offset, range->bytes);
        }
        printf("\n");
    }
    arena_free(arena);
    return 0;
}
