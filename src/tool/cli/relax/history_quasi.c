/* A history that is allowed with some factors is allowed with larger ones (quasi_auto.c), so the
 * smallest is found by doubling and then by bisection. */
#include "tool/cli/relax/history_quasi.h"
#include <stdlib.h>
#include "judge/library/parts.h"

#define LARGEST 32u

void history_quasi_free(HistoryQuasi *search)
{
    vec_free(&search->factors);
    vec_free(&search->remark);
}

/* The names of the operations that take, joined by +. */
static void name_takes(const HistoryQuasi *search, Buffer *out)
{
    const Spec *spec = search->inner;
    HashMap seen = {0};
    for (size_t h = 0; spec->role && h < search->histories->count; h++) {
        const History *history = search->histories->at[h];
        for (size_t i = 0; i < history->operations.count; i++) {
            const Operation *op = &history->operations.at[i];
            SpecCall call;
            Value value;
            Error unused;
            bool absent;
            if (!spec_call(spec, history, op, &call, &unused))
                continue;
            SpecRole role = spec->role(spec, &call, &value);
            if (role != SPEC_ROLE_TAKE && role != SPEC_ROLE_EMPTY)
                continue;
            hashmap_put(&seen, op->name, &absent);
            if (absent)
                buffer_printf(out, "%s%.*s", out->count ? "+" : "",
                              STR_ARG(value_text(history->values, value_of_symbol(op->name))));
        }
    }
    hashmap_free(&seen);
}

/* WANTED with FACTOR in the places of `auto`; false if there is nothing that takes. */
static bool fill_in(HistoryQuasi *search, const char *wanted, uint32_t factor)
{
    Str rest = str_of(wanted), piece;
    vec_clear(&search->factors);
    while (str_next(&rest, ',', &piece)) {
        Str names, number = str_trim(piece);
        str_next(&number, ':', &names);
        buffer_printf(&search->factors, "%s", search->factors.count ? "," : "");
        if (str_is(names, "auto")) {
            size_t before = search->factors.count;
            name_takes(search, &search->factors);
            if (search->factors.count == before)
                return false;
            buffer_printf(&search->factors, ":%u", factor);
        } else if (number.at && str_is(str_trim(number), "auto")) {
            buffer_printf(&search->factors, "%.*s:%u", STR_ARG(names), factor);
        } else {
            buffer_printf(&search->factors, "%.*s", STR_ARG(piece));
        }
    }
    return true;
}

/* Judges all histories with the present factors. */
static bool judge(HistoryQuasi *search, Verdict *verdict, Error *error)
{
    Arena *arena = arena_new();
    Spec *spec =
        spec_relax(arena, search->inner, buffer_str(&search->factors), search->semantics, error);
    bool ok = spec != NULL;
    *verdict = VERDICT_HOLDS;
    for (size_t h = 0; ok && h < search->histories->count && *verdict == VERDICT_HOLDS; h++) {
        Plan plan;
        const Plan *const plans[] = {&plan};
        ok = plan_make(&plan, search->histories->at[h], spec, search->partition, error);
        if (!ok)
            break;
        PartsTask task = {
            .spec = spec, .plans = plans, .plan_count = 1, .monitors = search->monitors};
        void *memory = calloc(1, parts_bytes(&task));
        if (!memory)
            die("out of memory");
        Parts *parts = parts_start(memory, &task);
        parts_take_turns(parts, &task, &search->limits);
        for (size_t i = 0; i < parts->count; i++)
            if (parts->parts[i].verdict.verdict == VERDICT_INCONCLUSIVE)
                *verdict = VERDICT_INCONCLUSIVE;
        if (atomic_load(&parts->violated[0]))
            *verdict = VERDICT_VIOLATED;
        free(memory);
        plan_free(&plan);
    }
    spec_relax_free(spec);
    arena_free(arena);
    if (ok && *verdict == VERDICT_INCONCLUSIVE)
        ok = error_set(error, "--quasi=auto: a limit was reached with the factors %.*s",
                       STR_ARG(buffer_str(&search->factors)));
    return ok;
}

bool history_quasi_find(HistoryQuasi *search, const char *wanted, Error *error)
{
    uint32_t low = 0, high = 0; /* low - 1 is rejected, high is the next to be tried */
    Verdict verdict;
    for (;; high = high ? high * 2 : 1) {
        if (!fill_in(search, wanted, high))
            return error_set(error,
                             "no operation of the log is known to take something: name them, "
                             "as in --quasi=next:auto");
        if (!judge(search, &verdict, error))
            return false;
        if (verdict == VERDICT_HOLDS)
            break;
        if (high == LARGEST) {
            buffer_printf(&search->remark,
                          "no factor up to %u is large enough: it is not the order that is wrong",
                          LARGEST);
            return true;
        }
        low = high + 1;
    }
    while (low < high) {
        uint32_t middle = (low + high) / 2;
        if (!fill_in(search, wanted, middle) || !judge(search, &verdict, error))
            return false;
        if (verdict == VERDICT_HOLDS)
            high = middle;
        else
            low = middle + 1;
    }
    fill_in(search, wanted, high);
    buffer_printf(&search->remark, "%.*s is the smallest factor for which this holds",
                  STR_ARG(buffer_str(&search->factors)));
    return true;
}
