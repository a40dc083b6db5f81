/* sites.c: an operation's place in the source is that of the first frame of the user's at
 * its anchor. Operations with the same place are one, unless the compiler was told not to optimise:
 * then it makes no copies within one function, and several calls there come from one macro; they
 * are numbered by address, in each copy of the function anew. */
#include "tool/cli/weaken/sites.h"
#include <stdlib.h>
#include <string.h>
#include "tool/instrument/liveness/image.h"
#include "tool/report/dwarf/names.h"
#include "record/operations.h"

#define DEEPEST 32

typedef struct Call { /* an operation in the code of the user's */
    uint64_t anchor, scope;
    OrderOperation operation;
    SourceFrame place;
    unsigned number; /* among those of the same place, operation and scope */
    bool met;
} Call;
typedef Vec(Call) Calls;

typedef struct Finder {
    Arena *arena;
    Names *names;
    bool optimised;
    bool relaxed; /* relaxed orders, too */
    Calls calls;
} Finder;

/* --- whose code ------------------------------------------------------------------------------- */

static int range_compare(const void *a, const void *b)
{
    const OrderRange *x = a, *y = b;
    return x->from < y->from ? -1 : x->from > y->from;
}

static void add_range(void *context, uint64_t from, uint64_t to)
{
    OrderTable *table = context;
    if (table->range_count < ORDERS_RANGES)
        table->ranges[table->range_count] = (OrderRange){from, to};
    table->range_count++;
}

bool weaken_sites_prepare(Arena *arena, const char *program, OrderTable *table, Error *error)
{
    Names *names;
    if (!names_open(&names, arena, program, NULL, error))
        return false;
    names_each_system_code(names, add_range, table);
    names_close(names);
    if (table->range_count > ORDERS_RANGES)
        return error_set(error, "the program has more than %d functions of system headers",
                         ORDERS_RANGES);
    qsort(table->ranges, table->range_count, sizeof table->ranges[0], range_compare);
    return true;
}

/* The headers whose functions are the atomic operations themselves; any other function of a library
 * that uses atomics has its own reasons for their orders. */
static bool is_atomic_header(const char *file)
{
    static const char *const names[] = {"atomic", "atomic_base.h", "stdatomic.h"};
    const char *slash = file ? strrchr(file, '/') : NULL;
    for (size_t i = 0; slash && i < COUNT_OF(names); i++)
        if (!strcmp(slash + 1, names[i]))
            return true;
    return file && strstr(file, "/__atomic/") != NULL;
}

typedef enum Owner { OWNER_USER, OWNER_LIBRARY, OWNER_UNKNOWN } Owner;

/* Whose is the operation at ANCHOR? If it is the user's, *out is the place. */
static Owner find_owner(Names *names, uint64_t anchor, uint64_t inner, SourceFrame *out)
{
    SourceFrame frames[DEEPEST];
    unsigned count = names_frames(names, anchor, frames, DEEPEST), i = 0;
    while (i < count && frames[i].system)
        i++;
    if (i == count || !frames[i].file)
        return count && frames[count - 1].file ? OWNER_LIBRARY : OWNER_UNKNOWN;
    *out = frames[i];
    const char *library = i ? frames[i - 1].file : NULL; /* what the user's code called */
    if (!i && inner) {
        count = names_frames(names, inner, frames, DEEPEST);
        library = count ? frames[count - 1].file : "";
    }
    return !library || is_atomic_header(library) ? OWNER_USER : OWNER_LIBRARY;
}

static bool user_frame(Names *names, uint64_t anchor, uint64_t inner, SourceFrame *out)
{
    return find_owner(names, anchor, inner, out) == OWNER_USER;
}

/* --- the program's code ----------------------------------------------------------------------- */

