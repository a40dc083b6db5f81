#include "guest/states/search.h"
#include "guest/states/state.h"
#include "guest/states/memory.h"
#include <string.h>
#include "base/clock.h"
#include "guest/explore/search/explore.h"
#include "guest/explore/graph/graph.h"
#include "guest/runtime/fiber.h"
#include "guest/states/buffers.h"
#include "guest/states/crew/copies.h"
#include "guest/states/crew/crew.h"
#include "guest/states/crew/question.h"
#include "guest/states/crew/told.h"
#include "guest/states/elsewhere.h"
#include "guest/states/frontier.h"
#include "guest/states/answer/ends.h"
#include "guest/states/answer/growth.h"
#include "guest/states/key.h"
#include "guest/states/part.h"
#include "guest/states/answer/picture.h"
#include "guest/states/answer/script.h"
#include "guest/states/progress.h"
#include "guest/states/room.h"
#include "guest/states/serial.h"
#include "guest/states/strong.h"
#include "guest/states/steps/foreseen.h"
#include "guest/states/steps/late.h"
#include "guest/states/steps/offers.h"
#include "guest/states/steps/repeat.h"
#include "guest/states/steps/taken.h"
#include "guest/states/symmetry.h"
#include "guest/states/tickets.h"
#include "guest/states/transcript.h"
#include "guest/states/views/views.h"
#include "guest/states/visited.h"
#include "guest/states/answer/way.h"
#include "record/hooks.h"

enum { POLL_EVERY = 256, PLENTY = 1 << 19 };

uint64_t states_so_far;
static const StatesClient *client;
static StatesLimits limits;
static StatesResult *result;
/* The step that is made. */
typedef struct Present {
    uint32_t node;                  /* that is expanded */
    uint32_t state;                 /* of it */
    uint8_t turn;                   /* of its copy (symmetry.h) */
    bool is_first;                  /* node of its state */
    uint32_t set;                   /* of its explanations, by threads; or CREW_SET_UNKNOWN */
    uint32_t next_thread, next_way; /* of it: what comes next */
    uint32_t thread, way;           /* NOBODY's, perhaps */
    bool stays;                     /* the thread is late afterwards (late.h) */
    uint32_t to;                    /* the state that the last step has led to */
    uint32_t stores_first;          /* the last node that take_store was asked about */
    StatesDone done;
} Present;
static Present now;
#define NOBODY UINT32_MAX
static double began;             /* when the search did, in seconds */
static Finding first_cut;        /* why a step could not be followed */
static const SetsSpec *explains; /* the specification */
static uint32_t stopped_at;      /* the node that a search which goes on expands first */

/* ---- states ---- */

/* The explanations after the step. If code is the specification, the present state may be lost. */
static uint32_t explain_step(uint32_t set)
{
    if (now.done.call >= 0)
        set = views_used ? sets_call_behind(set, now.thread, (uint32_t)now.done.call, views_seen)
                         : sets_call(set, now.thread, (uint32_t)now.done.call);
    if (now.done.returned)
        set = now.done.late ? sets_end(set, now.thread, now.done.ended, now.done.result)
                            : sets_return(set, now.thread, now.done.ended, now.done.result);
    for (uint32_t i = 0; i < now.done.over && set != SETS_NONE; i++)
        set = sets_leave(set, now.thread);
    for (uint32_t t = 1; t <= states_threads && views_used && !client->program; t++)
        for (uint32_t i = 0; i < views_dropped[t] && set != SETS_NONE; i++)
            set = sets_leave(set, t);
    return set;
}

/* The state that the step has led to was lost, because code has run that is the specification. */
static void take_step_again(void)
{
    StatesDone again;
    states_restore(frontier_copy(now.node));
    states_step((int)now.thread, now.way, &again);
    tickets_key();
    states_collect();
}

/* NODE is expanded from here on. */
static void begin_node(uint32_t node)
{
    now.node = node;
    now.state = visited_state_of(node);
    now.is_first = visited_is_first(node);
    now.turn = visited_turn_of(node);
    now.set = visited_set_of(node);
    if (crew_is_member && !crew_knows_set(now.set))
        now.set = CREW_SET_UNKNOWN;
    else if (now.turn)
        now.set = sets_turn(now.set, turn_inverse(now.turn));
}

