/* The answer `holds` rests on this:
 *   1. the facts are inductive (houdini.c);
 *   2. every execution of any number of instances is equivalent to one in which operations stand
 *      together, in an order that keeps that of non-overlapping ones (reduce.c); or, of stacks and
 *      queues whose elements have ranks, there is a serial order with the same results (ordered.c);
 *   3. serial runs of the text, of any length, are runs of the specification (simulation.c); and
 *      `ensure` clauses hold from every state with the invariants;
 *   4. what the text claims beyond its steps is discharged: walks (walk.c), assertions (claims.c),
 *      garbage collection declared. If one of these is missing, the answer is inconclusive and says
 * what it is given. */
#include "prove/prove.h"
#include "base/clock.h"
#include "prove/certificate.h"
#include "prove/facts/claims.h"
#include "prove/enlarge.h"
#include "prove/facts/houdini.h"
#include "prove/memory.h"
#include "prove/meeting.h"
#include "prove/ordered.h"
#include "prove/simulation.h"
#include "prove/facts/walk.h"
#include <string.h>
#include "base/stop.h"

ProveOptions prove_defaults(void)
{
    return (ProveOptions){.weaken = true,
                          .search = true,
                          .effort = 20000,
                          .values = 1,
                          .keys = 2,
                          .serial_steps = 150000,
                          .search_steps = 400000};
}

static void prove_find_facts(Prove *prove, Prover *prover, Arena *arena)
{
    facts_candidates(arena, prover->program, &prover->facts);
    houdini_run(prover);
    if (prover->refuted.count > 0 && !prove->refused)
        prove->refused =
            arena_printf(arena, "%.*s", (int)MIN(prover->refuted.count, 1000), prover->refuted.at);
}

/* The program that is proved by reordering or by ranks, and its facts. */
static bool prove_begin(Prove *prove, Arena *arena, const ProveOptions *options, Error *error)
{
    double start = clock_seconds();
    const IrProgram *program = prove->text;
    prove->ordered = program->discipline != DISCIPLINE_NONE;
    prove->meets = meeting_exists(program);
    if (prove->ordered) {
        prove->ghosted = ordered_obligations(arena, program);
        program = prove->ghosted.program;
    } else if (prove->meets) {
        if (!meeting_obligations(arena, program, &prove->ghosted, error))
            return false;
        program = meeting_split(arena, program);
    }
    prover_init(&prove->prover, arena, program, options->effort);
    prove->prover.exact = options->tables;
    prove_find_facts(prove, &prove->prover, arena);
    prove->seconds_facts = clock_seconds() - start;
    return true;
}

/* The conditions that the pairs of a program that meets have to satisfy. */
static void prove_meetings(Prove *prove, Arena *arena, const ProveOptions *options)
{
    double start = clock_seconds();
    const char *reason;
    prover_init(&prove->second, arena, prove->ghosted.program, options->effort);
    prove_find_facts(prove, &prove->second, arena);
    meeting_check_specification(arena, prove->program, options->effort, &reason);
    if (reason)
        vec_push(&prove->reasons, reason);
    reason = ghost_discharge(&prove->ghosted, &prove->second);
    if (reason)
        vec_push(&prove->reasons, reason);
    prove->seconds_facts += clock_seconds() - start;
}

/* Does the program with all of its reads, and with the rounds of loops that are left out, touch
 * nothing but allocated nodes? */
static const char *prove_looks(const Prove *prove, Arena *arena, const ProveOptions *options)
{
    IrProgram *program = arena_new_of(arena, IrProgram);
    Ghosted ghosted;
    Prover prover;
    *program = prove->text->looks ? *prove->text->looks : *prove->text;
    program->specification = prove->text->specification;
    bool enlarged = prove->enlarged && enlarge_program(arena, program, false, &ghosted);
    prover_init(&prover, arena, enlarged ? ghosted.program : program, options->effort);
    facts_candidates(arena, prover.program, &prover.facts);
    houdini_run(&prover);
    const char *reason = stop_wanted() ? NULL : memory_check(&prover);
    prover_free(&prover);
    if (enlarged)
        ghost_free(&ghosted);
    return reason;
}

bool prove_has_looks(const Prove *prove)
{
    return prove->text->looks || (prove->idle && ir_program_checks_nodes(prove->text));
}

/* Steps touch nothing but allocated nodes: what joining private steps rests on, and what a program
 * that frees its nodes must keep. */
