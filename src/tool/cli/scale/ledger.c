#include "tool/cli/scale/ledger.h"
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define LOCK_TRIES 200
#define LOCK_WAIT_US 500

void ledger_free(Ledger *ledger)
{
    vec_free(&ledger->facts);
    vec_free(&ledger->remarks);
    vec_free(&ledger->notes);
    vec_free(&ledger->units);
}

void ledger_add_counts(UnitCounts *to, const UnitCounts *from)
{
#define X(name) to->name += from->name;
    UNIT_COUNTS(X)
#undef X
}

static bool lock_units(UnitsShared *units)
{
    for (int i = 0; i < LOCK_TRIES; i++) {
        if (!__atomic_exchange_n(&units->lock, 1, __ATOMIC_ACQUIRE))
            return true;
        usleep(LOCK_WAIT_US);
    }
    return false;
}

static bool is_sound(const UnitHead *head)
{
    return head->way_bytes <= UNITS_WAY_BYTES && head->knowledge_bytes <= UNITS_KNOWLEDGE_BYTES &&
           head->length >= 0 && head->length <= (int)UNITS_WAY_BYTES && head->floor >= 0 &&
           head->floor <= head->length;
}

/* The program may have scribbled over anything: false if the unit makes no sense. */
static bool take_unit(Arena *arena, const UnitHead *head, const unsigned char *way,
                      const unsigned char *knowledge, Ledger *ledger)
{
    if (!is_sound(head))
        return false;
    LedgerUnit unit = {.head = *head,
                       .way = (unsigned char *)arena_copy(arena, way, head->way_bytes),
                       .knowledge =
                           (unsigned char *)arena_copy(arena, knowledge, head->knowledge_bytes)};
    vec_push(&ledger->units, unit);
    return true;
}

static bool take_units(Arena *arena, const UnitsShared *units, Ledger *ledger)
{
    ledger->counts = units->base;
    for (size_t i = 0; i < WORKERS_MOST; i++) {
        const UnitSlot *slot = &units->slots[i];
        ledger_add_counts(&ledger->counts, &slot->counts);
        if (slot->busy && !take_unit(arena, &slot->head, slot->way, slot->knowledge, ledger))
            return false;
    }
    if (units->gift.busy &&
        !take_unit(arena, &units->gift.head, units->gift.way, units->gift.knowledge, ledger))
        return false;
    uint64_t at = units->queue_read, end = MIN(units->queue_written, sizeof units->queue);
    while (at < end) {
        UnitHead head;
        if (at + sizeof head > end)
            return false;
        memcpy(&head, units->queue + at, sizeof head);
        const unsigned char *way = units->queue + at + sizeof head;
        if (!is_sound(&head) || at + units_bytes(&head) > end ||
            !take_unit(arena, &head, way, way + head.way_bytes, ledger))
            return false;
        at += units_bytes(&head);
    }
    const UnitSlot *first = &units->slots[0]; /* its last words stay when its unit is done */
    if (is_sound(&first->head)) {
        ledger->knowledge_bytes = first->head.knowledge_bytes;
        ledger->knowledge =
            (unsigned char *)arena_copy(arena, first->knowledge, first->head.knowledge_bytes);
    }
    return true;
}

/* Takes the tests as far as any have been begun. */
void ledger_take_tests(Arena *arena, const UnitTests *tests, Ledger *ledger)
{
    uint64_t count = MIN(tests->count, (uint64_t)UNITS_TESTS);
    ledger->tests_bytes = (uint32_t)((count + 7) / 8);
    ledger->tests_done = (unsigned char *)arena_copy(arena, tests->done, ledger->tests_bytes);
    ledger->tests_put_off = (unsigned char *)arena_copy(arena, tests->put_off, ledger->tests_bytes);
    ledger->tests_budget = tests->budget;
    ledger->tests_all_done = tests->all_done;
}

/* How many bytes of SAMPLES there is something to say about; 0: nothing was drawn. */
static size_t samples_bytes(const UnitSamples *samples)
{
    bool begun = samples->done || samples->state;
    return begun ? offsetof(UnitSamples, hash) +
                       MIN(samples->distinct, UNITS_HASHES) * sizeof *samples->hash
                 : 0;
}