/* A step of the present thread has led to state TO, in which threads are at slots by TURN. The
 * steps from a state do not depend on its explanations: those of its first node are all. */
static void note_edge(uint32_t to, uint8_t turn, bool begins, bool returns, bool wrote)
{
    if (now.is_first)
        progress_add_step(now.state, to, turn_slot(now.turn, now.thread),
                          turn_then(turn_inverse(now.turn), turn), begins, returns, wrote);
}

/* The present step, STEP, has led to state TO. IS_NEW: which nobody has met before. */
static void note_step(const CrewStep *step, uint32_t to, bool is_new)
{
    const StatesDone *done = &now.done;
    if (is_new)
        progress_add_state(step->turn, step->inside, step->blocked, step->perpetual);
    if (now.node == VISITED_NONE)
        return;
    note_edge(to, step->turn, done->call >= 0, states_step_returns(done), done->wrote);
    picture_add_step(now.state, to, now.thread, done);
}

/* The present pair of a state and explanations is new; its copy is LENT (frontier.h) perhaps. */
static void keep_node(const StatesCopy *copy, bool is_new_state, bool grows, bool lent)
{
    if (is_new_state && grows)
        growth_note(copy->at, visited_nodes());
    if (is_new_state)
        picture_add_state(copy->at);
    if (lent)
        frontier_push_lent(copy->at);
    else
        frontier_push(copy);
}

static void refuse_unexplained(uint32_t set)
{
    if (set == SETS_NONE)
        op_violation(VIOLATION_LINEARIZABILITY, NULL,
                     "no serial order of the calls gives these results");
}

/* Adds a node that the present step has led to, or the start; false if its state was met with a
 * subset of SET. LOOK is what is known of that (visited.h). */
static bool add_node(uint32_t state, uint32_t set, uint8_t turn, VisitedLook look)
{
    if (visited_is_covered(state, set, &look))
        return false;
    VisitedStep made = {.parent = VISITED_NONE, .call = -1};
    if (taken_used && visited_has_node(state))
        turn = taken_turn(state); /* it has no copy of its own */
    if (now.node != VISITED_NONE)
        made = script_step(now.node, now.thread, now.way, &now.done);
    visited_add(state, set, turn, &made);
    return true;
}

/* The present state was reached from now.node, or is the start (VISITED_NONE); it is numbered, and
 * expanded later if it is new. */
static void arrive(uint32_t set, const ElsewhereStep *elsewhere)
{
    DEBUG_ASSERT(set < sets_count());
    StatesCopy copy = {0};
    bool is_start = now.node == VISITED_NONE;
    CrewStep step = {.node = now.node,
                     .thread = (uint8_t)now.thread,
                     .way = now.way,
                     .key = tickets_key(),
                     .done = &now.done};
    StatesKey key = step.key;
    uint32_t late = now.stays ? late_meet(now.thread, &step.key) : 0;
    step.turn = symmetry_turn;
    visited_expect(step.key);
    if (elsewhere) {
        elsewhere_compare((int)now.thread, elsewhere, key, &now.done);
        if (elsewhere->made)
            transcript_note_passed();
    }
    states_collect();
    uint64_t runs = serial_states_runs();
    if (set != CREW_SET_UNKNOWN) /* (while memory brings what was expected) */
        set = sets_turn(is_start ? set : explain_step(set), step.turn);
    if (serial_states_runs() != runs)
        take_step_again();
    uint32_t known = visited_states();
    bool fresh;
    if (crew_is_member) {
        step.state = told_state(step.key, &fresh);
    } else {
        step.state = visited_state(step.key);
        fresh = step.state == known;
    }
    if (fresh) {
        if (late)
            late_note(step.state, late);
        offers_describe(&step.inside, &step.blocked, &step.perpetual);
    }
    now.to = step.state;
    if (!crew_is_member)
        note_step(&step, step.state, fresh);
    refuse_unexplained(set);
    step.set = set;
    bool copies = !taken_used || !visited_has_node(step.state);
    step.added = crew_is_member ? told_is_new(step.state, step.set, &step.look)
                                : add_node(step.state, set, step.turn, 0);
    step.grows = fresh && !limits.calls_end && growth_passes();
    if (step.added && copies)
        copies_make(&copy);
    if (crew_is_member)
        crew_tell(&step, &copy);
    else if (step.added)
        keep_node(copies ? &copy : NULL, fresh, step.grows, false);
    if (taken_used && !is_start)
        taken_add(now.state,
                  &(TakenStep){now.thread, now.way, step.state, step.turn, now.done,
                               now.stays || !late_is_plain(now.state), 0, 0},
                  false);
}