static void prove_memory(Prove *prove, const ProveOptions *options)
{
    bool joined = prove->text != prove->program;
    if (!joined && !ir_program_checks_nodes(prove->program))
        return;
    const char *reason = stop_wanted() ? NULL : memory_check(&prove->prover);
    if (!reason && prove_has_looks(prove) && !stop_wanted())
        reason = prove_looks(prove, prove->prover.arena, options);
    if (reason)
        vec_push(&prove->reasons,
                 ir_program_checks_nodes(prove->program)
                     ? reason
                     : arena_printf(prove->prover.arena,
                                    "the steps on a node before it is stored may be seen: %s",
                                    reason));
}

static void prove_reduce(Prove *prove, const ProveOptions *options)
{
    const IrProgram *program = prove->prover.program;
    double start = clock_seconds();
    for (int i = 0; i < (int)program->operations.count && !stop_wanted(); i++) {
        const char *reason = reduce_check_ensures(&prove->prover, i);
        if (reason)
            vec_push(&prove->reasons, reason);
        reason = walk_check(&prove->prover, i);
        if (reason)
            vec_push(&prove->given, reason);
        reason = claims_check(&prove->prover, i);
        if (reason)
            vec_push(&prove->given, reason);
    }
    if (prove->ordered) {
        const char *reason = ghost_discharge(&prove->ghosted, &prove->prover);
        if (reason)
            vec_push(&prove->reasons, reason);
        prove->reduced = reason == NULL;
    } else if (!prove->by_hand) {
        reduce_run(&prove->prover, options->weaken, &prove->reduction);
        prove->reduced = prove->reduction.proved;
    }
    prove_memory(prove, options);
    prove->seconds_reduce = clock_seconds() - start;
}

/* Algorithm 1 on the relations that were given, once each of them is shown. */
static bool prove_by_hand(Prove *prove, Arena *arena, const ProveOptions *options, Error *error)
{
    Prover *prover = &prove->prover;
    const IrProgram *program = prover->program;
    double start = clock_seconds();
    Relations relations;
    Algorithm1Failure failure;
    for (int i = 0; i < (int)program->operations.count && options->weaken; i++) {
        WeakSets sets = {0};
        reduce_weakenings(prover, i, &sets);
        prover->weak[i] = sets.at[0];
        vec_free(&sets);
    }
    if (!handmade_check(prover, &prove->handmade, &relations, error))
        return false;
    double middle = clock_seconds();
    prove->reduced = algorithm1_check(&relations, CLOSURE_CORRECT, &failure);
    prove->seconds_algorithm1 = clock_seconds() - middle;
    if (!prove->reduced) {
        const IrOperation *op = &program->operations.at[failure.operation];
        const IrOperation *other = &program->operations.at[failure.blocker];
        vec_push(&prove->reasons,
                 arena_printf(arena,
                              "Algorithm 1 on the relations of %s: %s up to %s, then %s up to %s, "
                              "which can neither go before nor after %s",
                              options->relations, op->name, op->subops.at[failure.prefix - 1].label,
                              other->name, other->subops.at[failure.blocker_prefix - 1].label,
                              op->subops.at[failure.prefix].label));
    }
    prove->seconds_reduce += middle - start;
    return true;
}

/* The other program, after the first was not proved; with IDLE the one that has the most
 * executions. */
static void prove_enlarge(Prove *prove, Arena *arena, const ProveOptions *options, bool idle)
{
    double start = clock_seconds();
    if (prove->ordered || prove->meets || prove->by_hand || !options->weaken ||
        !prove->has_specification || stop_wanted() ||
        !enlarge_program(arena, prove->text, idle, &prove->ghosted))
        return;
    prove->enlarged = true;
    prove->idle = idle;
    if (prove->prover.program)
        prover_free(&prove->prover);
    reduce_result_free(&prove->reduction);
    vec_clear(&prove->reasons);
    vec_clear(&prove->given);
    prover_init(&prove->prover, arena, prove->ghosted.program, options->effort);
    prove->prover.exact = options->tables;
    /* A fact of the user's may hold of the text alone; then it is no fact here. */
    facts_candidates(arena, prove->ghosted.program, &prove->prover.facts);
    houdini_run(&prove->prover);
    if (prove->prover.refuted.count == 0)
        prove->refused = NULL; /* here they are shown, and it is this that is proved */
    double middle = clock_seconds(), before = prove->seconds_reduce;
    prove_reduce(prove, options);
    prove->seconds_facts += middle - start;
    prove->seconds_reduce += before;
}

