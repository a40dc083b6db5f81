#include "guest/explore/graph/facts.h"
#include <string.h>
#include "guest/explore/graph/finding.h"
#include "guest/explore/graph/granules.h"
#include "record/units_shared.h"

enum { MOST_OBJECTS = 64 }; /* of a kind */

typedef struct Row {
    uint64_t key, value;
} Row;

uint64_t facts_met[FACT_KINDS];
FactsHooks facts_hooks;
static Row rows[FACT_KINDS][MOST_OBJECTS]; /* filled from the first one on */

/* The row of KEY, or the free one that may become its own; NULL: there is no room. */
static Row *find_row(FactKind kind, uint64_t key)
{
    for (Row *row = rows[kind]; row < rows[kind] + MOST_OBJECTS; row++)
        if (!row->key || row->key == key)
            return row;
    return NULL;
}

bool facts_have_room(FactKind kind, uint64_t key)
{
    return find_row(kind, key) != NULL;
}

uint64_t facts_object(FactKind kind, unsigned i)
{
    return i < MOST_OBJECTS ? rows[kind][i].key : 0;
}

/* T is of the group whose first thread has the number FIRST, less 1. Is that news? */
static bool put_in_group(uint64_t t, uint8_t first)
{
    uint8_t other = graphs.leaders[t];
    if (other == first)
        return false;
    graphs.leaders[t] = first;
    for (int i = 0; other && i < MAX_THREADS; i++) /* the two groups are one */
        if (graphs.leaders[i] == first || graphs.leaders[i] == other)
            graphs.leaders[i] = MIN(first, other);
    return true;
}

uint64_t facts_of(FactKind kind, uint64_t key)
{
    uint32_t g;
    const Row *row;
    switch (fact_traits[kind].place) {
    case FACT_OF_ALL:
        return facts_met[kind];
    case FACT_OF_THREAD:
        return graphs.leaders[key];
    case FACT_OF_GRANULE:
        g = granules_find((void *)(uintptr_t)(key << 3));
        return g ? *granule_fact(&granules[g], kind) : 0;
    case FACT_OF_CELLS:
        g = granules_find((void *)(uintptr_t)(key << 3));
        return g && facts_hooks.cells ? facts_hooks.cells(g) : 0;
    default:
        row = facts_met[kind] ? find_row(kind, key) : NULL;
        return row && row->key ? row->value : 0;
    }
}

static bool add_to_row(FactKind kind, uint64_t key, uint64_t value)
{
    Row *row = find_row(kind, key);
    uint64_t joined = row ? fact_join(kind, row->value, value) : 0;
    if (!row || joined == row->value)
        return false;
    *row = (Row){key, joined};
    facts_met[kind] |= joined;
    return true;
}

static bool add_cells(uint64_t key, uint64_t cells)
{
    uint32_t g = granules_get((void *)(uintptr_t)(key << 3));
    if (!facts_hooks.split || granules[g].cells)
        return false;
    facts_hooks.split(g, cells);
    return true;
}

bool facts_add(FactKind kind, uint64_t key, uint64_t value)
{
    DEBUG_ASSERT(kind < FACT_KINDS);
    uint64_t joined;
    switch (fact_traits[kind].place) {
    case FACT_OF_ALL:
        joined = fact_join(kind, facts_met[kind], value);
        if (joined == facts_met[kind])
            return false;
        facts_met[kind] = joined;
        return true;
    case FACT_OF_THREAD:
        return put_in_group(key, (uint8_t)value);
    case FACT_OF_GRANULE:
        return granule_learn(&granules[granules_get((void *)(uintptr_t)(key << 3))], kind,
                             (uint8_t)value);
    case FACT_OF_CELLS:
        return add_cells(key, value);
    default:
        return add_to_row(kind, key, value);
    }
}

void facts_note(FactKind kind, uint64_t key, uint64_t value)
{
    if (facts_add(kind, key, value))
        finding_restart();
}

void facts_forget(void)
{
    memset(facts_met, 0, sizeof facts_met);
    memset(graphs.leaders, 0, sizeof graphs.leaders);
    memset(rows, 0, sizeof rows);
    granules_forget_all();
}

/* ---- units ---- */

typedef struct Writer {
    unsigned char *at, *end;
    KnowledgeHead head;
} Writer;

