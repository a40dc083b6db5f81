/* simulate.c: how busy many ranks are kept, on the tree of a real exploration.
 *
 *     simulate TREE RANKS GROUP SECONDS [LATENCY_US SERVICE_US REPLAY_US]
 *
 * TREE is what HEDDLE_DEBUG=tree=FILE wrote: for each execution, in the order of the search, the
 * number (16 bits) of the oldest choice that changed since the one before. So a part of the work is
 * a run of executions, its oldest open choice is the smallest number after its first, and giving
 * that away cuts the run at the first place where the number stands, as units.c does.
 * GROUP ranks have a leader each, the leaders have rank 0 (two levels); 0: rank 0 serves all, as
 * built. Each execution is made so long that every rank has SECONDS of work: a larger exploration
 * of the same shape, whose smallest parts can't be divided.
 *
 * Who is asked, and how often a rank looks for messages and at its program, is decided by the
 * tool's own code (tool/cli/scale/sharing.c). As in master.c and server.c, a look becomes rarer the
 * longer no work has moved; a server handles all that came, then shares out. SERVICE_US is a
 * server's time for a message, LATENCY_US that of the network, REPLAY_US what it takes to come to
 * the place where a unit begins.
 *
 * A leader whose group is short of work asks rank 0 for several units; rank 0 asks the groups that
 * have kept their work longest, each for its share of what is wanted, and their leaders ask their
 * ranks. (One unit at a time would leave most groups idle at the end, when a unit is small.) */
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "tool/cli/scale/sharing.h"

#define TICK SHARING_TICK_SECONDS
#define NOBODY (-1)
#define SPREAD 0.015 /* seconds: a group that got a unit has shared it out by then */
#define SHORT 64     /* a group is short of work if one of so many ranks is idle */

typedef struct Run {
    int64_t from, to; /* executions */
} Run;

/* ---- the tree ---- */

static uint16_t *least; /* a binary tree of minima over all executions */
static int64_t executions, leaves_at;
static double each; /* seconds an execution */

static void read_tree(const char *path)
{
    FILE *file = fopen(path, "rb");
    if (!file || fseek(file, 0, SEEK_END) != 0) {
        perror(path);
        exit(2);
    }
    executions = ftell(file) / 2;
    rewind(file);
    for (leaves_at = 1; leaves_at < executions;)
        leaves_at *= 2;
    least = malloc((size_t)leaves_at * 2 * sizeof *least);
    if (!least || executions < 2)
        exit(2);
    memset(least, 0xff, (size_t)leaves_at * 2 * sizeof *least);
    if (fread(least + leaves_at, 2, (size_t)executions, file) != (size_t)executions)
        exit(2);
    fclose(file);
    for (int64_t i = leaves_at - 1; i > 0; i--)
        least[i] = least[2 * i] < least[2 * i + 1] ? least[2 * i] : least[2 * i + 1];
}

/* The least number in [FROM, TO) below node X, which covers [LOW, LOW + SIZE). */
static uint16_t least_in(int64_t x, int64_t low, int64_t size, int64_t from, int64_t to)
{
    if (to <= low || from >= low + size)
        return UINT16_MAX;
    if (from <= low && to >= low + size)
        return least[x];
    uint16_t left = least_in(2 * x, low, size / 2, from, to);
    uint16_t right = least_in(2 * x + 1, low + size / 2, size / 2, from, to);
    return left < right ? left : right;
}

/* The first place in [FROM, TO) with a number of at most MOST, or -1. */
static int64_t first_at_most(int64_t x, int64_t low, int64_t size, int64_t from, int64_t to,
                             uint16_t most)
{
    if (to <= low || from >= low + size || least[x] > most)
        return -1;
    if (size == 1)
        return low;
    int64_t found = first_at_most(2 * x, low, size / 2, from, to, most);
    return found >= 0 ? found : first_at_most(2 * x + 1, low + size / 2, size / 2, from, to, most);
}

/* Where the oldest open choice of RUN is cut when its first execution goes on; -1: it has none. */
static int64_t cut_of(Run run)
{
    if (run.from + 1 >= run.to)
        return -1;
    uint16_t oldest = least_in(1, 0, leaves_at, run.from + 1, run.to);
    return first_at_most(1, 0, leaves_at, run.from + 1, run.to, oldest);
}

/* ---- time ---- */

typedef enum Kind {
    RANK_DONE,   /* of its work, unless it has given some away since */
    RANK_WANTED, /* it sees that work is wanted of it */
    RANK_GETS,   /* a unit is there */
    SERVER_TICK,
    SAYS_IDLE, /* to a server from a party: it has nothing to do */
    SAYS_GIFT, /* here is a unit */
    SAYS_WANT, /* to a leader from rank 0 */
    SAYS_UNIT
} Kind;