/* Proves the text itself, with each search in it (`each') made in one moment. */
static void prove_tables(Prove *prove, Arena *arena, const ProveOptions *options)
{
    double start = clock_seconds();
    Prover *prover = &prove->prover;
    if (prove->ordered) {
        prover = &prove->tables_prover;
        prover_init(prover, arena, prove->program, options->effort);
        facts_candidates(arena, prove->program, &prover->facts);
        houdini_run(prover);
    }
    tables_compute(prover, true, &prove->tables);
    if (stop_wanted())
        return;
    prove->has_tables = true;
    double middle = clock_seconds();
    prove->tables_prove =
        algorithm1_check(&prove->tables.relations, CLOSURE_CORRECT, &prove->tables_failure);
    prove->seconds_algorithm1 = clock_seconds() - middle;
    prove->seconds_tables = middle - start;
}

/* Longer and longer serial runs, until one more operation would cost too much; then, for a quarter
 * of that cost, with one more value: some errors only show when two inserted values differ. */
static bool prove_serial_runs(Prove *prove, Arena *arena, const ProveOptions *options, Error *error)
{
    bool other = prove->meets || (prove->enlarged && prove->reduced);
    const IrProgram *program = other ? prove->prover.program : prove->text;
    double start = clock_seconds();
    ExploreLimits limits = {.keys = options->keys};
    if (program == prove->prover.program) {
        limits.weak = prove->prover.weak;
        limits.facts = &prove->prover.facts;
    }
    prove->serial = (ExploreResult){0};
    prove->serial_operations = prove->serial_operations_more = 0;
    int most = options->serial_operations > 0 ? options->serial_operations : 8;
    for (int more = 0; more < 2 && !prove->serial.violated; more++) {
        long left = more ? options->serial_steps / 4 : options->serial_steps, last = 0;
        limits.values = options->values + more;
        for (limits.operations = 1; limits.operations <= most && left > 0; limits.operations++) {
            ExploreResult result;
            bool asked_for = options->serial_operations > 0;
            limits.steps = asked_for && !more ? options->serial_steps * 100 : left;
            if (!explore_run(arena, program, limits, &result, error))
                return false;
            left -= result.work;
            /* One more operation costs at least as many times more as this one did: half of what
             * it would need is no use. */
            bool useless = !asked_for && last > 0 && left / result.work < result.work / last;
            last = result.work;
            if (result.violated || (result.exhaustive && !more)) {
                prove->serial = result;
                prove->serial_operations = limits.operations;
                prove->serial_values = limits.values;
            }
            if (result.exhaustive && more)
                prove->serial_operations_more = limits.operations;
            if (result.violated || !result.exhaustive || useless)
                break;
        }
    }
    /* An operation may need another to overlap with (elimination); the proof by ranks covers it,
     * but a text that can't run at all would prove nothing. */
    if (prove->ordered && prove->serial.text_is_vacuous) {
        ExploreResult result;
        limits = (ExploreLimits){.threads = 2,
                                 .operations = 3,
                                 .values = options->values,
                                 .keys = options->keys,
                                 .steps = options->search_steps};
        if (!explore_run(arena, program, limits, &result, error))
            return false;
        prove->serial.text_is_vacuous = result.text_is_vacuous;
        prove->serial.vacuous = result.vacuous;
    }
    prove->seconds_serial += clock_seconds() - start;
    return true;
}

/* Did no run finish some operation, so that the text may not say what was meant? A way through a
 * model may well be one that nobody takes: what is shown is shown of it, too. */
static bool prove_is_vacuous(const Prove *prove)
{
    return prove->serial.text_is_vacuous && !(prove->program->id_is_thread && prove->simulated);
}

/* Complete operations only, many of them: what shows only after a long history. */
static bool prove_serial_deep(Prove *prove, Arena *arena, const ProveOptions *options, Error *error)
{
    static const int lengths[] = {10, 12, 14, 16, 20, 24, 32};
    for (size_t i = 0; i < COUNT_OF(lengths) && !prove->serial.violated && !stop_wanted(); i++) {
        ExploreResult result;
        ExploreLimits limits = {.operations = lengths[i],
                                .values = options->values,
                                .keys = options->keys,
                                .complete = true,
                                .steps = options->serial_steps * 2};
        if (!explore_run(arena, prove->text, limits, &result, error))
            return false;
        if (result.violated) {
            prove->serial = result;
            prove->serial_operations = lengths[i];
        }
        if (!result.exhaustive)
            break;
    }
    return true;
}

