/* machine_tables [--cc=COMPILER] [-O..] FILE...: builds a program and prints everything that the
 * tool reads off its machine code and assembly text: what escapes, where, what is to be watched,
 * and the table of dead stack bytes. tests/tables.sh compares what two versions of
 * the tool print. */
#include <stdio.h>
#include <string.h>
#include "base/hash.h"
#include "tool/instrument/build.h"
#include "tool/instrument/machine/escapes.h"
#include "tool/instrument/machine/foreign.h"
#include "tool/instrument/liveness/liveness.h"
#include "tool/instrument/shared/copied.h"

static const char *text_of(const char *text)
{
    return text ? text : "-";
}

static void print_escapes(const Escapes *escapes, const EscapePlaces *places)
{
    for (size_t i = 0; i < escapes->count; i++) {
        const Escape *e = &escapes->at[i];
        const char *place = strchr(e->place, '/'); /* folders differ each time */
        printf("escape %s %s+%llx %s: %s, library %s, whole %s, lanes %d, at %llx\n",
               place ? strrchr(place, '/') : e->place, text_of(e->function),
               (unsigned long long)e->offset, text_of(e->instruction), e->why, text_of(e->library),
               e->whole ? "object" : "-", e->by_lanes, (unsigned long long)e->address);
    }
    for (size_t i = 0; i < places->count; i++)
        printf("place %llx of %u\n", (unsigned long long)places->at[i].address,
               places->at[i].escape);
}

static void print_watches(const Watches *watches)
{
    for (size_t i = 0; i < watches->count; i++) {
        const LinkWatch *w = &watches->at[i];
        printf("watch %llx %lld %u %u %u %u %d %u*%u %u%u %u %u %u %u %u %u %d %u\n",
               (unsigned long long)w->address, (long long)w->displacement, w->bytes, w->length,
               w->writes, w->goes, w->base, w->index, w->scale, w->foreign, w->is_volatile,
               w->lanes, w->lane_bytes, w->lane_index_bytes, w->lane_data, w->lane_mask,
               w->assembly, w->number, w->library);
    }
}

static void print_shared(const SharedCode *shared)
{
    for (size_t i = 0; i < shared->libraries.count; i++)
        printf("library %u %llx %llx\n", shared->libraries.at[i].is_copied,
               (unsigned long long)shared->libraries.at[i].code,
               (unsigned long long)shared->libraries.at[i].code_end);
    printf("redirects %llx, gaps %llx, moves %llx\n",
           (unsigned long long)hash_bytes(
               shared->redirects.at, shared->redirects.count * sizeof *shared->redirects.at, 0),
           (unsigned long long)hash_bytes(
               shared->copy.gaps.at, shared->copy.gaps.count * sizeof *shared->copy.gaps.at, 0),
           (unsigned long long)hash_bytes(
               shared->copy.moves.at, shared->copy.moves.count * sizeof *shared->copy.moves.at, 0));
}

static void print_liveness(Arena *arena, const char *program)
{
    LivenessTable *table;
    Error error;
    if (!liveness_analyse(arena, program, &table, &error)) {
        printf("no liveness: %s\n", error.message);
        return;
    }
    for (uint32_t i = 0; i < table->entry_count; i++) {
        const LivenessEntry *e = &liveness_entries(table)[i];
        printf("entry %llx %u: dead %x, idle %x, result %u, others %x %x, more %x, saved",
               (unsigned long long)e->address, e->frame_bytes, e->dead, e->idle, e->result_is_dead,
               e->others_dead, e->others_passed, e->more);
        for (int r = 0; r < LIVENESS_REGISTERS && (r < 6 || e->saved[r]); r++)
            printf(" %d", e->saved[r]);
        for (unsigned k = 0; k < e->range_count; k++) {
            const LivenessRange *range = &liveness_ranges(table)[e->first_range + k];
            printf("%s %u+%u", k + e->idle_count < e->range_count ? "" : " idle", range->offset,
                   range->bytes);
        }
        printf("\n");
    }
}

int main(int argc, char **argv)
{
    Arena *arena = arena_new();
    Workspace workspace;
    BuildRequest request = {0};
    Build build = {0};
    Escapes escapes = {0};
    Watches watches = {0};
    EscapePlaces places = {0};
    SharedCode shared = {0};
    Error error;
    for (int i = 1; i < argc; i++)
        if (!strncmp(argv[i], "--cc=", 5))
            request.cc = argv[i] + 5;
        else if (argv[i][0] == '-' && argv[i][1] == 'l')
            vec_push(&request.link, argv[i]);
        else if (argv[i][0] == '-')
            vec_push(&request.compile, argv[i]);
        else
            vec_push(&request.files, argv[i]);
    bool fine = workspace_open(&workspace, &error);
    if (fine && (!build_program(arena, &workspace, &request, &build, &error) ||
                 !escapes_find(arena, &build, &request, &escapes, &watches, &error)))
        fine = false;
    if (fine) {
        foreign_watch(arena, &build, &escapes, &watches);
        shared_watch(arena, &build, &escapes, &watches, &shared);
        copied_watch(arena, &build, &watches, &shared);
        fine = escapes_places(&build, &escapes, &places, &error);
    }
    if (fine) {
        print_escapes(&escapes, &places);
        print_watches(&watches);
        print_shared(&shared);
        print_liveness(arena, build.program);
    } else {
        printf("error: %s\n", error.message);
    }
    workspace_close(&workspace);
    return 0;
}