/* Takes a step that is known, without its code. FORESEEN: the state has not taken it before. */
static void take_known(const TakenStep *step, bool foreseen)
{
    now.thread = step->thread;
    now.way = step->way;
    now.done = step->done;
    result->transitions++;
    if (foreseen) {
        note_step(&(CrewStep){.turn = step->turn}, step->to, false);
        taken_add(now.state, step, true);
    }
    uint32_t set = sets_turn(explain_step(now.set), step->turn);
    refuse_unexplained(set);
    if (add_node(step->to, set, step->turn, 0))
        frontier_push(NULL);
}

/* One of the crew has taken STEP. */
static uint32_t take_over(const CrewStep *step, const StatesCopy *copy, bool lent)
{
    if (now.node != step->node)
        begin_node(step->node);
    now.thread = step->thread;
    result->transitions++;
    if (!step->added) {
        note_edge(step->state, step->turn, step->begins, step->returns, step->wrote);
        return step->state;
    }
    now.way = step->way;
    now.done = *step->done;
    uint32_t known = visited_states(),
             state = step->state == VISITED_NONE ? visited_state(step->key) : step->state;
    note_step(step, state, state == known);
    uint32_t set =
        step->set == CREW_SET_UNKNOWN ? sets_turn(explain_step(now.set), step->turn) : step->set;
    refuse_unexplained(set);
    if (add_node(state, set, step->turn, step->look))
        keep_node(copy, state == known, step->grows, lent);
    return state;
}

/* ---- steps ---- */

static void take_step(uint32_t thread, uint32_t way)
{
    DEBUG_ASSERT(thread >= states_first && thread <= states_threads);
    static ElsewhereStep elsewhere;
    now.thread = thread;
    now.way = way;
    result->transitions++;
    elsewhere.made = elsewhere.failed = false;
    bool is_tested = states_block_count != 0 || symmetry_used;
    uint64_t salt = (uint64_t)now.node << 32 | thread << 24 | (way & 0xffffff);
    if (!tickets_used)
        repeat_step(frontier_copy(now.node), (int)thread, way, &now.done);
    bool goes = !late_used || now.stays || late_accepts();
    if (tickets_used || (goes && is_tested && transcript_wants_test(salt))) {
        if (!tickets_used)
            states_restore_again(frontier_copy(now.node));
        elsewhere_step((int)thread, way, salt, &elsewhere);
        states_restore_again(frontier_copy(now.node));
        repeat_step(frontier_copy(now.node), (int)thread, way, &now.done);
    }
    if (goes)
        arrive(now.set, &elsewhere);
    late_end_move();
}

/* Takes the steps of thread T from the present node, if they are foreseen. */
static bool take_foreseen(uint32_t t)
{
    DEBUG_ASSERT(t >= states_first && t <= states_threads);
    TakenStep steps[TAKEN_WAYS];
    uint32_t count;
    if (!taken_used || now.next_way || !taken_foresee(now.state, t, steps, &count))
        return false;
    if (hooks.check_steps)
        foreseen_compare(client, frontier_copy(now.node), t, steps, count);
    if (late_used)
        late_foresee(taken_parent(now.state), t);
    for (uint32_t i = 0; i < count; i++) {
        now.next_way = MIN(steps[i].way, UINT32_MAX - 1) + 1; /* should it end in findings.jump */
        take_known(&steps[i], true);
    }
    return true;
}