/* A few short serial runs; then those of any length, by a relation; if there is none, longer ones:
 * they may contain a violation, and if not, the answer says how long they were. */
static bool prove_serial(Prove *prove, Arena *arena, const ProveOptions *options, Error *error)
{
    ProveOptions few = *options;
    bool related = prove->reduced && !prove->ordered && options->serial_operations == 0;
    few.serial_steps = related ? options->serial_steps / 30 : options->serial_steps;
    if (!prove_serial_runs(prove, arena, &few, error))
        return false;
    double start = clock_seconds();
    if (prove->reduced && !prove->ordered && !prove->serial.violated) {
        simulation_free(&prove->simulation);
        simulation_run(arena, &prove->prover, prove->program->specification, options->effort,
                       &prove->simulation);
        prove->simulated = prove->simulation.reason == NULL;
        prove->seconds_simulation = clock_seconds() - start;
    }
    if (!related || (prove->simulated && !prove_is_vacuous(prove)) || prove->serial.violated ||
        stop_wanted())
        return true;
    return prove_serial_runs(prove, arena, options, error) &&
           (prove->serial.violated || prove->enlarged || prove->meets ||
            prove_serial_deep(prove, arena, options, error));
}

/* Two threads, then three; few operations, then more; then more values (some errors only show when
 * two inserted values differ), and last many operations on a single value (ABA). The SHORT_ONES
 * come before another program is tried. */
static bool prove_search(Prove *prove, Arena *arena, const ProveOptions *options, bool short_ones,
                         Error *error)
{
    static const struct {
        int threads, operations, values; /* values: relative to the option */
        bool in_turn;
    } plan[] = {{2, 2, 0, false}, {2, 3, 0, false}, {3, 3, 0, false},  {2, 4, 0, false},
                {2, 3, 1, false}, {2, 4, 1, false}, {2, 5, 0, false},  {3, 4, 0, false},
                {3, 5, 0, false}, {2, 5, 1, false}, {2, 6, -1, false}, {2, 7, -1, false},
                {2, 4, 0, true},  {2, 5, 0, true}};
    const IrProgram *program = prove->program;
    double start = clock_seconds();
    if (!options->search || !prove->has_specification || prove->search.violated)
        return true;
    if (program->approximate) {
        int rounds = !short_ones && program->exact[1] ? 2 : 1;
        program = program->exact[rounds - 1];
        if (rounds != prove->search_rounds) { /* all begins anew */
            prove->search_threads = 0;
            prove->searched = 0;
            prove->search_missed = false;
        }
        prove->search_rounds = rounds;
    }
    size_t first = prove->searched, end = short_ones ? 3 : COUNT_OF(plan);
    for (size_t i = first; program && i < end && !prove->search.violated && !stop_wanted(); i++) {
        ExploreResult result;
        ExploreLimits limits = {.threads = plan[i].threads,
                                .operations = plan[i].operations,
                                .values = options->values + plan[i].values,
                                .keys = options->keys,
                                .in_turn = plan[i].in_turn,
                                .steps = options->search_steps};
        if (plan[i].in_turn && !prove->ordered)
            continue; /* there is no `each' */
        if (!explore_run(arena, program, limits, &result, error))
            return false;
        bool usual = plan[i].values == 0 && !plan[i].in_turn;
        if (result.violated || (result.exhaustive && !prove->search_missed && usual)) {
            prove->search_threads = limits.threads;
            prove->search_operations = limits.operations;
            prove->search = result;
        }
        prove->search_missed |= !result.exhaustive && usual;
    }
    prove->searched = end;
    prove->seconds_search += clock_seconds() - start;
    return true;
}

/* Most errors show in a few small executions, long before there are facts; then no proof is tried,
 * unless more than the verdict was asked for. */
static bool prove_search_early(Prove *prove, Arena *arena, const ProveOptions *options,
                               Error *error)
{
    ProveOptions few = *options;
    few.search_steps = MIN(options->search_steps, 15000);
    if (options->tables || options->certificates || prove->program->facts.count > 0)
        return true;
    if (!prove_search(prove, arena, &few, true, error))
        return false;
    prove->early = prove->search.violated;
    prove->searched = 0;
    prove->search_missed = false;
    prove->search_threads = prove->early ? prove->search_threads : 0;
    return true;
}

