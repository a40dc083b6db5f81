#include "guest/explore/facts/noting.h"
#include "guest/explore/facts/contents.h"
#include "guest/explore/facts/values.h"

static void note_opened(Location *x)
{
    values_note(x, x->init);
    if (UNLIKELY(contents_watched))
        contents_note_location(x->address, x->size);
}

static void setup(void)
{
    values_setup();
    graph_hooks.forgotten = values_forget_locations;
}

void facts_listen(bool on)
{
    values_mode.noted = on;
    graph_hooks.opened = on ? note_opened : NULL;
    graph_hooks.written = on ? values_note_write : NULL;
    rules_link();
}

static bool is_noted(void)
{
    return values_mode.noted;
}

static bool is_watched(void)
{
    return values_mode.noted && contents_watched;
}

const Rule contents_rule = {.active = is_watched, .request = contents_note_writes};

static void note_fence(bool first)
{
    if (first)
        values_note_kind(VALUES_STRONG_FENCE);
}

const Rule facts_rule = {.active = is_noted, .fence = note_fence, .effect = values_note_effect};

static void end(void)
{
    facts_listen(false);
}

static bool is_outdated(void)
{
    return values_outdated;
}

static void end_graph(void)
{
    values_end_outdated(false);
}

static void end_pass(void)
{
    values_end_outdated(true);
}

const Rule passes_rule = {.setup = setup, .end = end, .cut_branches = values_count_cut_branches};
const Rule outdated_rule = {
    .active = is_outdated, .doubts = is_outdated, .end_graph = end_graph, .end_pass = end_pass};
