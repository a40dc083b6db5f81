/* child_dump.c: the present graph as text, for maintainers (a program started by hand prints it
 * when something was found). */
#include "check/child_dump.h"
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include "base/hash.h"
#include "explore/explore.h"
#include "explore/graph.h"

void dump_graph(int fd)
{
    static const char *const kinds[] = {"?", "R", "W", "F", "create", "join", "end", "choose"};
    for (uint32_t left = threads_created; left; left &= left - 1) {
        int t = __builtin_ctz(left);
        dprintf(fd, "thread %d live %d ended %u waiting %u\n", t, threads[t].live,
                threads_ended >> t & 1, threads_waiting >> t & 1);
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

static void dump_outcome(void)
{
    enum { MOST = 64 };
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
    explore_on_complete = dump_outcome;
}
