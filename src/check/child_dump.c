/* child_dump.c: the present graph as text, for maintainers (a program started by hand prints it when
 * something was found). */
#include "check/child_dump.h"
#include <stdio.h>
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