/* "__tsan_atomic32_fetch_add", "compare_exchange_strong", "operator++": which operation? */
static bool operation_of_name(const char *name, OrderOperation *out)
{
    static const struct {
        const char *start;
        OrderOperation operation;
    } starts[] = {{"load", ORDER_OF_LOAD},
                  {"store", ORDER_OF_STORE},
                  {"exchange", ORDER_OF_RMW},
                  {"fetch_", ORDER_OF_RMW},
                  {"compare_exchange", ORDER_OF_CAS},
                  {"test_and_set", ORDER_OF_RMW},
                  {"clear", ORDER_OF_STORE},
                  {"test", ORDER_OF_LOAD},
                  {"thread_fence", ORDER_OF_FENCE},
                  {"operator=", ORDER_OF_STORE},
                  {"operator++", ORDER_OF_RMW},
                  {"operator--", ORDER_OF_RMW},
                  {"operator+=", ORDER_OF_RMW},
                  {"operator-=", ORDER_OF_RMW},
                  {"operator&=", ORDER_OF_RMW},
                  {"operator|=", ORDER_OF_RMW},
                  {"operator^=", ORDER_OF_RMW},
                  {"operator ", ORDER_OF_LOAD}};
    if (!strncmp(name, "atomic_flag_", 12))
        name += 12;
    else if (!strncmp(name, "atomic_", 7))
        name += 7;
    for (size_t i = 0; i < COUNT_OF(starts); i++)
        if (!strncmp(name, starts[i].start, strlen(starts[i].start))) {
            *out = starts[i].operation;
            return true;
        }
    return false;
}

static bool operation_of_hook(const char *name, OrderOperation *out)
{
    if (!strncmp(name, "__tsan_atomic_", 14))
        return !strcmp(name + 14, "thread_fence") && operation_of_name(name + 14, out);
    if (!strncmp(name, "__tsan_atomic", 13)) {
        const char *low = strchr(name + 13, '_');
        return low && operation_of_name(low + 1, out);
    }
    return !strncmp(name, "__atomic_", 9) && operation_of_name(name + 9, out);
}

/* The operation that a call of the function at ADDRESS is, for the user: a hook of the
 * instrumentation, or a function of an atomic header that was not inlined. */
static bool operation_of_callee(const Finder *finder, const ImageFunction *callee,
                                OrderOperation *out)
{
    if (operation_of_hook(callee->name, out))
        return true;
    SourceFrame frames[DEEPEST];
    if (callee->size < 2 || strncmp(callee->name, "_Z", 2) != 0)
        return false;
    unsigned count = names_frames(finder->names, callee->address + 1, frames, DEEPEST);
    return count && frames[count - 1].function && is_atomic_header(frames[count - 1].file) &&
           operation_of_name(frames[count - 1].function, out);
}

static void add_call(Finder *finder, uint64_t anchor, OrderOperation operation,
                     const SourceFrame *place, bool met)
{
    for (size_t i = 0; i < finder->calls.count; i++) {
        Call *known = &finder->calls.at[i];
        if (known->anchor == anchor && known->operation == operation) {
            known->met |= met;
            return;
        }
    }
    vec_push(&finder->calls, (Call){anchor, place->scope, operation, *place, 0, met});
}

/* A call is five bytes whose last four are the distance to a function's first; that other bytes
 * look like one with such a target by chance can be left out of account. */
static bool find_calls(Finder *finder, const char *program, const OrderTable *table, Error *error)
{
    Image *image;
    if (!image_open(finder->arena, program, &image, error))
        return false;
    size_t count = image_function_count(image);
    const ImageFunction *functions = image_functions(image);
    signed char *kinds = arena_array_of(finder->arena, signed char, count + 1); /* -1: none */
    for (size_t f = 0; f < count; f++) {
        OrderOperation operation;
        bool is = operation_of_callee(finder, &functions[f], &operation);
        kinds[f] = is ? (signed char)operation : -1;
    }
    for (size_t f = 0; f < count; f++) {
        size_t room;
        const uint8_t *p = image_bytes(image, functions[f].address, &room);
        for (uint64_t i = 0; p && room >= functions[f].size && i + 5 <= functions[f].size; i++) {
            int32_t distance;
            if (p[i] != 0xe8)
                continue;
            memcpy(&distance, p + i + 1, sizeof distance);
            uint64_t after = functions[f].address + i + 5;
            uint32_t callee = image_function_at(image, after + (uint64_t)(int64_t)distance);
            SourceFrame place;
            if (callee != IMAGE_NO_FUNCTION && kinds[callee] >= 0 &&
                user_frame(finder->names, after, 0, &place))
                add_call(finder, after, (OrderOperation)kinds[callee], &place, false);
        }
    }
    image_close(image);
    for (size_t i = 0; i < ORDERS_SITES; i++) {
        const OrderSite *site = &table->sites[i];
        SourceFrame place;
        if (site->key && user_frame(finder->names, orders_anchor(site->key), site->inner, &place))
            add_call(finder, orders_anchor(site->key), orders_operation(site->key), &place, true);
    }
    return true;
}

