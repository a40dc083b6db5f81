#include "tool/cli/repair/repair.h"
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include "record/check.h"
#include "record/hooks.h"
#include "record/operations.h"
#include "tool/cli/repair/edits.h"
#include "tool/cli/repair/tries.h"
#include "tool/cli/scale/ranks.h"
#include "tool/instrument/process.h"
#include "tool/report/dwarf/names.h"
#include "tool/report/steps.h"

#define TRY_FACTOR 20 /* how much longer than under sc it may take with other orders */
#define TRY_LEAST_MS UINT64_C(1000)
#define MOST_ROUNDS 3 /* tries may meet operations that nobody knew */

typedef struct Repairer {
    Session session; /* a copy, with the limits of a try */
    const RepairWish *wish;
    Repair *out;
    Arena *arena;
    OrderTable *empty; /* with the ranges of the system's code */
    OrderTable *met;   /* shared by processes */
    WeakenSites sites;
    Vec(RepairPlace) levels;
    Vec(RepairPlaceOf) places;
    unsigned fences;
    RepairTries tries;
} Repairer;

/* --- stronger models -------------------------------------------------------------------------- */

/* Returns what is wrong, with names. */
static const char *message_of(Arena *arena, const Answer *answer)
{
    Names *names = NULL;
    Error ignored;
    if (!answer->record)
        return answer->message;
    const char *text = names_open(&names, arena, answer->program, answer->record, &ignored)
                           ? steps_sentence(names, answer->record)
                           : record_text(answer->record, answer->record->message);
    text = text ? arena_copy(arena, text, strlen(text)) : NULL;
    names_close(names);
    return text;
}

static bool ask_model(Repairer *repairer, uint32_t model, Error *error)
{
    Repair *out = repairer->out;
    Session copy;
    Answer answer = {0};
    if (!repair_try(&repairer->tries, NULL, &model, &copy, &answer, error))
        return false;
    out->tried++;
    if (model_is_interleaved(model))
        repairer->session.explore.time_ms =
            MAX(TRY_LEAST_MS, (uint64_t)(answer.seconds * 1e3) * TRY_FACTOR);
    RepairModel *row = &out->models[out->model_count++];
    *row = (RepairModel){.model = model_word(model),
                         .verdict = answer.verdict,
                         .known = answer.verdict != VERDICT_INCONCLUSIVE};
    if (answer.verdict == VERDICT_VIOLATED && model_is_interleaved(model)) {
        out->end = REPAIR_STRONGER_MODEL;
        out->reason = message_of(repairer->arena, &answer);
        out->race = answer.violation == VIOLATION_RACE;
    }
    repair_try_end(&copy, &answer);
    return true;
}

/* Does it hold under sc, under tso? What holds under no model holds with no orders. */
static bool ask_models(Repairer *repairer, Error *error)
{
    uint32_t own = repairer->session.explore.model;
    return ask_model(repairer, MODEL_SC, error) &&
           (repairer->out->end == REPAIR_STRONGER_MODEL || model_drains_as_x86(own) ||
            ask_model(repairer, MODEL_TSO, error));
}

/* The program as it is, for the operations that it meets only under its own model. */
static bool meet(Repairer *repairer, Error *error)
{
    Session copy;
    Answer answer = {0};
    if (!repair_try(&repairer->tries, NULL, NULL, &copy, &answer, error))
        return false;
    repairer->out->tried++;
    repair_try_end(&copy, &answer);
    return true;
}

/* --- places ----------------------------------------------------------------------------------- */

static void add_place(Repairer *repairer, uint32_t order, RepairKind kind)
{
    const WeakenOrder *site = &repairer->sites.orders.at[order];
    bool fence = kind != REPAIR_ORDER;
    bool reads = fence || site->operation != ORDER_OF_STORE;
    bool writes = fence || (site->operation != ORDER_OF_LOAD && !site->failure);
    RepairPlace place = {.present = fence ? ORDER_RELAXED : site->order, .fence = fence};
    repair_levels(&place, reads, writes);
    if (!place.level_count)
        return;
    vec_push(&repairer->levels, place);
    vec_push(&repairer->places, (RepairPlaceOf){order, (uint8_t)kind});
    repairer->fences += fence;
}

