#include "judge/linear/plan.h"

#define SPREAD (1u << 16) /* beside a method: the single array argument stands for several */

/* Equal for operations that resolve in the same way. */
static uint64_t method_key(const History *history, const Operation *operation)
{
    size_t items = 0;
    if (operation->count == 1)
        value_items(history->values, history->arguments.at[operation->arguments], &items);
    uint64_t shape = operation->count == 1 ? MIN(items, 0xFFFEu) + 0x10000u : operation->count;
    return (uint64_t)operation->name << 32 | shape;
}

static bool resolve_all(Plan *plan, Error *error)
{
    const History *history = plan->history;
    HashMap methods = {0}; /* name, number of arguments -> how to call */
    struct {
        uint64_t key; /* + 1; 0: none */
        uint32_t method;
    } recent[8] = {{0}};
    bool ok = true;
    vec_reserve(&plan->methods, history->operations.count);
    for (size_t i = 0; i < history->operations.count && ok; i++) {
        const Operation *operation = &history->operations.at[i];
        uint64_t key = method_key(history, operation);
        size_t slot = (key ^ key >> 32) % COUNT_OF(recent);
        bool absent = false;
        SpecCall call = {0};
        if (recent[slot].key != key + 1) { /* most logs have a few kinds of operations */
            uint64_t *method = hashmap_put(&methods, key, &absent);
            if (absent) {
                ok = spec_call(plan->spec, history, operation, &call, error);
                *method = call.method | (call.count != operation->count ? SPREAD : 0);
            }
            recent[slot].key = key + 1;
            recent[slot].method = (uint32_t)*method;
        }
        vec_push(&plan->methods, recent[slot].method);
        if (!absent && plan->spec->reject) {
            plan_call(plan, (uint32_t)i, &call);
            if (plan->spec->reject(plan->spec, &call))
                ok = spec_call(plan->spec, history, operation, &call, error);
        }
    }
    hashmap_free(&methods);
    return ok;
}

void plan_call(const Plan *plan, uint32_t index, SpecCall *call)
{
    const History *history = plan->history;
    const Operation *operation = &history->operations.at[index];
    uint32_t method = plan->methods.at[index];
    *call = (SpecCall){.method = (uint16_t)method,
                       .count = operation->count,
                       .arguments = vec_from(&history->arguments, operation->arguments),
                       .result = operation->returned == HISTORY_PENDING ? VALUE_UNKNOWN
                                                                        : operation->result};
    if (method & SPREAD) {
        size_t count;
        call->arguments = value_items(history->values, call->arguments[0], &count);
        call->count = (uint16_t)count;
    }
    if (plan->spec->wants_process) {
        call->arguments = plan->arguments.at + operation->arguments + index;
        call->count = (uint16_t)(operation->count + 1);
    }
}

/* The group of each operation, as a word that is equal for operations of one group. */
static uint64_t group_key(const Plan *plan, uint32_t index, const HashMap *whole, PlanGroup *group)
{
    const Operation *operation = &plan->history->operations.at[index];
    *group = (PlanGroup){.object = operation->object, .part = VALUE_UNKNOWN};
    if (!whole || hashmap_find(whole, operation->object))
        return operation->object;
    SpecCall call;
    plan_call(plan, index, &call);
    plan->spec->part(plan->spec, &call, &group->part);
    return hash_combine(operation->object, group->part.word);
}

static bool same_group(const PlanGroup *a, const PlanGroup *b)
{
    return a->object == b->object && a->part.word == b->part.word;
}

static void divide(Plan *plan, const HashMap *whole)
{
    size_t count = plan->history->operations.count;
    HashMap index = {0}; /* key -> group + 1; on a clash of hashes the next key is tried */
    Vec(uint32_t) group_of = {0};
    vec_reserve(&group_of, count);
    for (uint32_t i = 0; i < count; i++) {
        PlanGroup group;
        uint64_t key = group_key(plan, i, whole, &group);
        uint64_t *known;
        for (;; key++) {
            known = hashmap_put(&index, key, NULL);
            if (!*known || same_group(&plan->groups.at[*known - 1], &group))
                break;
        }
        if (!*known) {
            vec_push(&plan->groups, group);
            *known = plan->groups.count;
        }
        vec_push(&group_of, (uint32_t)*known - 1);
        plan->groups.at[*known - 1].count++;
    }
    hashmap_free(&index);
    vec_reserve(&plan->members, count);
    plan->members.count = count;
    uint32_t first = 0;
    for (size_t g = 0; g < plan->groups.count; g++) {
        plan->groups.at[g].first = first;
        first += plan->groups.at[g].count;
        plan->groups.at[g].count = 0;
    }
    for (uint32_t i = 0; i < count; i++) {
        PlanGroup *group = &plan->groups.at[group_of.at[i]];
        plan->members.at[group->first + group->count++] = i;
    }
    vec_free(&group_of);
}

/* Behind the arguments of each operation, its process. Operations stand in the order in which their
 * arguments do; those that left the history left theirs behind. */
static void add_processes(Plan *plan)
{
    const History *history = plan->history;
    size_t op = 0;
    vec_reserve(&plan->arguments, history->arguments.count + history->operations.count);
    plan->arguments.count = history->arguments.count + history->operations.count;
    for (; op < history->operations.count; op++) {
        const Operation *operation = &history->operations.at[op];
        Value *to = plan->arguments.at + operation->arguments + op;
        for (size_t i = 0; i < operation->count; i++)
            to[i] = history->arguments.at[operation->arguments + i];
        to[operation->count] = history->processes.at[operation->process];
    }
}

bool plan_make(Plan *plan, const History *history, const Spec *spec, bool partition, Error *error)
{
    *plan = (Plan){.history = history, .spec = spec};
    if (spec->wants_process)
        add_processes(plan);
    if (!resolve_all(plan, error) || !spec_check_results(spec, history, error)) {
        plan_free(plan);
        return false;
    }
    size_t count = history->operations.count;
    bool objects = false;
    for (size_t i = 0; i < count && !objects; i++)
        objects = history->operations.at[i].object != history->operations.at[0].object;
    bool parts = partition && spec->part && !history->stuck;
    if (!objects && !parts) { /* one group: no tables needed, however long it is */
        PlanGroup all = {.count = (uint32_t)count, .part = VALUE_UNKNOWN};
        all.object = count ? history->operations.at[0].object : 0;
        vec_push(&plan->groups, all);
        vec_reserve(&plan->members, count);
        plan->members.count = count;
        for (uint32_t i = 0; i < count; i++)
            plan->members.at[i] = i;
        return true;
    }
    HashMap whole = {0}; /* objects that some operation touches as a whole */
    for (uint32_t i = 0; parts && i < count; i++) {
        SpecCall call;
        Value part;
        plan_call(plan, i, &call);
        if (!spec->part(spec, &call, &part))
            hashmap_put(&whole, history->operations.at[i].object, NULL);
    }
    divide(plan, parts ? &whole : NULL);
    hashmap_free(&whole);
    return true;
}

void plan_free(Plan *plan)
{
    vec_free(&plan->methods);
    vec_free(&plan->groups);
    vec_free(&plan->members);
    vec_free(&plan->arguments);
}

size_t plan_memory(const Plan *plan)
{
    return plan->groups.capacity * sizeof(PlanGroup) +
           (plan->members.capacity + plan->methods.capacity) * sizeof(uint32_t);
}