static bool write_fact(Writer *writer, FactKind kind, uint64_t key, uint64_t value)
{
    const KnownFact fact = {.kind = kind, .key = key & UINT64_C(0xffffffffffffff), .value = value};
    if (!value)
        return true;
    if ((size_t)(writer->end - writer->at) < sizeof fact)
        return false;
    memcpy(writer->at, &fact, sizeof fact);
    writer->at += sizeof fact;
    writer->head.facts++;
    return true;
}

/* A group of bytes alone is worth telling only if it is not the only one. */
static bool write_granule(Writer *writer, uint32_t g)
{
    const Granule *granule = &granules[g];
    uint32_t before = writer->head.facts;
    bool fits = true;
    for (FactKind kind = 0; kind < FACT_KINDS; kind++)
        if (fact_traits[kind].place == FACT_OF_GRANULE)
            fits = fits && write_fact(writer, kind, granule->key, *granule_fact(granule, kind));
    uint64_t cells = facts_hooks.cells ? facts_hooks.cells(g) : 0;
    if (writer->head.facts > before || cells >> 8)
        fits = fits && write_fact(writer, FACT_cells, granule->key, cells);
    return fits;
}

static bool write_rows(Writer *writer, FactKind kind)
{
    bool fits = true;
    for (unsigned i = 0; i < MOST_OBJECTS && rows[kind][i].key; i++)
        fits = fits && write_fact(writer, kind, rows[kind][i].key, rows[kind][i].value);
    return fits;
}

size_t facts_get(unsigned char *to, size_t room)
{
    Writer writer = {.at = to + sizeof writer.head, .end = to + room};
    bool fits = room >= sizeof writer.head;
    for (FactKind kind = 0; kind < FACT_KINDS && fits; kind++)
        if (fact_traits[kind].place == FACT_OF_ALL)
            fits = write_fact(&writer, kind, 0, facts_met[kind]);
        else if (fact_traits[kind].place == FACT_OF_OBJECT)
            fits = write_rows(&writer, kind);
    for (unsigned t = 0; t < MAX_THREADS && fits; t++)
        fits = write_fact(&writer, FACT_alike, t, graphs.leaders[t]);
    for (uint32_t g = 1; g <= granule_map.count && fits; g++)
        fits = write_granule(&writer, g);
    if (!fits)
        return 0;
    memcpy(to, &writer.head, sizeof writer.head);
    return (size_t)(writer.at - to);
}

static bool is_possible(const KnownFact *fact)
{
    if (fact->kind >= FACT_KINDS)
        return false;
    switch (fact_traits[fact->kind].place) {
    case FACT_OF_ALL:
        return fact->key == 0;
    case FACT_OF_THREAD:
        return fact->key < MAX_THREADS && fact->value <= MAX_THREADS;
    case FACT_OF_GRANULE:
        return fact->value <= UINT8_MAX;
    default:
        return fact->key != 0;
    }
}

bool facts_put(const unsigned char *from, size_t bytes)
{
    bytes = knowledge_fact_bytes(from, bytes);
    if (!bytes)
        return false;
    for (size_t at = sizeof(KnowledgeHead); at < bytes; at += sizeof(KnownFact)) {
        KnownFact fact;
        memcpy(&fact, from + at, sizeof fact);
        if (!is_possible(&fact))
            return false;
        facts_add((FactKind)fact.kind, fact.key, fact.value);
    }
    options.checkpoints &= !facts_met[FACT_replayed];
    if (facts_hooks.put)
        facts_hooks.put();
    return true;
}

bool facts_are_more(const unsigned char *from, size_t bytes)
{
    static unsigned char mine[UNITS_KNOWLEDGE_BYTES];
    size_t own = facts_get(mine, sizeof mine);
    bytes = knowledge_fact_bytes(from, bytes);
    if (!bytes || !own)
        return true;
    for (size_t at = sizeof(KnowledgeHead); at < own; at += sizeof(KnownFact)) {
        KnownFact fact, there = {0};
        memcpy(&fact, mine + at, sizeof fact);
        size_t place = sizeof(KnowledgeHead);
        for (; place < bytes; place += sizeof there) {
            memcpy(&there, from + place, sizeof there);
            if (there.kind == fact.kind && there.key == fact.key)
                break;
        }
        uint64_t known = place < bytes ? there.value : 0;
        if (fact_traits[fact.kind].shapes_tree &&
            fact_join((FactKind)fact.kind, known, fact.value) != known)
            return true;
    }
    return false;
}