static bool may_differ(const WeakenOrder *order)
{
    return order->is_known && !order->note;
}

static void make_places(Repairer *repairer)
{
    vec_clear(&repairer->levels);
    vec_clear(&repairer->places);
    repairer->fences = 0;
    size_t count = repairer->sites.orders.count;
    for (uint32_t i = 0; i < count; i++)
        if (may_differ(&repairer->sites.orders.at[i]))
            add_place(repairer, i, REPAIR_ORDER);
    repairer->out->places = (unsigned)repairer->places.count;
    for (uint32_t i = 0; i < count; i++) {
        const WeakenOrder *order = &repairer->sites.orders.at[i];
        if (!may_differ(order) || order->failure || order->operation == ORDER_OF_FENCE)
            continue;
        add_place(repairer, i, REPAIR_FENCE_BEFORE);
        add_place(repairer, i, REPAIR_FENCE_AFTER);
    }
}

static size_t count_met(const OrderTable *table)
{
    size_t count = 0;
    for (size_t i = 0; i < ORDERS_SITES; i++)
        if (table->sites[i].key)
            count += 1u + (unsigned)__builtin_popcount(table->sites[i].used);
    return count;
}

/* --- ways ------------------------------------------------------------------------------------- */

static int change_compare(const void *a, const void *b)
{
    const RepairChange *x = a, *y = b;
    int files = strcmp(x->order->file, y->order->file);
    if (files)
        return files;
    if (x->order->line != y->order->line)
        return x->order->line - y->order->line;
    return x->order->column - y->order->column;
}

static void fill_way(const Repairer *repairer, const uint8_t *assignment, RepairWay *way)
{
    way->count = 0;
    way->at = arena_array_of(repairer->arena, RepairChange, repairer->places.count + 1);
    for (size_t i = 0; i < repairer->places.count; i++) {
        const RepairPlaceOf *place = &repairer->places.at[i];
        if (assignment[i] == repairer->levels.at[i].present)
            continue;
        WeakenOrder *order = arena_new_of(repairer->arena, WeakenOrder);
        *order = repairer->sites.orders.at[place->order];
        RepairChange *change = &way->at[way->count++];
        *change =
            (RepairChange){.order = order, .kind = (RepairKind)place->kind, .to = assignment[i]};
        edits_find(repairer->arena, change);
    }
    qsort(way->at, way->count, sizeof way->at[0], change_compare);
    way->patch = edits_patch(repairer->arena, way);
}

/* Accesses before fences, fewer before more; else as they were found. */
static unsigned way_rank(const RepairWay *way)
{
    unsigned fences = 0;
    for (unsigned i = 0; i < way->count; i++)
        fences += way->at[i].kind != REPAIR_ORDER;
    return fences ? 1000 + way->count : way->count;
}

static void fill_ways(const Repairer *repairer, const RepairSearch *search)
{
    Repair *out = repairer->out;
    out->count = 0;
    out->ways = arena_array_of(repairer->arena, RepairWay, search->sets.count + 1);
    for (size_t i = 0; i < search->sets.count; i++) {
        RepairWay way;
        fill_way(repairer, search->sets.at[i], &way);
        unsigned at = out->count++;
        for (; at && way_rank(&out->ways[at - 1]) > way_rank(&way); at--)
            out->ways[at] = out->ways[at - 1];
        out->ways[at] = way;
    }
}

/* Explores the program with every order at its strongest once more, for what is to be said of it.
 * False if that failed; else repair_try_end is to be called. */
