/* Proof. Let the values written (put or appended) be distinct texts that form a prefix-free code,
 * none empty. The text of the cell is always v1 v2 ... vk where v1 was put, or appended to nothing
 * at the start, and v2 .. vk were appended since, one directly after the other: every change of the
 * cell changes its text. A text has at most one such splitting, because the code is prefix-free;
 * since values are distinct it names the operations. A completed read returns the text of the cell
 * at some moment of the serial order; so, of the operations that change the cell, v(i+1) comes
 * directly after v(i), and if v1 was appended it is the first of all. The text also tells the
 * operation that changed it last. */
#include "judge/linear/chain.h"
#include "judge/linear/linearize.h"
#include <stdlib.h>
#include <string.h>

static int compare_texts(Str a, Str b)
{
    size_t least = MIN(a.length, b.length);
    int order = least ? memcmp(a.at, b.at, least) : 0;
    return order ? order : a.length < b.length ? -1 : a.length > b.length;
}

static int by_text(const void *a, const void *b, void *texts)
{
    const Str *all = texts;
    return compare_texts(all[*(const uint64_t *)a], all[*(const uint64_t *)b]);
}

/* The written value that TEXT begins with, as a place in the sorted order; or count. */
static size_t first_token(const Chain *chain, Str text)
{
    size_t low = 0, high = chain->order.count;
    while (low < high) { /* the greatest value that is not greater than the text */
        size_t middle = (low + high) / 2;
        if (compare_texts(chain->texts.at[chain->order.at[middle]], text) <= 0)
            low = middle + 1;
        else
            high = middle;
    }
    if (!low || !str_starts(text, chain->texts.at[chain->order.at[low - 1]]))
        return chain->order.count;
    return low - 1;
}

static void learn(Chain *chain, uint32_t before, uint32_t op)
{
    /* contradicting facts: the search will find that nothing fits; keep the first */
    if (chain->follows.at[op] == LINEARIZE_NONE)
        chain->follows.at[op] = before;
    if (before != LINEARIZE_START && chain->leads.at[before] == LINEARIZE_NONE)
        chain->leads.at[before] = op;
}

/* Splits a text that was read. PARSED is one split before, with its last operation: if this text
 * goes on from it, only the rest is new. */
static void split(Chain *chain, const bool *appends, Str text, Str *parsed, uint32_t *parsed_last)
{
    uint32_t last = LINEARIZE_START;
    Str rest = text;
    bool first = true;
    if (parsed->length && parsed->length <= text.length && str_starts(text, *parsed)) {
        last = *parsed_last;
        rest = (Str){text.at + parsed->length, text.length - parsed->length};
        first = false;
    }
    vec_clear(&chain->tokens);
    while (rest.length) {
        size_t token = first_token(chain, rest);
        if (token == chain->order.count)
            return; /* nobody wrote that: not from us to tell, the search will */
        size_t index = chain->order.at[token];
        uint32_t op = chain->ops.at[index];
        if (!first && !appends[op])
            return;
        vec_push(&chain->tokens, op);
        first = false;
        rest.at += chain->texts.at[index].length;
        rest.length -= chain->texts.at[index].length;
    }
    for (size_t i = 0; i < chain->tokens.count; i++) {
        uint32_t op = chain->tokens.at[i];
        if (last != LINEARIZE_START || appends[op])
            learn(chain, last, op);
        last = op;
    }
    *parsed = text;
    *parsed_last = last;
}

static void learn_from_reads(Chain *chain, const bool *appends, Str *reads, size_t read_count)
{
    for (size_t i = 0; i < chain->texts.count; i++)
        vec_push(&chain->order, i);
    if (!chain->order.count)
        return;
    qsort_r(chain->order.at, chain->order.count, sizeof *chain->order.at, by_text, chain->texts.at);
    for (size_t i = 0; i < chain->order.count; i++) {
        Str text = chain->texts.at[chain->order.at[i]];
        if (!text.length || (i && str_starts(text, chain->texts.at[chain->order.at[i - 1]])))
            return; /* no prefix-free code of distinct texts */
    }
    /* reads in the order of the history mostly go on from the one before */
    Str parsed = {"", 0};
    uint32_t last = LINEARIZE_START;
    for (size_t i = 0; i < read_count; i++)
        if (!str_equal(reads[i], parsed))
            split(chain, appends, reads[i], &parsed, &last);
}