/* Under rc11 a store waits for nothing: whatever others do first, it can be put at any place that
 * they leave, and with it, as the last one, all else is still possible (doc/proofs/views.md). So if
 * a thread is at a store, its steps do for NODE, whose state is present, unless the last one leads
 * back: then they could be taken for ever while others wait. Returns the thread, or NOBODY.
 * *IS_ENOUGH: steps of others need not be taken. */
static uint32_t take_store(uint32_t node, const char *copy, bool *is_enough)
{
    *is_enough = false;
    if (client->program || views_limit || crew_is_member || now.stores_first == node)
        return NOBODY;
    now.stores_first = node; /* (should a request lead nowhere) */
    now.way = 0;
    now.done = (StatesDone){.call = -1, .requests = 1};
    for (now.thread = states_first; !offers_store(now.thread); now.thread++)
        if (now.thread == states_threads)
            return NOBODY;
    uint32_t t = now.thread, ways = offers_ways(t);
    for (uint32_t way = 0; way < ways; way++) {
        if (way)
            states_restore_again(copy);
        take_step(t, way);
    }
    *is_enough = now.to > now.state;
    return t;
}

/* Takes the moves from the present node after which threads are late. */
static void take_stays(const char *copy)
{
    uint32_t count = late_find_stays(copy);
    now.stays = true;
    for (uint32_t i = 0; i < count; i++) {
        LateStay stay = late_stay(i);
        states_restore(copy);
        late_begin_stay(&stay);
        take_step(stay.thread, stay.way);
    }
    now.stays = false;
}

/* Takes the steps from NODE, from next_thread and next_way on: a step that can't be followed ends
 * in findings.jump, and the others are taken all the same. */
static void take_steps(uint32_t node)
{
    const char *copy = frontier_copy(node);
    bool is_restored = false, is_there = false; /* the present state is that of the node */
    bool is_resumed = now.next_thread != states_first || now.next_way;
    uint32_t waiting = is_resumed ? UINT32_MAX : 0; /* threads */
    begin_node(node);
    if (late_used)
        late_begin_state(now.state);
    frontier_expect(node + 1);
    uint32_t stored = NOBODY;
    if (views_used && !is_resumed) {
        bool is_enough;
        states_restore(copy);
        is_restored = true;
        if ((stored = take_store(node, copy, &is_enough)) != NOBODY && is_enough)
            return;
    }
    for (; now.next_thread <= states_threads; now.next_thread++, now.next_way = 0) {
        while (now.next_thread != stored) {
            uint32_t t = now.next_thread;
            uint64_t runs = serial_states_runs();
            bool foreseen = take_foreseen(t);
            is_there &= serial_states_runs() == runs;
            if (foreseen)
                break;
            uint32_t way = now.next_way++;
            if (!is_restored)
                states_restore(copy);
            else if (!is_there)
                states_restore_again(copy);
            is_restored = is_there = true;
            now.thread = t; /* should its request lead nowhere */
            now.way = 0;
            now.done = (StatesDone){.call = -1, .requests = 1};
            if ((symmetry_used && !taken_used && symmetry_has_idle_double(t)) ||
                (late_used && !late_may_move(t)))
                break;
            uint32_t ways = offers_ways(t);
            waiting |= (uint32_t)(!ways && states_thread[t].call >= 0) << t;
            if (way > ways || (way == ways && !states_buffers[t].count))
                break;
            if (way < ways && states_thread[t].call == STATES_IDLE && !offers_call(t, way))
                continue;
            is_there = false;
            way = way == ways ? STATES_FLUSH : way;
            if (late_used)
                late_begin_move(t, way, ways);
            take_step(t, way);
        }
    }
    if (late_used) {
        take_stays(copy);
        late_end_state(now.state);
    }
    now.next_thread = states_first;
    now.next_way = 0;
    if (taken_used)
        taken_end_state(now.state, waiting);
}

/* Takes the steps from NODE, whose state has taken them with other explanations. */
static void take_steps_again(uint32_t node)
{
    begin_node(node);
    while (now.next_way < taken_count(now.state)) {
        TakenStep step = taken_step(now.state, now.next_way++);
        take_known(&step, false);
    }
    now.next_way = 0;
}