static bool try_strongest(Repairer *repairer, Session *copy, Answer *answer)
{
    uint8_t *strongest = arena_alloc(repairer->arena, repairer->levels.count + 1);
    for (size_t i = 0; i < repairer->levels.count; i++) {
        const RepairPlace *place = &repairer->levels.at[i];
        strongest[i] = place->fence ? place->present : place->levels[place->level_count - 1];
    }
    Error ignored;
    *answer = (Answer){0};
    return repair_try(&repairer->tries, strongest, NULL, copy, answer, &ignored);
}

/* Tells what is wrong even with the strongest orders. */
static void tell_strongest(Repairer *repairer)
{
    Repair *out = repairer->out;
    Session copy;
    Answer answer;
    if (!try_strongest(repairer, &copy, &answer))
        return;
    out->reason = message_of(repairer->arena, &answer);
    out->race = answer.violation == VIOLATION_RACE;
    repair_try_end(&copy, &answer);
}

/* Tells why not even the strongest orders give an answer. */
static void tell_undecided(Repairer *repairer)
{
    Session copy;
    Answer answer;
    if (!try_strongest(repairer, &copy, &answer))
        return;
    if (answer.verdict == VERDICT_INCONCLUSIVE && answer.reason)
        repairer->out->reason =
            arena_printf(repairer->arena, "with all atomic operations seq_cst, %s", answer.reason);
    repair_try_end(&copy, &answer);
}

static void conclude(Repairer *repairer, const RepairSearch *search)
{
    Repair *out = repairer->out;
    fill_ways(repairer, search);
    out->decided = search->decided;
    out->larger = search->larger;
    out->minimal = search->minimal;
    out->with_fences = search->with_fences;
    if (out->count) {
        out->end = REPAIR_FOUND;
    } else if (!out->places || search->strongest == VERDICT_VIOLATED) {
        out->end = out->places ? REPAIR_STRONGEST : REPAIR_NO_ORDERS;
        tell_strongest(repairer);
    } else {
        out->end = search->decided == repairer->wish->most ? REPAIR_NOT_FOUND : REPAIR_UNDECIDED;
        out->reason = process_interrupted() ? "interrupted"
                      : process_seconds() >= repairer->tries.deadline
                          ? "the time limit was reached"
                          : "some programs with stronger orders could not be decided";
        if (search->strongest == VERDICT_INCONCLUSIVE && !repair_tries_over(&repairer->tries))
            tell_undecided(repairer);
    }
}

/* One search over the places that are known so far. */
static bool search_places(Repairer *repairer, Error *error)
{
    weaken_sites_free(&repairer->sites);
    if (!weaken_sites_find(repairer->arena, repairer->session.build.program, repairer->met,
                           options_optimise(repairer->session.options), true, &repairer->sites,
                           error))
        return false;
    make_places(repairer);
    RepairTries *tries = &repairer->tries;
    tries->places = repairer->places.at;
    tries->levels = repairer->levels.at;
    tries->count = (unsigned)repairer->places.count;
    bool by_order = model_forbids_races(repairer->session.explore.model);
    RepairSearch search = {.arena = repairer->arena,
                           .places = repairer->levels.at,
                           .count = tries->count,
                           .fences = repairer->fences,
                           .most = repairer->wish->most,
                           .first = repairer->wish->first,
                           .fences_anyway = !by_order,
                           .ask = repair_tries_ask,
                           .over = repair_tries_over,
                           .context = tries};
    repair_search(&search);
    conclude(repairer, &search);
    repair_search_free(&search);
    return true;
}

static bool find_orders(Repairer *repairer, Error *error)
{
    if (!meet(repairer, error))
        return false;
    for (int round = 0; round < MOST_ROUNDS; round++) {
        size_t before = count_met(repairer->met);
        if (!search_places(repairer, error))
            return false;
        if (count_met(repairer->met) == before || process_seconds() >= repairer->tries.deadline)
            return true;
    }
    return true;
}

