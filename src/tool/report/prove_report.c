#include "tool/report/prove_report.h"
#include <stdlib.h>
#include <string.h>
#include "tool/report/json.h"
#include "tool/report/jsontext.h"

static const IrProgram *report_program(const Prove *prove)
{
    return prove->program;
}

static int report_subops(const IrProgram *program)
{
    size_t count = 0;
    for (size_t i = 0; i < program->operations.count; i++)
        count += program->operations.at[i].subops.count;
    return (int)count;
}

/* "p1 p2" for the first COUNT steps. */
static void report_prefix(Buffer *out, const IrOperation *op, int count)
{
    buffer_printf(out, "%s", op->name);
    for (int i = 0; i < count; i++)
        buffer_printf(out, "%s%s", i == 0 ? "." : " ", op->subops.at[i].label);
}

static void report_indented(Buffer *out, const char *text)
{
    Str rest = str_of(text), line;
    while (str_next(&rest, '\n', &line))
        buffer_printf(out, "    %.*s\n", STR_ARG(line));
}

static void report_serial(const Prove *prove, Buffer *out)
{
    if (!prove->has_specification)
        return;
    if (prove->serial.violated) {
        buffer_printf(out, "  serial runs: the specification does not explain this run%s:\n%s",
                      prove->serial.unfinished ? " (with an operation that never finishes)" : "",
                      prove->serial.execution);
    } else if (prove->simulated) {
        size_t facts = 0;
        for (size_t i = 0; i < prove->simulation.prover.facts.global.count; i++)
            facts += !prove->simulation.prover.facts.global.at[i].axiom;
        buffer_printf(out,
                      "  serial runs of any length agree with the specification, by a relation of "
                      "%zu facts\n    that %lu questions show\n",
                      facts, solver_queries(prove->simulation.prover.solver));
    } else if (prove->serial_operations > 0) {
        buffer_printf(
            out,
            "  serial runs: all of up to %d operations, of which up to %d never finish, with "
            "values "
            "0 to %d\n    and %d keys (up to %d operations: 0 to %d), agree with the specification "
            "(%ld steps)\n",
            prove->serial_operations, EXPLORE_UNFINISHED, prove->serial_values, prove->serial_keys,
            prove->serial_operations_more, prove->serial_values + 1, prove->serial.steps);
    }
}

/* Writes what a user can add where steps were not reordered. */
static void report_what_helps(const Prove *prove, Buffer *out)
{
    if (prove->program->id_is_thread)
        buffer_printf(out,
                      "    what helps: if that state can't be, a lock or version that the steps "
                      "look at and that says so;\n    or the notation of operations, which takes "
                      "facts (heddle-prove(1))\n");
    else
        buffer_printf(out,
                      "    what helps: if that state can't be, `invariant' or `assert', which are "
                      "checked;\n    if an order is settled later than by these steps, `inserts' "
                      "and `removes'; `meets' (heddle-prove(1))\n");
}

static void report_failure(const Prove *prove, Buffer *out)
{
    const IrProgram *program = prove->prover.program;
    const ReduceFailure *failure = &prove->reduction.failure;
    const IrOperation *op = &program->operations.at[failure->operation];
    const IrOperation *other = &program->operations.at[failure->blocker];
    buffer_printf(out, "  not reordered: ");
    report_prefix(out, op, failure->prefix);
    buffer_printf(out, failure->chain ? " ... " : " | ");
    report_prefix(out, other, failure->blocker_prefix);
    buffer_printf(out, " | %s.%s\n", op->name, op->subops.at[failure->prefix].label);
    buffer_printf(
        out,
        "    the steps of %s by another instance can%s go before those of %s,\n    nor after "
        "its next step:\n",
        other->name, failure->chain ? " (after others that can't)" : "'t", op->name);
    for (int i = 0; i <= failure->prefix; i++) {
        if (i == failure->prefix)
            for (int k = 0; k < failure->blocker_prefix; k++) {
                buffer_printf(out, "      v  %-10s %-4s ", other->name, other->subops.at[k].label);
                ir_subop_print(out, program, other, &other->subops.at[k]);
                buffer_printf(out, "\n");
            }
        buffer_printf(out, "      u  %-10s %-4s ", op->name, op->subops.at[i].label);
        ir_subop_print(out, program, op, &op->subops.at[i]);
        buffer_printf(out, "\n");
    }
    if (failure->state && failure->state[0]) {
        buffer_printf(out, "    for example from\n");
        report_indented(out, failure->state);
    }
    report_what_helps(prove, out);
}