static void expand(uint32_t node)
{
    if (taken_used && taken_has_ended(visited_state_of(node)))
        take_steps_again(node);
    else
        take_steps(node);
    frontier_drop(node);
}

/* ---- what was found ---- */

/* The graph of all states shows a violation in NODE, which no step has made. */
static void blame_node(uint32_t node)
{
    now.node = node;
    now.thread = NOBODY;
}

static uint64_t bytes_in_use(void)
{
    return visited_bytes() + progress_bytes() + sets_bytes() + serial_states_bytes() +
           part_bytes() + frontier_bytes() + crew_bytes() + taken_bytes() + late_bytes() +
           repeat_bytes();
}

/* ---- the search ---- */

/* Returns the node that is expanded first. */
static uint32_t begin(void)
{
    frontier_begin();
    visited_begin(limits.calls_end);
    progress_begin();
    growth_begin();
    picture_begin();
    if (symmetry_used)
        picture_drop(); /* threads have no names there */
    *result = (StatesResult){.script = result->script, .calls = result->calls};
    began = clock_seconds();
    now.thread = NOBODY;
    now.node = now.stores_first = VISITED_NONE;
    now.turn = 0;
    now.next_thread = !client->program;
    now.next_way = 0;
    states_lag = limits.lag;
    buffers_used = limits.stores != 0;
    buffers_limit = MIN(limits.stores, (uint32_t)BUFFERS_STORES);
    buffers_full = views_held = 0;
    views_limit = limits.messages;
    bool ends_late = (buffers_used || views_used) && !client->program;
    uint32_t depth =
        ends_late ? MIN(SETS_SLOTS / client->threads, MIN(limits.late, BUFFERS_CALLS - 1u) + 1) : 1;
    offers_begin(client, &limits, depth, result);
    sets_begin(explains, client->program ? 1 : client->threads, depth,
               views_used && !client->program);
    uint32_t set = sets_initial();
    states_start(client);
    symmetry_used = symmetry_used && states_begin_alike();
    tickets_look();
    if (views_used && tickets_used)
        op_unsupported("states of rc11 itself do not follow tickets (HD_TICKET)");
    taken_begin(limits.calls_end && !limits.lag && !tickets_used && !views_used);
    late_begin(taken_used);
    if (limits.calls_end && !late_used) /* paths of such a search lead over copies of others */
        symmetry_used = false;
    repeat_begin(!limits.calls_end && !views_used);
    arrive(set, NULL);
    return 0;
}

/* Does that for a search that has begun before. */
static uint32_t go_on(void)
{
    limits.goes_on = false; /* should it begin again */
    result->grows = result->heap_objects = 0;
    buffers_used = limits.stores != 0;
    states_start_again(client);
    return stopped_at;
}

/* To be asked at multiples of POLL_EVERY. */
static bool must_stop(uint32_t node)
{
    result->bytes = bytes_in_use();
    states_so_far = visited_states();
    if ((exploration.poll && exploration.poll()) || (strong_is_demanded && result->cut))
        return true;
    bool looks = client->program || limits.stuck; /* for calls that are stuck, at the end */
    Room room = room_left(result->bytes, looks ? progress_stuck_bytes() : 0);
    if (room != ROOM_PLENTY)
        frontier_spill(limits.jobs > 1 ? CREW_REACH : CREW_CHUNK * POLL_EVERY);
    result->full = room == ROOM_NONE;
    if (result->full || (limits.nodes && visited_nodes() > limits.nodes))
        return true;
    if (limits.alike && !limits.calls_end)
        symmetry_try(client->threads, node, visited_nodes());
    if (node >= PLENTY && node % PLENTY == 0)
        result->grows = growth_find(visited_nodes(), &result->grown);
    return result->grows != 0;
}