typedef struct Happening {
    double at;
    Kind kind;
    int who, party; /* rank or server; which of its parties speaks */
    uint64_t version;
    Run run;
} Happening;

static Happening *heap;
static size_t heap_count, heap_room;

static void happen(Happening h)
{
    if (heap_count == heap_room) {
        heap_room = heap_room * 2 + 1024;
        heap = realloc(heap, heap_room * sizeof *heap);
        if (!heap)
            exit(2);
    }
    size_t i = heap_count++;
    for (; i && heap[(i - 1) / 2].at > h.at; i = (i - 1) / 2)
        heap[i] = heap[(i - 1) / 2];
    heap[i] = h;
}

static Happening next_happening(void)
{
    Happening first = heap[0], last = heap[--heap_count];
    size_t i = 0;
    for (size_t child; (child = 2 * i + 1) < heap_count; i = child) {
        if (child + 1 < heap_count && heap[child + 1].at < heap[child].at)
            child++;
        if (heap[child].at >= last.at)
            break;
        heap[i] = heap[child];
    }
    heap[i] = last;
    return first;
}

/* ---- who works ---- */

typedef struct Rank {
    Run run;
    double began; /* when its first execution began */
    double tick;  /* its phase, 0 to TICK */
    double moved; /* when it last got or gave work, or was asked for some */
    uint64_t version;
    bool busy;
    int server, party;
} Rank;

typedef struct Server {
    SharingParty *party;
    int count, idle, first_rank; /* parties; how many said so; of a leader: its ranks */
    int *wants;                  /* of each party: units that it waits for */
    int *promised;               /* of each party: units that it was asked for and has not given */
    Run *waiting;
    size_t waiting_count, waiting_room;
    Happening *inbox;
    size_t inbox_count, inbox_room;
    bool scheduled;
    double phase;
    double moved;     /* when it last had messages */
    int above, place; /* a leader: rank 0's server, and which party of it this is */
    double got;       /* a leader: when it last got a unit from above */
    int coming;       /* a leader: units that it waits for */
    int owed;         /* a leader: units that were promised above */
    double busy;      /* seconds */
} Server;

static Rank *rank;
static Server *server;
static int ranks, groups;
static double latency = 30e-6, service = 5e-6, replay = 1e-3, now;
static uint64_t messages, units, random_state = 88172645463325252u;

static double chance(void)
{
    random_state ^= random_state << 13;
    random_state ^= random_state >> 7;
    random_state ^= random_state << 17;
    return (double)(random_state >> 11) / 9007199254740992.0;
}

/* The first look at or after T of somebody whose looks have this phase and come every TICK seconds.
 */
static double look_after(double t, double phase, double tick)
{
    return ceil((t - phase) / tick) * tick + phase;
}

/* The same of a rank. One that has nothing to do looks often. */
static double rank_looks(const Rank *r, double t)
{
    return look_after(t, r->tick, r->busy ? sharing_tick(t - r->moved) : TICK);
}

static void *grown(void *at, size_t count, size_t *room, size_t size)
{
    if (count < *room)
        return at;
    *room = *room * 2 + 16;
    at = realloc(at, *room * size);
    if (!at)
        exit(2);
    return at;
}

static void schedule(Server *s, double at)
{
    if (s->scheduled)
        return;
    s->scheduled = true;
    double tick = s->idle || s->owed ? TICK : sharing_tick(at - s->moved);
    happen(
        (Happening){look_after(at, s->phase, tick), SERVER_TICK, (int)(s - server), 0, 0, {0, 0}});
}

static void send_server(int to, Kind kind, int party, Run run, double sent)
{
    happen((Happening){sent + latency, kind, to, party, 0, run});
}

/* ---- a rank ---- */

static void rank_starts(Rank *r, Run run, double at)
{
    r->run = run;
    r->began = at + replay;
    r->busy = true;
    r->moved = at;
    r->version++;
    happen((Happening){r->began + (double)(run.to - run.from) * each,
                       RANK_DONE,
                       (int)(r - rank),
                       0,
                       r->version,
                       {0, 0}});
}