/* --- places ----------------------------------------------------------------------------------- */

static bool same_place(const Call *a, const Call *b)
{
    return a->operation == b->operation && a->place.line == b->place.line &&
           a->place.column == b->place.column && !strcmp(a->place.file, b->place.file);
}

static int call_compare(const void *a, const void *b)
{
    const Call *x = a, *y = b;
    int files = strcmp(x->place.file, y->place.file);
    if (files)
        return files;
    if (x->place.line != y->place.line)
        return x->place.line - y->place.line;
    if (x->place.column != y->place.column)
        return x->place.column - y->place.column;
    return x->anchor < y->anchor ? -1 : x->anchor > y->anchor;
}

static void number_calls(Finder *finder)
{
    Calls *calls = &finder->calls;
    if (calls->count)
        qsort(calls->at, calls->count, sizeof calls->at[0], call_compare);
    for (size_t i = 0; i < calls->count && !finder->optimised; i++)
        for (size_t k = i; k-- > 0 && calls->at[k].place.line == calls->at[i].place.line;)
            calls->at[i].number += same_place(&calls->at[k], &calls->at[i]) &&
                                   calls->at[k].scope == calls->at[i].scope;
}

static WeakenOrder *order_of_call(Finder *finder, WeakenSites *sites, const Call *call,
                                  unsigned order, bool failure)
{
    for (size_t i = 0; i < sites->orders.count; i++) {
        WeakenOrder *known = &sites->orders.at[i];
        if (known->operation == call->operation && known->line == call->place.line &&
            known->column == call->place.column && known->ordinal == call->number &&
            known->failure == failure && known->is_known == call->met && known->order == order &&
            !strcmp(known->file, call->place.file))
            return known;
    }
    const char *function = call->place.function ? call->place.function : "?";
    WeakenOrder fresh = {.file =
                             arena_copy(finder->arena, call->place.file, strlen(call->place.file)),
                         .function = arena_copy(finder->arena, function, strlen(function)),
                         .line = call->place.line,
                         .column = call->place.column,
                         .ordinal = call->number,
                         .operation = call->operation,
                         .failure = failure,
                         .order = (uint8_t)order,
                         .is_known = call->met};
    vec_push(&sites->orders, fresh);
    return &vec_last(&sites->orders);
}

/* The order of KEY, a successful operation's or that of one that failed. USED: it has happened. */
static void add_order(Finder *finder, WeakenSites *sites, const Call *call, uint64_t key,
                      bool failure, bool used)
{
    unsigned order = failure ? orders_failure(key) : orders_success(key);
    if (order == ORDER_RELAXED && !finder->relaxed)
        return;
    WeakenOrder *mine = order_of_call(finder, sites, call, order, failure);
    bool first = true;
    uint32_t index = (uint32_t)(mine - sites->orders.at);
    for (size_t i = 0; i < sites->owners.count; i++)
        first &= sites->owners.at[i] != index;
    if (first && !used)
        mine->note = failure ? "it never fails in these tests" : "it never succeeds in these tests";
    else if (used)
        mine->note = NULL;
    vec_push(&sites->owners, index);
    vec_push(&sites->keys, key);
}

static void add_met(Finder *finder, WeakenSites *sites, const Call *call, const OrderTable *table)
{
    for (size_t i = 0; i < ORDERS_SITES; i++) {
        const OrderSite *site = &table->sites[i];
        if (!site->key || orders_anchor(site->key) != call->anchor ||
            orders_operation(site->key) != call->operation)
            continue;
        add_order(finder, sites, call, site->key, false, site->used & ORDER_USED_SUCCESS);
        if (call->operation == ORDER_OF_CAS)
            add_order(finder, sites, call, site->key, true, site->used & ORDER_USED_FAILURE);
    }
}

/* Lists what no test reached, unless a copy of it was: clang makes one call for each value that a
 * variable order may have. */
