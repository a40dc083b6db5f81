#include "prove/decide/private.h"
#include <stdlib.h>

static int64_t decide_symbol_value(void *context, Term term)
{
    const Decide *decide = context;
    if (term >= decide->node_stamp.count || decide->node_stamp.at[term] != decide->stamp)
        return 0;
    return decide->nodes.at[decide->node_of.at[term]].witness;
}

static int64_t decide_unknown_read(void *context, uint32_t map, int64_t index)
{
    (void)context, (void)map, (void)index;
    return 0;
}

Decide *decide_new(TermPool *pool, unsigned long steps)
{
    Decide *decide = calloc(1, sizeof *decide);
    if (!decide)
        die("out of memory");
    decide->pool = pool;
    decide->limit = steps;
    decide->witness = (Valuation){.pool = pool,
                                  .context = decide,
                                  .symbol = decide_symbol_value,
                                  .read = decide_unknown_read};
    decide_reset(decide);
    return decide;
}

void decide_free(Decide *decide)
{
    if (!decide)
        return;
    for (size_t i = 0; i < decide->watch_capacity; i++)
        vec_free(&decide->watches[i]);
    free(decide->watches);
    hashmap_free(&decide->equal_of);
    valuation_free(&decide->witness);
    vec_free(&decide->literal_of);
    vec_free(&decide->node_of);
    vec_free(&decide->literal_stamp);
    vec_free(&decide->node_stamp);
    vec_free(&decide->added);
    vec_free(&decide->variables);
    vec_free(&decide->words);
    vec_free(&decide->clauses);
    vec_free(&decide->trail);
    vec_free(&decide->levels);
    vec_free(&decide->conflict);
    vec_free(&decide->learnt);
    vec_free(&decide->nodes);
    vec_free(&decide->reads);
    vec_free(&decide->read_trail);
    vec_free(&decide->merges);
    vec_free(&decide->pending);
    vec_free(&decide->to_explain);
    vec_free(&decide->comparisons);
    vec_free(&decide->linked);
    vec_free(&decide->edges);
    vec_free(&decide->sums);
    vec_free(&decide->placed);
    vec_free(&decide->distance);
    vec_free(&decide->predecessor);
    vec_free(&decide->component);
    vec_free(&decide->arithmetic);
    free(decide);
}

void decide_reset(Decide *decide)
{
    decide->refuted = decide->beyond = false;
    decide->stamp++;
    decide->propagated = 0;
    decide->bump = 1;
    decide->map_count = decide->pool->maps.count;
    hashmap_clear(&decide->equal_of);
    vec_clear(&decide->added);
    vec_clear(&decide->variables);
    vec_clear(&decide->words);
    vec_clear(&decide->clauses);
    vec_clear(&decide->trail);
    vec_clear(&decide->levels);
    vec_clear(&decide->nodes);
    vec_clear(&decide->reads);
    vec_clear(&decide->read_trail);
    vec_clear(&decide->merges);
    vec_clear(&decide->pending);
    vec_clear(&decide->comparisons);
    vec_clear(&decide->linked);
    vec_clear(&decide->sums);
    decide_new_variable(decide); /* truth */
    decide_assign(decide, LIT_TRUE, REASON_DECISION);
    decide_node(decide, term_number(decide->pool, 0));
}

SolverAnswer decide_check(Decide *decide)
{
    return decide->beyond ? ANSWER_UNKNOWN : decide_search(decide);
}

bool decide_make_witness(Decide *decide)
{
    DecideNode *nodes = decide->nodes.at;
    bool differences = decide_has_differences(decide);
    int64_t top = 0;
    for (uint32_t i = 0; i < decide->nodes.count; i++) {
        uint32_t class = nodes[i].find;
        if (nodes[class].constant != NOTHING)
            nodes[class].value = nodes[nodes[class].constant].offset;
        else if (!differences || decide->component.at[class] == NOTHING)
            continue;
        top = MAX(top, nodes[class].value);
    }
    for (uint32_t i = 0; i < decide->nodes.count; i++)
        if (nodes[i].find == i && nodes[i].constant == NOTHING &&
            (!differences || decide->component.at[i] == NOTHING))
            nodes[i].value = ++top;
    valuation_forget(&decide->witness);
    for (uint32_t i = 0; i < decide->nodes.count; i++)
        if (nodes[i].kind == NODE_READ)
            valuation_set_read(&decide->witness, nodes[i].map,
                               nodes[nodes[nodes[i].argument].find].value,
                               nodes[nodes[i].find].value);
    for (uint32_t i = 0; i < decide->nodes.count; i++) /* they outlive the classes */
        nodes[i].witness = nodes[nodes[i].find].value;
    for (size_t i = 0; i < decide->added.count; i++)
        if (!decide_value(decide, decide->added.at[i]))
            return false;
    return true;
}

int64_t decide_value(Decide *decide, Term term)
{
    return valuation_of(&decide->witness, term);
}
