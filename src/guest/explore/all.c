/* all.c: puts the layers together: everything is set up here, in the order of the layers, and an
 * exploration begins, begins again with what it has learnt, and ends here. */
#include "guest/explore/all.h"
#include "guest/explore/graph/models/missing.h"
#include "guest/explore/memory/deferred.h"
#include "guest/explore/memory/memory.h"
#include "guest/explore/memory/undo.h"
#include "guest/explore/facts/values.h"
#include "guest/explore/reduce/confirm/confirm.h"
#include "guest/explore/reduce/endless.h"
#include "guest/explore/reduce/table.h"
#include "guest/explore/reduce/waiting/waiting.h"
#include "guest/explore/scale/units.h"
#include "guest/explore/scale/workers.h"
#include "guest/explore/schedules/ahead.h"
#include "guest/explore/schedules/bounded.h"
#include "guest/explore/schedules/preempt.h"
#include "guest/explore/schedules/sample.h"
#include "guest/explore/search/checkpoint.h"
#include "guest/explore/search/explore.h"
#include "guest/explore/search/frames.h"
#include "guest/explore/search/revisit.h"
#include "guest/runtime/opaque.h"

static bool checkpoints_wanted;

/* Executions may be missing: counts as one that is given up. */
static void count_missing(void)
{
    counts.cut += !options.schedules;
}

void explore_setup(const ExploreOptions *wanted)
{
    options = *wanted;
    if (options.checkpoints == CHECKPOINTS_WATCHED)
        options.checkpoints = opaque_is_watched ? CHECKPOINTS_ALWAYS : CHECKPOINTS_NEVER;
    checkpoints_wanted = options.checkpoints;
    if (!options.event_bound)
        options.event_bound = EVENTS_DEFAULT;
    graph_setup();
    memory_setup();
    undo_setup();
    checkpoint_setup();
    ghost_setup();
    revisit_setup();
    frames_setup();
    missing.on_news = count_missing;
    search_hooks.beyond = preempt_is_beyond;
    search_hooks.leads_beyond = preempt_hopeless;
    search_hooks.look = ahead_look;
    search_hooks.cut = ahead_note_cut;
    search_hooks.run_apart = workers_run_apart;
    search_hooks.sample = sample_some;
    search_hooks.is_divided = units_are_divided;
    table_setup();
}

/* All units that there are for this process; BEGUN: the first is the whole, and has been taken. */
static void search_units(bool begun)
{
    if (!units_on() || !units_mode.apply) {
        explore_search();
        return;
    }
    while (!exploration.stopped && (begun || units_begin())) {
        if (!units_find_depth(explore_search))
            return;
        ExploreCounts sum = counts;
        explore_begin();
        exploration.floor = 0;
        counts = sum;
        if (!begun)
            units_follow();
        begun = false;
        explore_search();
        if (exploration.stopped && units_abandon())
            continue;
        if (exploration.stopped || options.check.enabled)
            return;
        units_finish();
    }
}

bool explore_may_checkpoint(void)
{
    return checkpoints_wanted;
}

/* Forgets what an exploration has found out: another program, or another test, is explored, which
 * must not depend on what this process explored before. Call it when memory has been put back,
 * which takes what is forgotten here. */
static void forget(void)
{
    rules_forget();
    graph_forget();
    memory_forget();
    facts_forget();
    options.checkpoints = checkpoints_wanted;
    memory_reset();
}

static void end_pass(void)
{
    rules_end();
    rules_link();
}

FindingKind explore_all(void)
{
    volatile bool begun = false;
    const uint64_t revisits = revisit_count;
    exploration.restarts = 0;
    exploration.floor = 0;
    explore_begin();
    forget();
    rules_begin(false);
    ahead_begin();
    if (setjmp(findings.jump)) {
        end_pass();
        if (finding.kind != FINDING_RESTART) {
            confirm_drop_phantoms();
            return finding.kind;
        }
        if (!workers_restart()) {
            exploration.stopped = true;
            return FINDING_NONE;
        }
        if (workers_are_split()) /* the others go on with other tests */
            revisit_count = revisits;
        exploration.restarts++;
        exploration.most_restarts = MAX(exploration.most_restarts, exploration.restarts);
        exploration.floor = 0;
        begun = units_restart();
        explore_begin();
        rules_begin(true);
    }
    finding.kind = FINDING_NONE;
    in_bound.active = bounded_applies();
    if (in_bound.active)
        bounded_search();
    else
        search_units(begun);
    if (!exploration.stopped)
        rules_end_pass();
    end_pass();
    if (!ahead_has_found())
        return FINDING_NONE;
    FindingKind kind = ahead_repeat();
    if (kind != FINDING_NONE)
        return kind;
    ahead.wanted = false; /* the program does not repeat its steps: explore it without looks */
    return explore_all();
}
