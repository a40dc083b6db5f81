/* dump.c: the present graph as text, for maintainers and for the brute-force twin. */
#include "guest/harness/dump.h"
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>
#include "base/hash.h"
#include "guest/explore/search/explore.h"
#include "guest/explore/graph/graph.h"

void dump_graph(int fd)
{
    static const char *const kinds[] = {"?",    "R",   "W",      "F",   "create",
                                        "join", "end", "choose", "mark"};
    for (ThreadSet left = threads_created; left; left &= left - 1) {
        int t = thread_first(left);
        dprintf(fd, "thread %d live %d ended %u waiting %u\n", t, threads[t].live,
                (unsigned)(threads_ended >> t & 1), (unsigned)(threads_waiting >> t & 1));
        for (int i = 0; i < threads[t].count; i++) {
            const Event *e = thread_event(t, i);
            dprintf(fd, "  %3d #%u/%u %s", i, event_id(e), e->stamp, kinds[e->kind]);
            if (IS_ACCESS(e->kind))
                dprintf(fd, " loc%u %p = %llx mo%u%s", e->location,
                        (void *)locations[e->location].address, (unsigned long long)e->value,
                        e->order, e->rmw ? " rmw" : "");
            if (e->kind == EVENT_READ)
                dprintf(fd, " rf #%u (co %d of %d)", e->rf, rf_position(e),
                        locations[e->location].writes);
            if (e->kind == EVENT_WRITE)
                dprintf(fd, " co %d", e->co);
            if (e->waits)
                dprintf(fd, " waits %u from %u", e->waits, e->wait_from);
            dprintf(fd, " pc %llx\n", (unsigned long long)e->pc);
        }
    }
}

static int compare_locations(const void *a, const void *b)
{
    const char *x = locations[*(const LocationId *)a].address;
    const char *y = locations[*(const LocationId *)b].address;
    return x < y ? -1 : x > y;
}

/* Plain accesses are events only where they race, or meet atomic ones. */
static bool is_visible(const Event *e)
{
    return e->kind == EVENT_FENCE || (IS_ACCESS(e->kind) && e->plain != 1);
}

/* An event's number among the visible ones of its thread. */
static int visible_index(const Event *e)
{
    int index = 0;
    for (int i = 0; i < e->index; i++)
        index += is_visible(thread_event(e->thread, i));
    return index;
}

static bool is_visible_location(const Location *x)
{
    for (int j = 1; j < x->writes; j++)
        if (is_visible(&pool[x->co[j]]))
            return true;
    for (int j = 0; j < x->reads; j++)
        if (is_visible(&pool[x->read[j]]))
            return true;
    return false;
}

/* One line. */
static void dump_execution(FILE *to)
{
    const char *separator = "";
    for (ThreadSet left = threads_created; left; left &= left - 1) {
        int t = thread_first(left), index = 0;
        for (int i = 0; i < threads[t].count; i++) {
            const Event *e = thread_event(t, i);
            if (!is_visible(e))
                continue;
            if (!index) {
                fprintf(to, "%sT%d:", separator, t);
                separator = "; ";
            }
            fprintf(to, " %d%c", index++, "?RWF"[e->kind]);
            if (e->kind == EVENT_READ && e->rf && is_visible(&pool[e->rf]))
                fprintf(to, "@%u.%d", pool[e->rf].thread, visible_index(&pool[e->rf]));
            else if (e->kind == EVENT_READ)
                fprintf(to, "@init");
        }
    }
    static LocationId used[1024];
    size_t count = 0;
    for (LocationId l = 1; l <= location_count && count < COUNT_OF(used); l++)
        if (is_visible_location(&locations[l]))
            used[count++] = l;
    qsort(used, count, sizeof used[0], compare_locations);
    for (size_t i = 0; i < count; i++) {
        const Location *x = &locations[used[i]];
        int printed = 0;
        for (int p = 1; p < x->writes; p++) {
            if (!is_visible(&pool[x->co[p]]))
                continue;
            if (!printed++) {
                fprintf(to, "%s%zu:", separator, i);
                separator = "; ";
            }
            fprintf(to, " %u.%d", pool[x->co[p]].thread, visible_index(&pool[x->co[p]]));
        }
    }
    fprintf(to, "\n");
}

static FILE *graphs_file;

static void dump_complete(void)
{
    static unsigned begun;
    if (begun != exploration.restarts) {
        begun = exploration.restarts;
        fflush(graphs_file);
        if (ftruncate(fileno(graphs_file), 0))
            die("the file of the graphs_file cannot be emptied");
    }
    dump_execution(graphs_file);
}

void dump_graphs_to(const char *path, bool shared)
{
    graphs_file = fopen(path, "ae");
    if (!graphs_file)
        die("%s: cannot be written", path);
    if (shared)
        setvbuf(graphs_file, NULL, _IOLBF, 1 << 16);
    exploration.on_complete = dump_complete;
}

typedef struct Final {
    uintptr_t address;
    uint64_t value;
} Final;

static int outcome_fd;
static HashMap outcomes_seen;

static int compare_finals(const void *a, const void *b)
{
    const Final *x = a, *y = b;
    return x->address < y->address ? -1 : x->address > y->address;
}

/* Takes out what came before an exploration that begins again: its passes may have known fewer
 * locations, and left other executions out. */
static void forget_earlier_outcomes(void)
{
    static unsigned begun;
    if (begun == exploration.restarts)
        return;
    begun = exploration.restarts;
    hashmap_clear(&outcomes_seen);
    if (ftruncate(outcome_fd, 0) || lseek(outcome_fd, 0, SEEK_SET))
        die("the file of the outcomes cannot be emptied");
}

static void dump_outcome(void)
{
    enum { MOST = 64 };
    forget_earlier_outcomes();
    Final finals[MOST];
    unsigned count = 0;
    for (LocationId l = 1; l <= location_count; l++) {
        const Location *x = &locations[l];
        uint64_t value = write_value(x->co[x->writes - 1], x);
        if (value != x->init && count < MOST)
            finals[count++] = (Final){(uintptr_t)x->address, value};
    }
    qsort(finals, count, sizeof finals[0], compare_finals);
    bool fresh;
    hashmap_put(&outcomes_seen, hash_bytes(finals, count * sizeof finals[0], 1), &fresh);
    for (unsigned i = 0; i < count && fresh; i++)
        dprintf(outcome_fd, "%lx=%llx ", (unsigned long)finals[i].address,
                (unsigned long long)finals[i].value);
    if (fresh)
        dprintf(outcome_fd, ".\n");
}

void dump_outcomes_to(const char *path)
{
    outcome_fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
    if (outcome_fd < 0)
        die("%s: cannot be written", path);
    exploration.on_complete = dump_outcome;
}

void dump_end(void)
{
    if (outcome_fd)
        forget_earlier_outcomes();
    if (graphs_file && fclose(graphs_file))
        die("the file of the graphs_file cannot be written");
    graphs_file = NULL;
}