/* A fact of the user's does not hold. If the steps are at fault, a violation says
 * more: then that is the answer, and the fact is named beside it. */
static bool prove_search_refuted(Prove *prove, Arena *arena, const ProveOptions *options,
                                 Error *error)
{
    ProveOptions few = *options;
    few.search_steps = MIN(options->search_steps, 60000);
    if (!prove_search(prove, arena, &few, false, error))
        return false;
    if (!prove->search.violated)
        return error_set(error, "%s", prove->refused);
    prove->early = true;
    vec_clear(&prove->reasons);
    vec_push(&prove->reasons,
             arena_printf(arena, "%.*s", (int)strcspn(prove->refused, "\n"), prove->refused));
    return true;
}

static bool prove_certify(Prove *prove, Arena *arena, const ProveOptions *options, Error *error)
{
    Prover *prover = &prove->prover;
    double start = clock_seconds();
    if (!prove->reduced || prove->reasons.count > 0)
        return true;
    if (prove->by_hand)
        return error_set(error, "there are no certificates of proofs by relations");
    /* The found proof once more, by the tool's own procedure. */
    bool again = houdini_verify(prover) && (prove->ordered || reduce_verify(prover)) &&
                 (!prove->simulated || simulation_verify(&prove->simulation));
    ASSERT(again || prover->incomplete);
    prove->shown_twice = again;
    prove->by_z3 = solver_left_open(prover->solver) +
                   (prove->simulated ? solver_left_open(prove->simulation.prover.solver) : 0);
    bool written = certificate_write(arena, prove, options->effort, options->certificates,
                                     &prove->certificates, error);
    prove->seconds_certify = clock_seconds() - start;
    return written;
}

/* Lists what the proof of the text takes for granted about the world. */
static void prove_collect_given(Prove *prove)
{
    const IrProgram *program = prove->program;
    bool allocates = false;
    for (size_t i = 0; i < program->operations.count; i++) {
        const IrOperation *op = &program->operations.at[i];
        for (size_t k = 0; k < op->subops.count; k++)
            for (size_t s = 0; s < op->subops.at[k].statements.count; s++)
                allocates |= op->subops.at[k].statements.at[s].kind == IR_NEW;
    }
    if (allocates && !program->frees && !program->collected && !program->manual)
        vec_push(&prove->given,
                 "memory is garbage collected (the text neither frees nodes nor says "
                 "`collected;`)");
    for (size_t i = 0; i < program->assumptions.count; i++)
        vec_push(&prove->given, program->assumptions.at[i]);
    if (!prove->has_specification)
        vec_push(&prove->given,
                 "serial runs of the text are right (there is no specification to run "
                 "them against)");
}

/* Is the serial run that was found an execution of what was read? Not if an operation in it never
 * finishes, with weakened reads; nor where the steps of operations that meet run by themselves; nor
 * where a loop stands for its last round; nor where another program was proved. */
static bool prove_serial_is_real(const Prove *prove)
{
    return prove->serial.violated && !prove->serial.unfinished && !prove->meets &&
           !prove->program->approximate && !(prove->enlarged && prove->reduced);
}

/* Says that a proof may have failed because no other solver could be asked. */
static void prove_note_lack(Prove *prove, Arena *arena)
{
    const Prover *provers[] = {&prove->prover, &prove->second};
    for (size_t i = 0; i < COUNT_OF(provers); i++)
        if (provers[i]->solver && solver_lacks(provers[i]->solver)) {
            vec_push(&prove->reasons,
                     arena_printf(arena, "a question is too hard for the tool itself, and %s",
                                  solver_lacks(provers[i]->solver)));
            return;
        }
}