static void report_search(const Prove *prove, Buffer *out)
{
    if (prove->seconds_search > 0 && prove->program->approximate && !prove->program->exact[0])
        buffer_printf(out,
                      "  no violation was looked for: there are too many ways through the loops "
                      "(heddle refine explores the model itself)\n");
    if (prove->search.violated)
        buffer_printf(out, "  a real violation, with %d threads: %s\n%s", prove->search_threads,
                      prove->search.freed ? "a freed node is used"
                                          : "no serial order explains these results",
                      prove->search.execution);
    if (prove->search.violated && prove->program->threads > 0 &&
        prove->search_threads > prove->program->threads)
        buffer_printf(
            out,
            "  the model declares %d threads, which heddle refine explores; a proof would be "
            "for any number\n",
            prove->program->threads);
    if (!prove->search.violated && prove->search_threads > 0 && prove->verdict != VERDICT_HOLDS)
        buffer_printf(out,
                      "  no violation in any execution of up to %d threads and %d operations%s: it "
                      "may still be linearizable\n",
                      prove->search_threads, prove->search_operations,
                      prove->search_rounds == 0 ? ""
                      : prove->search_rounds == 1
                          ? " that repeats no step of a loop"
                          : " that makes no step of a loop more than twice");
}

void prove_report_text(const Prove *prove, Buffer *out)
{
    const IrProgram *program = report_program(prove);
    const char *title = prove->verdict == VERDICT_HOLDS ? "linearizable for any number of threads"
                        : prove->verdict == VERDICT_VIOLATED
                            ? (prove->search.freed ? "a freed node is used" : "not linearizable")
                        : prove->reduced && prove->reasons.count == 0
                            ? "proved given what is listed below"
                            : "not proved";
    buffer_printf(out, "%s: %s: %s\n", program->path, verdict_word(prove->verdict), title);
    if (prove->reduced)
        buffer_printf(
            out,
            "  proved: every execution of any number of threads %s\n    (%zu operations, %d "
            "sub-operations, %zu invariants, %lu questions)\n",
            prove->ordered ? "has the results of a serial one, by the\n    ranks of its elements"
                           : "is equivalent to a serial one",
            program->operations.count, report_subops(program), prove->prover.facts.global.count,
            solver_queries(prove->prover.solver));
    if (prove->by_hand)
        buffer_printf(out, "  relations: the %zu of %s are shown to be true of the text%s\n",
                      prove->handmade.claims.count, prove->handmade.path,
                      prove->reduced ? "; Algorithm 1 on them proves it" : "");
    if (prove->enlarged && prove->reduced)
        buffer_printf(out,
                      "  proved of a program with more executions: without the reads at the end "
                      "of operations,\n    %sand with numbers and owners for the nodes of a list "
                      "(--explain)\n",
                      prove->idle ? "without steps that only read and that nothing needs, " : "");
    for (size_t i = 0; i < prove->given.count; i++)
        buffer_printf(out, "  %s: %s\n",
                      prove->reduced && prove->reasons.count == 0 ? "proved given" : "given",
                      prove->given.at[i]);
    for (size_t i = 0; i < prove->reasons.count; i++)
        buffer_printf(out, "  not proved: %s\n", prove->reasons.at[i]);
    if (prove->search.violated) /* what is wrong comes first */
        report_search(prove, out);
    report_serial(prove, out);
    if (!prove->reduced && !prove->ordered && !prove->by_hand && !prove->early && !prove->stopped &&
        (prove->verdict != VERDICT_VIOLATED || prove->search.violated))
        report_failure(prove, out);
    if (!prove->search.violated)
        report_search(prove, out);
    for (size_t i = 0; i < program->alone.count; i++)
        buffer_printf(out, "  threads: a single one calls %s, as the model declares\n",
                      program->alone.at[i]);
    if (program->collected)
        buffer_printf(out, "  memory: garbage collected, as the text declares\n");
    bool walks = false;
    for (size_t i = 0; i < program->operations.count; i++)
        walks |= program->operations.at[i].walks.count > 0;
    if (walks && prove->reduced)
        buffer_printf(out, "  hindsight: the conditions of the lemma are checked for each walk\n");
    if (prove->prover.incomplete)
        buffer_printf(out, "  note: the solver left some questions without an answer\n");
    if (prove->certificates > 0)
        buffer_printf(out, "  certificate: %lu questions, each expected to be unsat\n",
                      prove->certificates);
    if (prove->certificates == 0 || !prove->shown_twice)
        return;
    buffer_printf(out, "    %s shown twice, ",
                  prove->ordered ? "facts were" : "facts, reordering and relation were");
    if (prove->by_z3 == 0)
        buffer_printf(out, "by the tool's own procedure alone\n");
    else
        buffer_printf(out, "%lu questions with the help of Z3\n", prove->by_z3);
}