static void rank_gives(Rank *r)
{
    r->moved = now;
    if (!r->busy || now < r->began)
        return; /* it does not answer; whoever asked loses patience */
    int64_t present = r->run.from + (int64_t)((now - r->began) / each);
    Run rest = {present < r->run.to ? present : r->run.to - 1, r->run.to};
    int64_t cut = cut_of(rest);
    if (cut < 0)
        return;
    Run gift = {cut, r->run.to};
    r->run.to = cut;
    r->version++;
    units++;
    happen((Happening){r->began + (double)(r->run.to - r->run.from) * each,
                       RANK_DONE,
                       (int)(r - rank),
                       0,
                       r->version,
                       {0, 0}});
    send_server(r->server, SAYS_GIFT, r->party, gift, rank_looks(r, now));
}

/* ---- a server ---- */

static void take_messages(Server *s)
{
    for (size_t i = 0; i < s->inbox_count; i++) {
        Happening *h = &s->inbox[i];
        switch (h->kind) {
        case SAYS_IDLE:
            s->idle += (int)h->run.from - s->wants[h->party];
            s->wants[h->party] = (int)h->run.from;
            s->party[h->party] = (SharingParty){.busy = h->run.to, .since = now};
            break;
        case SAYS_GIFT:
            s->promised[h->party] -= s->promised[h->party] > 0;
            if (!s->promised[h->party])
                s->party[h->party].asked = 0;
            s->party[h->party].since = now;
            /* fall through */
        case SAYS_UNIT:
            if (h->kind == SAYS_UNIT) {
                s->coming -= s->coming > 0;
                s->got = now;
                s->owed = 0; /* who is given work has none to give */
            }
            s->waiting = grown(s->waiting, s->waiting_count, &s->waiting_room, sizeof(Run));
            s->waiting[s->waiting_count++] = h->run;
            break;
        case SAYS_WANT:
            s->owed = (int)h->run.from; /* whoever asks again has stopped waiting for the rest */
            break;
        default:
            abort();
        }
    }
    messages += s->inbox_count;
    if (s->inbox_count)
        s->moved = now;
    s->busy += (double)s->inbox_count * service;
    s->inbox_count = 0;
}

static void give(Server *s, int party, Run run, double at)
{
    s->wants[party]--;
    s->idle--;
    s->party[party] = (SharingParty){.busy = true, .since = now};
    s->busy += service;
    if (s == server && groups)
        send_server(1 + party, SAYS_UNIT, 0, run, at);
    else
        happen((Happening){rank_looks(&rank[s->first_rank + party], at + latency), RANK_GETS,
                           s->first_rank + party, 0, 0, run});
}

static void ask(Server *s, int party, int count, double at)
{
    s->party[party].asked = now;
    s->promised[party] = count;
    s->busy += service;
    if (s == server && groups)
        send_server(1 + party, SAYS_WANT, 0, (Run){count, 0}, at);
    else
        happen((Happening){rank_looks(&rank[s->first_rank + party], at + latency),
                           RANK_WANTED,
                           s->first_rank + party,
                           0,
                           0,
                           {0, 0}});
}

/* How many units rank 0 asks each group for, if WANTED more are needed: an equal part, and no more
 * than half of a group's ranks can give. */
static int share_of_group(const Server *s, int wanted)
{
    int busy = 0, most = ranks / groups / 2;
    for (int p = 0; p < s->count; p++)
        busy += s->party[p].busy;
    int share = busy ? (wanted + busy - 1) / busy : wanted;
    return share < most ? share : most > 1 ? most : 1;
}

/* How many units were asked for and may still come. */
static int expected(const Server *s)
{
    int sum = 0;
    for (int p = 0; p < s->count; p++)
        if (s->party[p].asked > 0 && now - s->party[p].asked < SHARING_PATIENCE_SECONDS)
            sum += s->promised[p];
    return sum;
}

/* Which party waits for the most units. */
static int neediest(const Server *s)
{
    int most = 0;
    for (int p = 1; p < s->count; p++)
        if (s->wants[p] > s->wants[most])
            most = p;
    return most;
}

/* A leader with many idle ranks asks above for as many units as half of them could use. */
static void ask_above(Server *s)
{
    int wanted = (s->idle + 1) / 2;
    bool is_short = s->idle == s->count || (s->idle * SHORT >= s->count && now - s->got >= SPREAD);
    if (s->above == NOBODY || !is_short || s->coming >= wanted)
        return;
    s->coming = wanted;
    send_server(s->above, SAYS_IDLE, s->place, (Run){wanted, s->idle < s->count}, now + service);
}