static void prove_judge(Prove *prove, Arena *arena)
{
    prove->verdict = VERDICT_INCONCLUSIVE;
    if (prove_serial_is_real(prove)) {
        prove->verdict = VERDICT_VIOLATED;
        prove->violation = VIOLATION_LINEARIZABILITY;
        return;
    }
    if (prove->search.violated) {
        prove->verdict = VERDICT_VIOLATED;
        prove->violation =
            prove->search.freed ? VIOLATION_USE_AFTER_FREE : VIOLATION_LINEARIZABILITY;
        return;
    }
    if (prove->serial.violated)
        vec_push(&prove->reasons,
                 prove->serial.unfinished
                     ? "a serial run with an operation that never finishes is not explained by the "
                       "specification"
                 : prove->enlarged && prove->reduced && !prove->program->approximate
                     ? "a serial run, without the reads at the end of operations, is not explained "
                       "by the specification"
                 : prove->meets
                     ? "a serial run, the steps of operations that meet running by themselves, is "
                       "not explained by the specification"
                     : "a loop stands for its last round, what earlier ones found being forgotten, "
                       "and a serial run of that is not explained by the specification (a search "
                       "through "
                       "a list needs `walk', in the notation of operations)");
    else if (prove->has_specification && prove_is_vacuous(prove) &&
             !(prove->program->id_is_thread && prove->simulation.reason)) /* which says more */
        vec_push(&prove->reasons,
                 arena_printf(arena,
                              "no run within the bounds finishes %s, so nothing is known "
                              "of its result (does it need another thread's step in its middle? "
                              "Operations that take effect together need `meets')",
                              prove->serial.vacuous));
    else if (prove->has_specification && prove->serial_operations == 0 && !prove->simulated)
        vec_push(&prove->reasons, "serial runs could not be completed within the bounds");
    if (prove->reduced && prove->has_specification && !prove->ordered && !prove->simulated &&
        prove->reasons.count == 0)
        vec_push(&prove->reasons,
                 arena_printf(arena, "proved but for serial runs of more than %d operations%s%s",
                              prove->serial_operations, prove->simulation.reason ? ": " : "",
                              prove->simulation.reason ? prove->simulation.reason : ""));
    if (prove->program->id_is_thread && ir_program_uses_id(prove->program) && /* not just a ghost */
        (prove->serial.leaves_id || ir_program_indexes_by_id(prove->program)))
        vec_push(&prove->given,
                 "what a finished operation leaves of its thread's name (self) in memory is "
                 "not read by a later one of the same thread");
    if (!prove->reduced || prove->reasons.count > 0)
        prove_note_lack(prove, arena);
    if (stop_wanted()) { /* whatever else is missing is missing because of that */
        prove->stopped = true;
        vec_clear(&prove->reasons);
        vec_push(&prove->reasons, stop_reason());
    }
    if (prove->reduced && prove->reasons.count == 0 && prove->given.count == 0)
        prove->verdict = VERDICT_HOLDS;
}

static void prove_forget(Prove *prove)
{
    prover_free(&prove->prover);
    if (prove->second.program)
        prover_free(&prove->second);
    if (prove->tables_prover.program)
        prover_free(&prove->tables_prover);
    simulation_free(&prove->simulation);
    prove->simulated = false;
    ghost_free(&prove->ghosted);
    reduce_result_free(&prove->reduction);
    prove->prover = prove->second = prove->tables_prover = (Prover){0};
    vec_clear(&prove->reasons);
    vec_clear(&prove->given);
    prove->refused = NULL;
    prove->reduced = prove->enlarged = prove->idle = prove->has_tables = false;
    prove->serial = (ExploreResult){0};
}

static bool prove_is_shown(const Prove *prove)
{
    return prove->reduced && prove->reasons.count == 0 &&
           (prove->simulated || prove->ordered || !prove->has_specification) &&
           !prove->serial.violated && !prove_is_vacuous(prove);
}

/* The last attempt; where it is no proof, either, what is known of the earlier ones stays. */
static bool prove_idle(Prove *prove, Arena *arena, const ProveOptions *options, Error *error)
{
    Prove earlier = *prove;
    prove->prover = (Prover){0};
    prove->simulation = (Simulation){0};
    prove->ghosted = (Ghosted){0};
    prove->reduction = (ReduceResult){0};
    memset(&prove->reasons, 0, sizeof prove->reasons);
    memset(&prove->given, 0, sizeof prove->given);
    prove->reduced = prove->simulated = false;
    prove->serial = (ExploreResult){0};
    prove_enlarge(prove, arena, options, true);
    if (!prove->prover.program) {
        *prove = earlier;
        return true;
    }
    bool good =
        !prove->reduced || prove->reasons.count > 0 || prove_serial(prove, arena, options, error);
    Prove other = prove_is_shown(prove) ? earlier : *prove;
    if (!prove_is_shown(prove))
        *prove = earlier;
    prove_forget(&other);
    vec_free(&other.reasons);
    vec_free(&other.given);
    return good;
}