static void report_facts(const Prove *prove, Buffer *out)
{
    const IrProgram *program = prove->prover.program; /* with its ghosts */
    buffer_printf(out, "\nInvariants (hold in every reachable state)\n");
    for (size_t i = 0; i < prove->prover.facts.global.count; i++) {
        buffer_printf(out, "  ");
        fact_print(out, program, NULL, &prove->prover.facts.global.at[i]);
        buffer_printf(out, "\n");
    }
    buffer_printf(out, "\nFacts at points (hold while the operation stands there)\n");
    for (size_t o = 0; o < program->operations.count; o++) {
        const IrOperation *op = &program->operations.at[o];
        for (size_t p = 1; p < op->subops.count; p++) {
            const FactList *list = &prove->prover.facts.points[o][p];
            buffer_printf(out, "  %s after %s:", op->name, op->subops.at[p - 1].label);
            for (size_t i = 0; i < list->count; i++) {
                buffer_printf(out, "%s", i > 0 ? "; " : " ");
                fact_print(out, program, op, &list->at[i]);
            }
            buffer_printf(out, list->count ? "\n" : " nothing\n");
        }
    }
}

static void report_obligations(const Prove *prove, Buffer *out)
{
    buffer_printf(out, "\n%s: shown to be impossible\n",
                  prove->ordered ? "By the ranks of elements" : "Operations that meet");
    for (size_t i = 0; i < prove->ghosted.obligations.count; i++) {
        const Obligation *o = &prove->ghosted.obligations.at[i];
        const IrOperation *op = &prove->ghosted.program->operations.at[o->operation];
        buffer_printf(out, "  at %s of %s %s\n", op->subops.at[o->step].label, op->name, o->words);
    }
}

/* R of simulation.h, and from which step on an unfinished operation counts. */
static void report_relation(const Prove *prove, Buffer *out)
{
    const Simulation *simulation = &prove->simulation;
    if (!simulation->prover.program)
        return;
    const FactList *list = &simulation->prover.facts.global;
    buffer_printf(out, "\nRelation with the specification%s\n",
                  prove->simulated ? " (shown for serial runs of any length)"
                                   : ", as far as it was found");
    for (size_t i = 0; i < list->count; i++) {
        if (list->at[i].axiom)
            continue;
        buffer_printf(out, "  ");
        fact_print(out, simulation->product, NULL, &list->at[i]);
        buffer_printf(out, "\n");
    }
    for (size_t o = 0; o < simulation->effect.count; o++) {
        const IrOperation *op = &simulation->proved->program->operations.at[o];
        if (simulation->effect.at[o] < (int)op->subops.count)
            buffer_printf(out, "  %s, if it never finishes, has taken effect from %s on\n",
                          op->name, op->subops.at[simulation->effect.at[o] - 1].label);
    }
}