/* Has the crew expanded the chunk that begins with NODE? Forks one if it is worth it. */
static bool is_expanded_by_crew(uint32_t node)
{
    static CrewTasks tasks;
    if (crew_is_there() && crew_is_stale())
        crew_end();
    if (!crew_is_there()) {
        if (limits.jobs <= 1 || limits.nodes ||
            !crew_is_worth(clock_seconds() - began, node, visited_nodes()))
            return false;
        picture_drop(); /* there is too much to draw */
        tasks = (CrewTasks){take_steps,
                            take_over,
                            {&result->refused, &result->lagged, &result->held, &buffers_full}};
        crew_begin(limits.jobs, node, &tasks);
    }
    if (!crew_take_chunk(node, visited_nodes()))
        return false;
    for (uint32_t i = 0; i < CREW_CHUNK; i++)
        frontier_drop(node + i);
    return true;
}

/* From NODE on, of which some steps may be taken already. True when all states are explored. */
static bool explore(uint32_t node)
{
    enum { LATER = 8192 };
    /* After something that could not be followed, there may soon be more of it. */
    uint32_t alone_until = node ? node + LATER : 1;
    while (node < visited_nodes()) {
        stopped_at = node;
        if (node % POLL_EVERY == 0 && must_stop(node))
            return false;
        if (node % CREW_CHUNK == 0 && node >= alone_until && is_expanded_by_crew(node))
            node += CREW_CHUNK;
        else
            expand(node++);
    }
    return true;
}

static void end(FindingKind kind)
{
    result->kind = kind;
    result->alike = symmetry_used;
    result->by_views = limits.views;
    result->states = states_so_far = visited_states();
    result->nodes = visited_nodes();
    result->held += buffers_full + views_held;
    buffers_used = views_used = false;
    symmetry_leave();
    if (result->complete)
        frontier_begin(); /* nothing waits */
    result->bytes = bytes_in_use();
    if (!limits.keeps || kind != FINDING_NONE || result->full)
        frontier_begin();
    states_leave();
}

void states_search(const StatesClient *wanted, const SetsSpec *spec, const StatesLimits *bounds,
                   StatesResult *out)
{
    client = wanted;
    limits = *bounds;
    explains = spec;
    result = out;
    result->kind = FINDING_NONE;
    if (!limits.goes_on)
        late_allow(), states_memory_forget();
    views_enter(limits.views, !limits.goes_on);
    symmetry_enter(client->threads, limits.alike && limits.calls_end, limits.goes_on);
    room_begin(limits.bytes, limits.jobs);
    explore_begin(); /* takes back what an exploration before has left */
    states_memory_enter();
    VisitedStep made;
    FindingKind kind = setjmp(findings.jump) ? finding.kind : FINDING_RESTART;
    crew_end();
    question_drop();
    late_end_move();
    repeat_drop_step();
    now.stays = false;
    if (late_used && kind != FINDING_RESTART) /* it is told about as without this */
        late_refuse();
    if (foreseen_compares && !(kind == FINDING_RESTART && foreseen_goes_further()))
        die("internal error: a step that was foreseen ends the search");
    foreseen_compares = false;
    switch (kind) {
    case FINDING_RESTART:
        finding.kind = FINDING_NONE;
        result->complete = explore(limits.goes_on ? go_on() : begin());
        crew_end();
        break;
    case FINDING_UNSUPPORTED:
        if (!result->cut++)
            first_cut = finding;
        if (now.node != VISITED_NONE) { /* other steps may show a violation */
            finding.kind = FINDING_NONE;
            result->complete = explore(now.node);
            crew_end();
        }
        break;
    default:
        made = script_step(now.node, now.thread, now.way, &now.done);
        if (!limits.views || !client->program) /* (of views only the calls are of use) */
            script_write(result, now.node, now.thread != NOBODY ? &made : NULL);
        if (!client->program && !limits.views)
            way_draw(client, now.node, now.thread == NOBODY ? 0 : now.thread, now.done.call);
        end(finding.kind);
        return;
    }
    if (result->cut) {
        if (sets_are_full())
            growth_explain(visited_nodes(), result);
        finding = first_cut;
        end(FINDING_UNSUPPORTED);
        return;
    }
    if (!result->complete) {
        frontier_give_back();
        growth_explain(visited_nodes(), result);
    } else {
        progress_lend(frontier_use_again(progress_list_bytes()));
        ends_look(client, &limits, bytes_in_use(), result, blame_node);
    }
    end(FINDING_NONE);
}