/* Facts, reduction and serial runs, until it is wanted to stop. What was left out then shows
 * nowhere: prove_judge asks the same question, and its answer stays yes. */
static bool prove_attempt(Prove *prove, Arena *arena, const ProveOptions *options, Error *error)
{
    if (!prove_begin(prove, arena, options, error))
        return false;
    if (stop_wanted())
        return true;
    prove_reduce(prove, options);
    if (prove->by_hand && !stop_wanted() && !prove_by_hand(prove, arena, options, error))
        return false;
    if (prove->meets && !stop_wanted())
        prove_meetings(prove, arena, options);
    bool failed = !prove->reduced || prove->reasons.count > 0;
    if (failed && !prove_search(prove, arena, options, true, error))
        return false;
    if (failed && !prove->search.violated && !stop_wanted())
        prove_enlarge(prove, arena, options, false);
    if (prove->has_specification && !stop_wanted() && !prove_serial(prove, arena, options, error))
        return false;
    /* There may be paths that need another thread in their middle: serial runs don't reach their
     * end, though the reordered executions do not need them. Or more is known of the other program,
     * so that there is a relation. */
    bool related = prove->simulated || prove->ordered || !prove->has_specification;
    if (prove->reduced && !prove->enlarged && !prove_serial_is_real(prove) && !stop_wanted() &&
        (prove->serial.violated || prove_is_vacuous(prove) || !related)) {
        prove_enlarge(prove, arena, options, false);
        if (prove->enlarged && !prove_serial(prove, arena, options, error))
            return false;
    }
    if (!prove_is_shown(prove) && !prove_serial_is_real(prove) && !prove->search.violated &&
        !prove_idle(prove, arena, options, error))
        return false;
    if (options->tables && !stop_wanted())
        prove_tables(prove, arena, options);
    return true;
}

/* First with private steps joined; then, if that is no proof, the text as it is. */
static bool prove_attempts(Prove *prove, Arena *arena, const ProveOptions *options, Error *error)
{
    if (prove->program->joined && !prove->by_hand) {
        prove->text = prove->program->joined;
        if (!prove_attempt(prove, arena, options, error))
            return false;
        if ((prove->reduced && prove->reasons.count == 0) || prove->search.violated ||
            prove_serial_is_real(prove) || stop_wanted())
            return true;
        prove_forget(prove);
    }
    if (!prove->by_hand)
        prove->text = prove->program;
    return prove_attempt(prove, arena, options, error);
}

bool prove_run(Arena *arena, const IrProgram *program, const ProveOptions *options, Prove *prove,
               Error *error)
{
    stop_after(options->seconds);
    *prove = (Prove){.program = program,
                     .text = program,
                     .has_specification = program->specification != NULL,
                     .serial_keys = options->keys};
    if (!simulation_check_refinement(arena, program, error))
        return false;
    if (options->relations) {
        if (program->discipline != DISCIPLINE_NONE || meeting_exists(program))
            return error_set(error,
                             "relations serve a proof by reordering steps, not one by ranks or of "
                             "operations that meet");
        prove->by_hand = true;
        if (program->joined) /* it is of these steps that relations are written */
            prove->text = program->joined;
        if (!handmade_read_file(arena, prove->text, options->relations, &prove->handmade, error))
            return false;
    } else if (!prove_search_early(prove, arena, options, error)) {
        return false;
    }
    if (prove->early) {
        prove_judge(prove, arena);
        prover_init(&prove->prover, arena, program, options->effort);
        return true;
    }
    if (!prove_attempts(prove, arena, options, error))
        return false;
    if (prove->refused) {
        if (!prove_search_refuted(prove, arena, options, error))
            return false;
        prove_judge(prove, arena);
        return true;
    }
    prove_collect_given(prove);
    bool suspicious = !prove->reduced || prove->reasons.count > 0 || prove->serial.violated;
    if (suspicious && !prove_serial_is_real(prove) &&
        !prove_search(prove, arena, options, false, error))
        return false;
    if (options->certificates && !stop_wanted() && !prove_certify(prove, arena, options, error))
        return false;
    prove_judge(prove, arena);
    return true;
}

void prove_free(Prove *prove)
{
    prove_forget(prove);
    vec_free(&prove->given);
    vec_free(&prove->reasons);
}