void prove_report_page(const Prove *prove, Buffer *out)
{
    const IrProgram *program = prove->prover.program;
    if (prove->has_tables) {
        tables_print(prove->ordered ? &prove->tables_prover : &prove->prover, &prove->tables, out);
        buffer_printf(out, "\nAlgorithm 1 on these tables: %s",
                      prove->tables_prove ? "every history can be made serial\n" : "fails at ");
        if (!prove->tables_prove) {
            const Algorithm1Failure *f = &prove->tables_failure;
            report_prefix(out, &program->operations.at[f->operation], f->prefix);
            buffer_printf(out, " | ");
            report_prefix(out, &program->operations.at[f->blocker], f->blocker_prefix);
            buffer_printf(out, " (pairs alone are too coarse; %s decide below)\n",
                          prove->ordered ? "ranks" : "states");
        }
    }
    report_facts(prove, out);
    report_relation(prove, out);
    if (!prove->reduced)
        return;
    if (prove->ghosted.program && !prove->enlarged && prove->reasons.count == 0)
        report_obligations(prove, out);
    if (prove->ordered)
        return;
    if (prove->by_hand)
        return;
    buffer_printf(out, "\nThe proof: each prefix of an operation joins its next step\n");
    for (size_t i = 0; i < prove->reduction.notes.count; i++) {
        const ReduceNote *note = &prove->reduction.notes.at[i];
        buffer_printf(out, "  ");
        report_prefix(out, &program->operations.at[note->operation], note->prefix);
        buffer_printf(out, ": %s\n", note->text);
    }
    for (size_t i = 0; i < program->operations.count; i++)
        if (program->operations.at[i].subops.count == 1)
            buffer_printf(out, "  %s is one step\n", program->operations.at[i].name);
}

static json_t *report_strings(const char *const *at, size_t count)
{
    json_t *array = json_array();
    for (size_t i = 0; i < count; i++)
        json_push(array, json_text(at[i]));
    return array;
}

json_t *prove_report_json(const Prove *prove, const char *subject, double seconds, long peak_rss_kb)
{
    const IrProgram *program = report_program(prove);
    Buffer text = {0};
    const char *reason = prove->reasons.count ? prove->reasons.at[0] : "no proof was found";
    Answer answer = {.command = "prove",
                     .subject = subject,
                     .verdict = prove->verdict,
                     .violation = prove->violation,
                     .reason = reason,
                     .exhaustive = prove->verdict == VERDICT_HOLDS,
                     .model = "sc",
                     .seconds = seconds,
                     .peak_rss_kb = peak_rss_kb};
    if (prove->verdict == VERDICT_VIOLATED)
        answer.message = violation_text(prove->violation);
    json_t *object = json_head(&answer);
    json_put(object, "proof_tried", json_boolean(!prove->early));
    json_put(object, "proved_serial_equivalence", json_boolean(prove->reduced));
    json_put(object, "proved_given", report_strings(prove->given.at, prove->given.count));
    json_put(object, "not_proved", report_strings(prove->reasons.at, prove->reasons.count));
    json_put(object, "serial_operations", json_integer(prove->serial_operations));
    json_put(object, "serial_any_length", json_boolean(prove->simulated));
    json_put(object, "search_threads", json_integer(prove->search_threads));
    json_put(object, "search_operations", json_integer(prove->search_operations));
    json_put(object, "operations", json_integer((json_int_t)program->operations.count));
    json_put(object, "sub_operations", json_integer(report_subops(program)));
    json_put(object, "invariants", json_integer((json_int_t)prove->prover.facts.global.count));
    json_put(object, "questions", json_integer((json_int_t)solver_queries(prove->prover.solver)));
    json_put(object, "certificates", json_integer((json_int_t)prove->certificates));
    json_put(object, "times",
             json_pack("{s:f, s:f, s:f, s:f, s:f, s:f, s:f, s:f, s:f}", "solver",
                       solver_seconds(prove->prover.solver), "facts", prove->seconds_facts,
                       "reduction", prove->seconds_reduce, "serial", prove->seconds_serial,
                       "tables", prove->seconds_tables, "algorithm1", prove->seconds_algorithm1,
                       "search", prove->seconds_search, "certify", prove->seconds_certify,
                       "relation", prove->seconds_simulation));
    const char *execution = prove->search.violated   ? prove->search.execution
                            : prove->serial.violated ? prove->serial.execution
                                                     : NULL;
    if (execution)
        json_put(object, "execution", json_text(execution));
    if (!prove->reduced && !prove->ordered && !prove->by_hand && !prove->early && !prove->stopped) {
        report_failure(prove, &text);
        json_put(object, "not_reordered", json_text(text.at));
    }
    if (prove->has_tables)
        json_put(object, "algorithm1_on_tables", json_boolean(prove->tables_prove));
    vec_free(&text);
    return object;
}