static void share_out(Server *s)
{
    double before = s->busy;
    for (; s->owed && s->waiting_count; s->owed--)
        send_server(0, SAYS_GIFT, s->place, s->waiting[--s->waiting_count], now + service);
    while (s->idle && s->waiting_count)
        give(s, neediest(s), s->waiting[--s->waiting_count], now + s->busy - before);
    int wanted = s->idle + s->owed - expected(s);
    int share = s == server && groups && wanted > 0 ? share_of_group(s, wanted) : 1;
    for (int victim;
         wanted > 0 && (victim = sharing_victim(s->party, s->count, ranks, now)) >= 0;) {
        ask(s, victim, share, now + s->busy - before);
        wanted -= share;
        s->busy += 2e-9 * s->count;
    }
    s->busy += 2e-9 * s->count;
    ask_above(s);
}

static void server_ticks(Server *s)
{
    double before = s->busy;
    s->scheduled = false;
    take_messages(s);
    share_out(s);
    double spent = s->busy - before;
    if (s->idle || s->owed)
        schedule(s, now + (spent > TICK ? spent : TICK / 2));
}

static void into_inbox(Happening h)
{
    Server *s = &server[h.who];
    s->inbox = grown(s->inbox, s->inbox_count, &s->inbox_room, sizeof *s->inbox);
    s->inbox[s->inbox_count++] = h;
    schedule(s, now);
}

/* ---- all of it ---- */

static void set_up_server(Server *s, int count, int first_rank, int above, int place)
{
    *s = (Server){.count = count, .first_rank = first_rank, .above = above, .place = place};
    s->phase = chance() * TICK;
    s->party = calloc((size_t)count, sizeof *s->party);
    s->wants = malloc((size_t)count * sizeof *s->wants);
    s->promised = calloc((size_t)count, sizeof *s->promised);
    if (!s->party || !s->wants || !s->promised)
        exit(2);
    s->idle = count;
    for (int p = 0; p < count; p++)
        s->wants[p] = 1;
}

static void set_up(int group)
{
    groups = group ? (ranks + group - 1) / group : 0;
    rank = calloc((size_t)ranks, sizeof *rank);
    server = calloc((size_t)groups + 1, sizeof *server);
    if (!rank || !server)
        exit(2);
    set_up_server(&server[0], groups ? groups : ranks, 0, NOBODY, 0);
    for (int g = 0; g < groups; g++)
        set_up_server(&server[1 + g], g < groups - 1 ? group : ranks - g * group, g * group, 0, g);
    for (int r = 0; r < ranks; r++)
        rank[r] = (Rank){.tick = chance() * TICK,
                         .server = groups ? 1 + r / group : 0,
                         .party = groups ? r % group : r};
    for (int g = 0; g < groups; g++)
        server[1 + g].coming = 1; /* all have said that they are idle */
    send_server(0, SAYS_GIFT, 0, (Run){0, executions}, 0);
}

/* When the last rank is done. */
static double simulate(void)
{
    int64_t done = 0;
    double end = 0;
    while (done < executions && heap_count) {
        Happening h = next_happening();
        now = h.at;
        Rank *r = h.kind <= RANK_GETS ? &rank[h.who] : NULL;
        switch (h.kind) {
        case RANK_DONE:
            if (h.version != r->version)
                break;
            done += r->run.to - r->run.from;
            end = now;
            send_server(r->server, SAYS_IDLE, r->party, (Run){1, 0}, rank_looks(r, now));
            r->busy = false;
            break;
        case RANK_WANTED:
            rank_gives(r);
            break;
        case RANK_GETS:
            rank_starts(r, h.run, now);
            break;
        case SERVER_TICK:
            server_ticks(&server[h.who]);
            break;
        default:
            into_inbox(h);
        }
    }
    if (done != executions) {
        fprintf(stderr, "simulate: work was lost\n");
        exit(1);
    }
    return end;
}

int main(int argc, char **argv)
{
    if (argc < 5) {
        fprintf(stderr, "usage: simulate TREE RANKS GROUP SECONDS [LATENCY_US SERVICE_US "
                        "REPLAY_US]\n");
        return 2;
    }
    read_tree(argv[1]);
    ranks = atoi(argv[2]);
    double seconds = atof(argv[4]);
    if (argc > 5)
        latency = atof(argv[5]) * 1e-6;
    if (argc > 6)
        service = atof(argv[6]) * 1e-6;
    if (argc > 7)
        replay = atof(argv[7]) * 1e-6;
    each = seconds * ranks / (double)executions;
    set_up(atoi(argv[3]));
    double end = simulate(), most = 0;
    for (int s = 0; s <= groups; s++)
        most = server[s].busy > most ? server[s].busy : most;
    printf("%6d %6d %10.3f %9.3f %7.1f %9.1f %9.1f\n", ranks, groups ? atoi(argv[3]) : 0,
           each * 1e3, end, 100 * seconds / end, (double)units / ranks, 100 * most / end);
    return 0;
}