static void take_samples(Arena *arena, const UnitSamples *samples, Ledger *ledger)
{
    ledger->samples_bytes = (uint32_t)samples_bytes(samples);
    ledger->samples =
        (unsigned char *)arena_copy(arena, (const char *)samples, samples_bytes(samples));
}

static bool give_samples(const Ledger *ledger, UnitSamples *samples)
{
    if (!ledger->samples_bytes)
        return true;
    memcpy(samples, ledger->samples, MIN(ledger->samples_bytes, sizeof *samples));
    return ledger->samples_bytes >= offsetof(UnitSamples, hash) &&
           samples_bytes(samples) == ledger->samples_bytes;
}

static void take_outcome(Arena *arena, const Link *link, Ledger *ledger)
{
    const OutcomeMessage *outcome = &link->outcome;
    ledger->epoch = link->units.epoch - link->units.given_up;
    ledger->tests_planned = link->test_count;
    ledger->shard = link->units.shard;
    ledger->shards = link->units.shards;
    ledger->depth = link->units.depth;
    ledger->leak_objects = outcome->leak_objects;
    ledger->leak_bytes = outcome->leak_bytes;
    ledger->leak_pc = outcome->leak_pc;
    ledger->cut_pc = outcome->cut_pc;
    ledger->cpu_ns = outcome->cpu_ns;
    for (size_t i = 0; i < MIN(link->remark_count, LINK_REMARKS); i++) {
        const char *remark = link->remarks[i];
        vec_push(&ledger->remarks,
                 arena_copy(arena, remark, strnlen(remark, sizeof *link->remarks)));
    }
}

bool ledger_take(Arena *arena, Link *link, Ledger *ledger)
{
    if (!lock_units(&link->units))
        return false;
    bool sound = take_units(arena, &link->units, ledger);
    ledger_take_tests(arena, &link->units.tests, ledger);
    take_samples(arena, &link->units.samples, ledger);
    take_outcome(arena, link, ledger);
    __atomic_store_n(&link->units.lock, 0, __ATOMIC_RELEASE);
    return sound;
}

static void give_counts(const Ledger *ledger, Link *link)
{
    const UnitCounts *counts = &ledger->counts;
    LinkCounters *base = &link->counters[LINK_WORKERS];
    link->units.base = *counts;
    base->executions = counts->executions;
    base->blocked = counts->blocked;
    base->stuck = counts->stuck;
    base->cut = counts->cut;
    base->left_out = counts->left_out;
    base->revisits = counts->revisits;
    link->outcome.tests = counts->tests;
    link->outcome.histories = counts->histories;
    link->outcome.serial_runs = counts->serial_runs;
    link->outcome.tests_by_states = counts->tests_by_states;
    link->outcome.test_states = counts->test_states;
}

void ledger_give_tests(const Ledger *ledger, UnitTests *tests)
{
    uint32_t bytes = MIN(ledger->tests_bytes, (uint32_t)sizeof tests->done);
    tests->count = (uint64_t)bytes * 8;
    tests->budget = ledger->tests_budget;
    if (!bytes)
        return;
    memcpy(tests->done, ledger->tests_done, bytes);
    memcpy(tests->put_off, ledger->tests_put_off, bytes);
}

bool ledger_give(const Ledger *ledger, Link *link, Error *error)
{
    UnitsShared *units = &link->units;
    OutcomeMessage *outcome = &link->outcome;
    give_counts(ledger, link);
    ledger_give_tests(ledger, &units->tests);
    if (!give_samples(ledger, &units->samples))
        return error_set(error, "the samples that were written down make no sense");
    units->resumed = 1;
    units->epoch = (uint32_t)ledger->epoch;
    outcome->leak_objects = ledger->leak_objects;
    outcome->leak_bytes = ledger->leak_bytes;
    outcome->leak_pc = ledger->leak_pc;
    outcome->cut_pc = ledger->cut_pc;
    outcome->promoted = (uint32_t)ledger->promoted;
    outcome->cpu_ns = ledger->cpu_ns;
    for (size_t i = 0; i < MIN(ledger->remarks.count, (size_t)LINK_REMARKS); i++)
        strncpy(link->remarks[link->remark_count++], ledger->remarks.at[i],
                sizeof *link->remarks - 1);
    for (size_t i = 0; i < ledger->units.count; i++) {
        const LedgerUnit *unit = &ledger->units.at[i];
        unsigned char *to = units->queue + units->queue_written;
        if (units->queue_written + units_bytes(&unit->head) > sizeof units->queue)
            return error_set(error, "%zu units of work are more than fit", ledger->units.count);
        memcpy(to, &unit->head, sizeof unit->head);
        memcpy(to + sizeof unit->head, unit->way, unit->head.way_bytes);
        memcpy(to + sizeof unit->head + unit->head.way_bytes, unit->knowledge,
               unit->head.knowledge_bytes);
        units->queue_written += units_bytes(&unit->head);
    }
    return true;
}