bool repair_find(const Session *session, const RepairWish *wish, Repair *repair, Error *error)
{
    double start = process_seconds();
    Arena *arena = session->arena;
    Repairer repairer = {.session = *session,
                         .wish = wish,
                         .out = repair,
                         .arena = arena,
                         .empty = arena_new_of(arena, OrderTable)};
    *repair = (Repair){.end = REPAIR_UNDECIDED, .limit = wish->seconds, .one_test = wish->one_test};
    repairer.session.explore.time_ms = 0;
    repairer.empty->enabled = 1;
    if (!weaken_sites_prepare(arena, session->build.program, repairer.empty, error))
        return false;
    repairer.met = repair_share(sizeof *repairer.met);
    *repairer.met = *repairer.empty;
    repairer.tries = (RepairTries){.session = &repairer.session,
                                   .table = repairer.empty,
                                   .sites = &repairer.sites,
                                   .met = repairer.met,
                                   .deadline = start + wish->seconds,
                                   .made = repair_share(sizeof(uint64_t)),
                                   .jobs = session->explore.jobs,
                                   .quiet = session->options->output.quiet};
    bool found = ask_models(&repairer, error) &&
                 (repair->end == REPAIR_STRONGER_MODEL || find_orders(&repairer, error));
    weaken_sites_free(&repairer.sites);
    vec_free(&repairer.levels);
    vec_free(&repairer.places);
    repair->tried += *repairer.tries.made;
    munmap(repairer.tries.made, sizeof(uint64_t));
    munmap(repairer.met, sizeof *repairer.met);
    repair->seconds = process_seconds() - start;
    return found;
}

/* --- beside a violation ----------------------------------------------------------------------- */

#define BESIDE_SECONDS 2.0

/* Is it a violation that an order may have to do with, in an exploration that can be repeated? */
static bool is_wanted(const Session *session, const Answer *answer)
{
    const ExploreOptions *explore = &session->explore;
    const OutputOptions *output = &session->options->output;
    return answer->verdict == VERDICT_VIOLATED && !answer->cases && !answer->causes &&
           !session->options->no_repair && !model_is_interleaved(explore->model) &&
           !explore->schedules && !explore->check.unbounded && !explore->check.observations[0] &&
           !answer->outcome.states && !output->brief && !session->options->journal &&
           !session->options->shards && ranks_number() <= 1 && !process_interrupted();
}

/* Does the execution have an atomic operation of the program's whose order could be stronger? */
static bool has_weak_order(const Record *record)
{
    for (size_t i = 0; record && i < record->event_count; i++) {
        const RecordEvent *event = &record->events[i];
        bool atomic = event->kind == RECORD_READ || event->kind == RECORD_WRITE ||
                      event->kind == RECORD_FENCE;
        if (atomic && event->order < ORDER_SEQ_CST &&
            !(event->flags & (RECORD_FLAG_AWAIT | RECORD_FLAG_PLAIN)))
            return true;
    }
    return false;
}

void repair_answer(const Session *session, Answer *answer)
{
    double seconds = hooks.repair_ms >= 0 ? (double)hooks.repair_ms / 1e3 : BESIDE_SECONDS;
    if (!is_wanted(session, answer) || !has_weak_order(answer->record))
        return;
    if (session->options->explore.time_ms)
        seconds = MIN(seconds, (double)session->options->explore.time_ms / 1e3 - answer->seconds);
    if (seconds < 0.1)
        return;
    RepairWish wish = {
        .seconds = seconds, .most = 3, .first = true, .one_test = session->explore.check.enabled};
    RunOptions options = *session->options;
    Session quiet = *session;
    options.output.quiet = true;
    quiet.options = &options;
    Repair *repair = arena_new_of(session->arena, Repair);
    Error ignored = {0};
    if (repair_find(&quiet, &wish, repair, &ignored))
        answer->repair = repair;
}