/* One cell: the members of GROUP; member i is the PLACES[i]-th of those in follows and leads. False
 * if there is an operation that says nothing. */
static bool find_in_cell(Chain *chain, const Plan *plan, const PlanGroup *group,
                         const uint32_t *places)
{
    const Spec *spec = plan->spec;
    bool *appends = calloc(chain->follows.count + 1, sizeof *appends);
    Str *reads = calloc(group->count + 1, sizeof *reads);
    if (!appends || !reads)
        die("out of memory");
    vec_clear(&chain->order);
    vec_clear(&chain->texts);
    vec_clear(&chain->ops);
    size_t read_count = 0;
    bool ok = true;
    for (uint32_t i = 0; i < group->count && ok; i++) {
        SpecCall call;
        Value value;
        plan_call(plan, plan->members.at[group->first + i], &call);
        SpecRole role = spec->role(spec, &call, &value);
        bool text = value_kind(spec->values, value) == VALUE_IS_STRING;
        if (role == SPEC_ROLE_PUT || role == SPEC_ROLE_APPEND) {
            ok = text;
            appends[places[i]] = role == SPEC_ROLE_APPEND;
            vec_push(&chain->texts, value_text(spec->values, value));
            vec_push(&chain->ops, places[i]);
        } else if (role == SPEC_ROLE_TAKE) {
            if (text)
                reads[read_count++] = value_text(spec->values, value);
        } else {
            ok = false;
        }
    }
    if (ok)
        learn_from_reads(chain, appends, reads, read_count);
    free(appends);
    free(reads);
    return ok;
}

/* A group that was not divided: the facts about each of its cells. */
static bool find_in_cells(Chain *chain, const Plan *plan, const PlanGroup *group)
{
    Plan divided;
    Error error;
    if (!plan_make(&divided, plan->history, plan->spec, true, &error))
        return false;
    HashMap place_of = {0}; /* operation -> member */
    for (uint32_t i = 0; i < group->count; i++)
        *hashmap_put(&place_of, plan->members.at[group->first + i], NULL) = i;
    Vec(uint32_t) places = {0};
    bool ok = true;
    chain->cell_count = 0;
    for (size_t g = 0; g < divided.groups.count && ok; g++) {
        const PlanGroup *part = &divided.groups.at[g];
        if (part->object != group->object)
            continue;
        ok = part->part.word != VALUE_UNKNOWN.word;
        vec_clear(&places);
        for (uint32_t i = 0; i < part->count && ok; i++) {
            uint64_t place = *hashmap_find(&place_of, divided.members.at[part->first + i]);
            vec_push(&places, (uint32_t)place);
            chain->cells.at[place] = chain->cell_count;
        }
        ok = ok && find_in_cell(chain, &divided, part, places.at);
        chain->cell_count++;
    }
    vec_free(&places);
    hashmap_free(&place_of);
    plan_free(&divided);
    return ok;
}

bool chain_find(Chain *chain, const Plan *plan, const PlanGroup *group)
{
    if (plan->spec->shape != SPEC_SHAPE_LOG || plan->history->before || plan->history->stuck)
        return false;
    vec_clear(&chain->follows);
    vec_clear(&chain->leads);
    vec_clear(&chain->cells);
    for (uint32_t i = 0; i < group->count; i++) {
        vec_push(&chain->follows, LINEARIZE_NONE);
        vec_push(&chain->leads, LINEARIZE_NONE);
        vec_push(&chain->cells, 0);
    }
    if (group->part.word == VALUE_UNKNOWN.word)
        return find_in_cells(chain, plan, group);
    Vec(uint32_t) places = {0};
    for (uint32_t i = 0; i < group->count; i++)
        vec_push(&places, i);
    chain->cell_count = 1;
    bool ok = find_in_cell(chain, plan, group, places.at);
    vec_free(&places);
    return ok;
}

void chain_free(Chain *chain)
{
    vec_free(&chain->follows);
    vec_free(&chain->leads);
    vec_free(&chain->cells);
    vec_free(&chain->order);
    vec_free(&chain->texts);
    vec_free(&chain->ops);
    vec_free(&chain->tokens);
}
