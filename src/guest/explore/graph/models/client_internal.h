/* client_internal.h: the events of the present graph as bits, for the files client_*.c. */
#ifndef HEDDLE_EXPLORE_MODELS_CLIENT_INTERNAL_H
#define HEDDLE_EXPLORE_MODELS_CLIENT_INTERNAL_H
#include "guest/explore/graph/models/client.h"

#define CLIENT_EVENTS 1024
#define CLIENT_WORDS (CLIENT_EVENTS / 64)
typedef uint64_t ClientSet[CLIENT_WORDS]; /* of events, numbered thread after thread */

typedef struct Client {
    int n, words; /* events; words of a set that are used */
    int base[MAX_THREADS];
    const Event *at[CLIENT_EVENTS];
    uint64_t *locations; /* sets of their accesses */
    LocationId location_room;
} Client;
extern Client client;

static inline void client_add(uint64_t *set, int i)
{
    set[i >> 6] |= UINT64_C(1) << (i & 63);
}
static inline bool client_has(const uint64_t *set, int i)
{
    return set[i >> 6] >> (i & 63) & 1;
}
static inline void client_unite(uint64_t *into, const uint64_t *from)
{
    for (int w = 0; w < client.words; w++)
        into[w] |= from[w];
}
static inline bool client_meet(const uint64_t *a, const uint64_t *b)
{
    for (int w = 0; w < client.words; w++)
        if (a[w] & b[w])
            return true;
    return false;
}
static inline void client_clear(uint64_t *set)
{
    for (int w = 0; w < client.words; w++)
        set[w] = 0;
}
static inline uint64_t *client_location(LocationId l)
{
    return client.locations + (size_t)l * CLIENT_WORDS;
}
/* The place of an access in the order of its location; a read stands behind what it reads. Y eco x
 * iff key(y) < key(x), but for the read and write of one read-modify-write. */
static inline int client_key(const Event *e)
{
    return e->kind == EVENT_WRITE ? 2 * e->co : 2 * rf_position(e) + 1;
}

void client_find_locations(void); /* fills `locations` */
/* Sets bad[a] to the operations b such that the edge (a, b) alone breaks coherence. */
void client_pairs_find(const EventId *calls, const EventId *returns, uint32_t count, uint32_t *bad);
/* Some of these: those that accesses of a and b themselves tell, to locations with neither few nor
 * many writes. Needs nothing else of this file. */
#define CLIENT_FEW_WRITES 2 /* the initial one is counted */
#define CLIENT_OWN_PLACES 256
void client_own_pairs_find(const EventId *calls, const EventId *returns, uint32_t count,
                           uint32_t *bad);
#endif