/* A variable that one of the two lists has at place I, and the other does not have there. */
static const char *differing_variable(Arena *arena, const LedgerFacts *there,
                                      const LedgerFacts *here, size_t i)
{
    const char *a = i < there->count ? there->at[i].name : "";
    const char *b = i < here->count ? here->at[i].name : "";
    const size_t length = strlen(LEDGER_VARIABLE);
    bool is_there = !strncmp(a, LEDGER_VARIABLE, length);
    bool is_here = !strncmp(b, LEDGER_VARIABLE, length);
    if (!strcmp(a, b) || (!is_there && !is_here))
        return NULL;
    bool only_there = is_there && (!is_here || strcmp(a, b) < 0);
    return arena_printf(arena, "%s: it is set only %s", only_there ? a : b,
                        only_there ? "there" : "here");
}

const char *ledger_difference(Arena *arena, const LedgerFacts *there, const LedgerFacts *here)
{
    for (size_t i = 0; i < MAX(there->count, here->count); i++) {
        const char *variable = differing_variable(arena, there, here, i);
        if (variable)
            return variable;
        if (i >= there->count || i >= here->count || strcmp(there->at[i].name, here->at[i].name))
            return "it lists other properties than this version of heddle does";
        if (strcmp(there->at[i].value, here->at[i].value))
            return arena_printf(arena, "%s: %s there, %s here", here->at[i].name,
                                *there->at[i].value ? there->at[i].value : "nothing",
                                *here->at[i].value ? here->at[i].value : "nothing");
    }
    return NULL;
}

/* ---- knowledge ---- */

int ledger_compare_facts(const void *a, const void *b)
{
    const KnownFact *x = a, *y = b;
    if (x->kind != y->kind)
        return x->kind < y->kind ? -1 : 1;
    return x->key < y->key ? -1 : x->key > y->key;
}

/* The facts that shape the search tree, in order. The others are learnt without a new beginning by
 * whoever comes first, or where no other process has to know. */
static size_t tree_facts(const unsigned char *from, uint32_t bytes, KnownFact *to)
{
    size_t count = 0, end = knowledge_fact_bytes(from, bytes);
    for (size_t at = sizeof(KnowledgeHead); at < end; at += sizeof(KnownFact)) {
        memcpy(&to[count], from + at, sizeof *to);
        count += to[count].kind < FACT_KINDS && fact_traits[to[count].kind].shapes_tree;
    }
    qsort(to, count, sizeof *to, ledger_compare_facts);
    return count;
}

bool ledger_same_tree(const unsigned char *a, uint32_t a_bytes, const unsigned char *b,
                      uint32_t b_bytes)
{
    KnowledgeHead x = {0}, y = {0};
    if (!knowledge_fact_bytes(a, a_bytes) || !knowledge_fact_bytes(b, b_bytes))
        return a_bytes == b_bytes;
    memcpy(&x, a, sizeof x);
    memcpy(&y, b, sizeof y);
    KnownFact *of_a = calloc(x.facts + (size_t)1, sizeof *of_a);
    KnownFact *of_b = calloc(y.facts + (size_t)1, sizeof *of_b);
    if (!of_a || !of_b)
        die("out of memory");
    size_t count = tree_facts(a, a_bytes, of_a);
    bool same = count == tree_facts(b, b_bytes, of_b) &&
                !memcmp(of_a, of_b, count * sizeof *of_a) && x.confirms == y.confirms &&
                !memcmp(a + a_bytes - x.confirms, b + b_bytes - y.confirms, x.confirms);
    free(of_a);
    free(of_b);
    return same;
}