static void add_unmet(Finder *finder, WeakenSites *sites, const Call *call)
{
    for (size_t i = 0; i < finder->calls.count; i++)
        if (finder->calls.at[i].met && same_place(&finder->calls.at[i], call))
            return;
    Call any = *call;
    any.number = 0;
    order_of_call(finder, sites, &any, ORDER_RELAXED, false);
}

static bool twins(const WeakenOrder *a, const WeakenOrder *b)
{
    return a->line == b->line && a->column == b->column && a->operation == b->operation &&
           a->failure == b->failure && a->order == b->order && !strcmp(a->file, b->file);
}

/* Numbers are only shown where they tell something. */
static void finish_ordinals(WeakenSites *sites)
{
    unsigned *numbers = calloc(sites->orders.count + 1, sizeof *numbers);
    if (!numbers)
        die("out of memory");
    for (size_t i = 0; i < sites->orders.count; i++)
        for (size_t k = 0; k < sites->orders.count; k++)
            if (k != i && twins(&sites->orders.at[k], &sites->orders.at[i]))
                numbers[i] = MAX(numbers[i], 1u) +
                             (sites->orders.at[k].ordinal < sites->orders.at[i].ordinal);
    for (size_t i = 0; i < sites->orders.count; i++)
        sites->orders.at[i].ordinal = numbers[i];
    free(numbers);
}

/* Operations that are not the user's, or nobody knows whose; each entry of the table counts. */
static void count_others(Finder *finder, const OrderTable *table, WeakenSites *sites)
{
    SourceFrame place;
    for (size_t i = 0; i < ORDERS_SITES; i++) {
        const OrderSite *site = &table->sites[i];
        if (!site->key)
            continue;
        Owner owner = find_owner(finder->names, orders_anchor(site->key), site->inner, &place);
        sites->library_orders += owner == OWNER_LIBRARY;
        sites->placeless_orders += owner == OWNER_UNKNOWN;
    }
}

bool weaken_sites_find(Arena *arena, const char *program, const OrderTable *table, bool optimised,
                       bool relaxed, WeakenSites *sites, Error *error)
{
    *sites = (WeakenSites){0};
    if (table->full)
        return error_set(error, "the program has more than %d atomic operations", ORDERS_SITES / 2);
    Finder finder = {.arena = arena, .optimised = optimised, .relaxed = relaxed};
    if (!names_open(&finder.names, arena, program, NULL, error))
        return false;
    bool found = find_calls(&finder, program, table, error);
    if (found) {
        number_calls(&finder);
        for (size_t i = 0; i < finder.calls.count; i++)
            if (finder.calls.at[i].met)
                add_met(&finder, sites, &finder.calls.at[i], table);
            else
                add_unmet(&finder, sites, &finder.calls.at[i]);
        finish_ordinals(sites);
        count_others(&finder, table, sites);
    }
    vec_free(&finder.calls);
    names_close(finder.names);
    return found;
}

void weaken_sites_replace(const WeakenSites *sites, uint32_t index, unsigned to, OrderTable *table)
{
    bool failure = sites->orders.at[index].failure;
    for (size_t i = 0; i < sites->owners.count; i++) {
        uint64_t key = sites->keys.at[i];
        OrderSite *site = sites->owners.at[i] == index ? orders_enter(table, key) : NULL;
        if (!site)
            continue;
        if (!site->replaced) { /* the other order of a compare-exchange may have been before */
            site->new_order = (uint8_t)orders_success(key);
            site->new_failure = (uint8_t)orders_failure(key);
        }
        site->replaced = 1;
        *(failure ? &site->new_failure : &site->new_order) = (uint8_t)to;
    }
}

void weaken_sites_fence(const WeakenSites *sites, uint32_t index, bool after, unsigned order,
                        OrderTable *table)
{
    for (size_t i = 0; i < sites->owners.count; i++) {
        OrderSite *site =
            sites->owners.at[i] == index ? orders_enter(table, sites->keys.at[i]) : NULL;
        if (site)
            *(after ? &site->fence_after : &site->fence_before) = (uint8_t)order;
    }
}

void weaken_sites_free(WeakenSites *sites)
{
    vec_free(&sites->orders);
    vec_free(&sites->owners);
    vec_free(&sites->keys);
}
