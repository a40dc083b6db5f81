#include "tool/cli/history/report.h"
#include "base/print.h"
#include "judge/linear/explain_text.h"
#include "tool/report/json.h"
#include "tool/report/jsontext.h"
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

Verdict history_summary_verdict(const HistorySummary *summary)
{
    Verdict verdict = summary->problem_count ? VERDICT_INCONCLUSIVE : VERDICT_HOLDS;
    for (size_t i = 0; i < summary->count; i++)
        if (summary->runs[i].verdict == VERDICT_VIOLATED)
            return VERDICT_VIOLATED;
        else if (summary->runs[i].verdict == VERDICT_INCONCLUSIVE)
            verdict = VERDICT_INCONCLUSIVE;
    return verdict;
}

/* The kind of violation if what is asked for is not so. */
static ViolationKind broken_promise(const HistorySummary *summary)
{
    static const struct {
        const char *word;
        ViolationKind kind;
    } consistencies[] = {{"sequential", VIOLATION_SEQUENTIAL_CONSISTENCY},
                         {"session", VIOLATION_SESSION_GUARANTEES},
                         {"read-your-writes", VIOLATION_READ_YOUR_WRITES},
                         {"monotonic-reads", VIOLATION_MONOTONIC_READS},
                         {"monotonic-writes", VIOLATION_MONOTONIC_WRITES},
                         {"writes-follow-reads", VIOLATION_WRITES_FOLLOW_READS},
                         {"pram", VIOLATION_PRAM},
                         {"causal", VIOLATION_CAUSAL},
                         {"causal-convergence", VIOLATION_CAUSAL_CONVERGENCE}};
    for (size_t i = 0; summary->consistency && i < COUNT_OF(consistencies); i++)
        if (!strcmp(summary->consistency, consistencies[i].word))
            return consistencies[i].kind;
    if (summary->consistency && level_from_word(summary->consistency) != LEVEL_NONE)
        return level_from_word(summary->consistency) == LEVEL_STRICT_SERIALIZABLE
                   ? VIOLATION_STRICT_SERIALIZABILITY
                   : VIOLATION_ISOLATION;
    if (summary->relaxed)
        return VIOLATION_QUASI_LINEARIZABILITY;
    Str spec = str_of(summary->spec);
    return str_starts(spec, STR("k-register"))     ? VIOLATION_K_ATOMICITY
           : str_starts(spec, STR("transactions")) ? VIOLATION_STRICT_SERIALIZABILITY
                                                   : VIOLATION_LINEARIZABILITY;
}

ViolationKind history_summary_violation(const HistorySummary *summary)
{
    for (size_t i = 0; i < summary->count; i++)
        if (summary->runs[i].verdict == VERDICT_VIOLATED)
            return summary->runs[i].answer.stuck == LINEARIZE_NONE ? broken_promise(summary)
                                                                   : VIOLATION_STUCK;
    return VIOLATION_NONE;
}

void history_report_part(const HistoryRun *run, Buffer *out)
{
    if (run->group >= run->plan.groups.count)
        return;
    const PlanGroup *group = &run->plan.groups.at[run->group];
    bool keyed = group->part.word != VALUE_UNKNOWN.word;
    if (group->object)
        buffer_printf(out, "object %.*s%s",
                      STR_ARG(value_text(run->history->values, value_of_symbol(group->object))),
                      keyed ? ", " : "");
    if (keyed) {
        buffer_printf(out, "key ");
        value_print(run->history->values, group->part, out);
    }
}

static void print_name(const HistoryRun *run, FILE *out)
{
    print_plain(out, "%s", run->history->source);
    if (run->history->number > 1)
        fprintf(out, " (history %u)", (unsigned)run->history->number);
}

static size_t pending_count(const HistoryRun *run)
{
    size_t pending = 0;
    for (size_t i = 0; i < run->history->operations.count; i++)
        pending += run->history->operations.at[i].returned == HISTORY_PENDING;
    return pending;
}

static void print_witness(const HistoryRun *run, FILE *out)
{
    if (!run->has_witness)
        return;
    fprintf(out, "  An order that explains it:\n");
    for (size_t i = 0; i < run->witness.count; i++) {
        Buffer text = {0}, process = {0};
        uint32_t op = run->witness.at[i];
        explain_text_operation(run->history, op, EXPLAIN_TEXT_OPERATION, &text);
        explain_text_process(run->history, run->history->operations.at[op].process, &process);
        print_plain(out, "  %6zu. line %-6u %8.*s  %.*s\n", i + 1,
                    (unsigned)run->history->operations.at[op].line, STR_ARG(buffer_str(&process)),
                    STR_ARG(buffer_str(&text)));
        vec_free(&text);
        vec_free(&process);
    }
}

static void print_isolation(const HistoryRun *run, FILE *out)
{
    Buffer text = {0};
    if (!run->isolation)
        return;
    isolation_print(run->isolation, run->level, &text);
    print_text(out, buffer_str(&text));
    vec_free(&text);
}

static const char *history_report_word(const HistorySummary *summary)
{
    const char *word = summary->consistency ? summary->consistency : "linearizable";
    if (!strcmp(word, "auto"))
        return "isolated";
    if (strcmp(word, "linearizable") && strcmp(word, "strict-serializable"))
        return !strcmp(word, "sequential") ? "sequentially consistent"
               : !strcmp(word, "session")  ? "consistent in its sessions"
                                           : word;
    switch (broken_promise(summary)) {
    case VIOLATION_K_ATOMICITY:
        return "k-atomic";
    case VIOLATION_STRICT_SERIALIZABILITY:
        return "strictly serializable";
    case VIOLATION_QUASI_LINEARIZABILITY:
        return "quasi linearizable";
    default:
        return word;
    }
}

/* Is it inconclusive only because nobody knows what reads of nil mean? */
static bool depends_on_nil(const HistoryRun *run)
{
    return run->verdict == VERDICT_INCONCLUSIVE && !strcmp(run->reason, "nil-reads");
}

/* Says what nil was taken for, where another answer may depend on it. */
static void print_assumption(const HistorySummary *summary, const HistoryRun *run, FILE *out)
{
    unsigned count = (unsigned)run->history->nil_reads;
    bool violated = run->verdict == VERDICT_VIOLATED;
    if (!count)
        return;
    if (summary->nil_reads == NIL_READS_UNKNOWN)
        fprintf(out,
                "  ASSUMED: reads of nil (%u in this log) gave something that nobody knows "
                "(--nil-reads=unknown).\n",
                count);
    else if (violated && run->without_nil == VERDICT_VIOLATED)
        fprintf(out, "  It is violated whatever reads of nil (%u in this log) mean.\n", count);
    else if (violated)
        fprintf(out,
                "  ASSUMED: reads of nil (%u in this log) gave what the object holds before the "
                "first write (--nil-reads=value). ONLY THEN is it violated%s.\n",
                count, run->without_nil == VERDICT_HOLDS ? "" : ", as far as could be decided");
    else if (depends_on_nil(run))
        fprintf(out,
                "  IT DEPENDS on what this test means by reads of nil (%u in this log), which the "
                "log does not tell:\n"
                "    what the object holds before the first write: VIOLATED, as shown below "
                "(--nil-reads=value)\n"
                "    that nobody knows what was read, as Knossos takes it: %s "
                "(--nil-reads=unknown)\n",
                count,
                run->without_nil == VERDICT_HOLDS ? "it HOLDS" : "not decided within the limits");
}

/* One line a history, and one a log that could not be read. */
static void print_table(const HistorySummary *summary, FILE *out)
{
    bool plain = broken_promise(summary) == VIOLATION_LINEARIZABILITY;
    const char *const words[] = {[VERDICT_HOLDS] = plain ? "linearizable" : "consistent",
                                 [VERDICT_VIOLATED] = plain ? "NOT linearizable" : "NOT consistent",
                                 [VERDICT_INCONCLUSIVE] = "inconclusive"};
    print_plain(out, "\n  %-17s %10s %7s %7s  %s\n", "answer", "operations", "pending", "parts",
                "log");
    for (size_t i = 0; i < summary->count; i++) {
        const HistoryRun *run = &summary->runs[i];
        print_plain(out, "  %-17s %10zu %7zu %7zu  ", words[run->verdict],
                    run->history->operations.count, pending_count(run), run->plan.groups.count);
        print_name(run, out);
        fprintf(out, "\n");
    }
    for (size_t i = 0; i < summary->problem_count; i++)
        print_plain(out, "  %-17s %10s %7s %7s  %s\n", "error", "", "", "",
                    summary->problems[i].message);
    fprintf(out, "\n");
}

static void report_run(const HistorySummary *summary, const HistoryRun *run, FILE *out)
{
    print_name(run, out);
    size_t pending = pending_count(run);
    if (run->verdict == VERDICT_HOLDS) {
        print_plain(out, ": %s (%s): %zu operations, %zu pending, %zu processes",
                    history_report_word(summary), summary->spec, run->history->operations.count,
                    pending, run->history->processes.count);
        if (run->plan.groups.count > 1)
            fprintf(out, ", %zu parts", run->plan.groups.count);
        fprintf(out, "\n");
        print_isolation(run, out);
        print_assumption(summary, run, out);
        print_witness(run, out);
        return;
    }
    Buffer group = {0};
    history_report_part(run, &group);
    const char *comma = group.count ? ", " : "";
    if (run->verdict == VERDICT_INCONCLUSIVE && !depends_on_nil(run)) {
        print_plain(out, ": inconclusive (%s%s%.*s): ", summary->spec, comma,
                    STR_ARG(buffer_str(&group)));
        if (!strcmp(run->reason, "interrupted"))
            fprintf(out, "interrupted; ");
        else if (!strcmp(run->reason, "values"))
            fprintf(out, "only reads, and writes of distinct values, tell versions; ");
        else if (!strcmp(run->reason, "orders"))
            fprintf(out, "too many writes whose order the history does not tell; ");
        else
            print_plain(out, "the %s limit was reached; ", run->reason);
        fprintf(out,
                "%u of %u operations of this part could be put in order, %u of %zu parts "
                "were decided\n",
                (unsigned)run->answer.settled, (unsigned)run->plan.groups.at[run->group].count,
                (unsigned)run->groups_done, run->plan.groups.count);
        vec_free(&group);
        return;
    }
    print_plain(out, ": %s%s (%s%s%.*s)\n",
                depends_on_nil(run) ? "inconclusive: perhaps NOT " : "NOT ",
                history_report_word(summary), summary->spec, comma, STR_ARG(buffer_str(&group)));
    print_assumption(summary, run, out);
    vec_free(&group);
    if (run->isolation) {
        print_isolation(run, out);
        return;
    }
    Buffer text = {0};
    explain_text_violation(&run->plan, run->group, &run->answer, &run->explanation, &text);
    print_text(out, buffer_str(&text));
    vec_free(&text);
}

void history_report_text(const HistorySummary *summary, FILE *out)
{
    size_t counts[3] = {0, 0, 0};
    bool several = summary->count + summary->problem_count > 1;
    for (size_t i = 0; i < summary->count; i++) {
        const HistoryRun *run = &summary->runs[i];
        bool strongest = run->isolation && run->level == LEVEL_AUTO;
        if (!several || run->verdict != VERDICT_HOLDS || run->has_witness || strongest)
            report_run(summary, run, out);
        counts[run->verdict]++;
    }
    if (several) {
        print_table(summary, out);
        print_plain(out, "%zu histories: %zu %s, %zu not, %zu inconclusive", summary->count,
                    counts[VERDICT_HOLDS], history_report_word(summary), counts[VERDICT_VIOLATED],
                    counts[VERDICT_INCONCLUSIVE]);
        if (summary->problem_count)
            fprintf(out, "; %zu could not be read", summary->problem_count);
        fprintf(out, "\n");
    }
    if (summary->count)
        fprintf(out, "checking took %.3f ms\n", summary->runs[0].seconds * 1e3);
}

static json_t *json_of_operation(const HistoryRun *run, uint32_t index)
{
    const Operation *op = &run->history->operations.at[index];
    Buffer text = {0}, process = {0};
    history_print_operation(run->history, op, &text);
    explain_text_process(run->history, op->process, &process);
    json_t *object = json_object();
    json_object_set_new(object, "line", json_integer(op->line));
    json_object_set_new(object, "process", json_text_of(buffer_str(&process)));
    json_object_set_new(object, "operation", json_text_of(buffer_str(&text)));
    json_object_set_new(object, "called", json_integer(op->called));
    json_object_set_new(object, "returned",
                        op->returned == HISTORY_PENDING ? json_null() : json_integer(op->returned));
    vec_free(&text);
    vec_free(&process);
    return object;
}

static json_t *json_of_operations(const HistoryRun *run, const uint32_t *ops, size_t count)
{
    json_t *array = json_array();
    for (size_t i = 0; i < count; i++)
        json_array_append_new(array, json_of_operation(run, ops[i]));
    return array;
}

static json_t *json_of_transaction(const HistoryRun *run, uint32_t txn)
{
    const Operation *op = transactions_operation(&run->isolation->txns, txn);
    Buffer text = {0}, process = {0}, name = {0};
    transactions_print(&run->isolation->txns, txn, &text);
    explain_text_process(run->history, op->process, &process);
    buffer_printf(&name, "T%u", (unsigned)txn + 1);
    json_t *object = json_object();
    json_object_set_new(object, "name", json_text_of(buffer_str(&name)));
    json_object_set_new(object, "line", json_integer(op->line));
    json_object_set_new(object, "process", json_text_of(buffer_str(&process)));
    json_object_set_new(object, "steps", json_text_of(buffer_str(&text)));
    vec_free(&text);
    vec_free(&process);
    vec_free(&name);
    return object;
}

static json_t *json_of_edge(const HistoryRun *run, const CycleEdge *edge)
{
    Buffer why = {0};
    char from[16], to[16];
    isolation_print_edge(run->isolation, edge, &why);
    snprintf(from, sizeof from, "T%u", (unsigned)edge->from + 1);
    snprintf(to, sizeof to, "T%u", (unsigned)edge->to + 1);
    json_t *object = json_object();
    json_object_set_new(object, "from", json_string(from));
    json_object_set_new(object, "to", json_string(to));
    json_object_set_new(object, "kind", json_string(isolation_kind_word(edge->kind)));
    json_object_set_new(object, "why", json_text_of(buffer_str(&why)));
    if (edge->kind & (DEPENDS_WW | DEPENDS_WR | DEPENDS_RW)) {
        const Transactions *txns = &run->isolation->txns;
        vec_clear(&why);
        value_print(run->history->values, txns->keys.at[edge->key].name, &why);
        json_object_set_new(object, "key", json_text_of(buffer_str(&why)));
    }
    json_object_set_new(object, "supposed", json_boolean(edge->choice != 0));
    vec_free(&why);
    return object;
}

static json_t *json_of_anomaly(const HistoryRun *run, const IsolationAnomaly *a)
{
    json_t *object = json_object(), *txns = json_array(), *edges = json_array();
    json_t *levels = json_array();
    Buffer text = {0};
    isolation_print_name(a, &text);
    json_object_set_new(object, "anomaly", json_text_of(buffer_str(&text)));
    vec_clear(&text);
    json_object_set_new(object, "what", json_string(anomaly_what(a->anomaly)));
    if (a->also != ANOMALY_COUNT)
        json_object_set_new(object, "also", json_string(anomaly_word(a->also)));
    if (a->count)
        json_object_set_new(object, "count", json_integer((json_int_t)a->count));
    for (size_t e = 0; e < a->cycle.count; e++) {
        json_array_append_new(txns, json_of_transaction(run, a->cycle.at[e].from));
        json_array_append_new(edges, json_of_edge(run, &a->cycle.at[e]));
    }
    if (a->reader != TXN_NONE && !a->cycle.count) {
        json_array_append_new(txns, json_of_transaction(run, a->reader));
        if (a->other != TXN_NONE && a->other != a->reader)
            json_array_append_new(txns, json_of_transaction(run, a->other));
        isolation_print_found(run->isolation, a, &text);
        json_object_set_new(object, "why", json_text_of(buffer_str(&text)));
    }
    for (Level level = 0; level < LEVEL_COUNT; level++)
        if (isolation_rules_out(a, level) && run->isolation->verdicts[level] != VERDICT_HOLDS)
            json_array_append_new(levels, json_string(level_rules[level].word));
    json_object_set_new(object, "transactions", txns);
    json_object_set_new(object, "cycle", edges);
    json_object_set_new(object, "rules_out", levels);
    json_object_set_new(object, "supposed", json_boolean(a->supposed));
    vec_free(&text);
    return object;
}

static void put_isolation(json_t *object, const HistoryRun *run)
{
    static const char *const how[] = {[ISOLATION_TOLD] = "told",
                                      [ISOLATION_GUESSED] = "found",
                                      [ISOLATION_SEARCHED] = "searched"};
    const Isolation *isolation = run->isolation;
    json_t *anomalies = json_array(), *levels = json_object(), *strongest = json_array();
    for (size_t a = 0; a < isolation->anomalies.count; a++)
        json_array_append_new(anomalies, json_of_anomaly(run, &isolation->anomalies.at[a]));
    json_object_set_new(object, "anomalies", anomalies);
    json_object_set_new(object, "version_orders", json_string(how[isolation->how]));
    for (Level level = 0; level < LEVEL_COUNT; level++)
        if (isolation->judged[level])
            json_object_set_new(levels, level_rules[level].word,
                                json_string(verdict_word(isolation->verdicts[level])));
    json_object_set_new(object, "levels", levels);
    for (Level level = 0; level < LEVEL_COUNT; level++)
        if (run->level == LEVEL_AUTO && isolation_strongest(isolation) >> level & 1)
            json_array_append_new(strongest, json_string(level_rules[level].word));
    json_object_set_new(object, "strongest", strongest);
}

static json_t *json_of_run(const HistorySummary *summary, const HistoryRun *run)
{
    json_t *object = json_object();
    json_object_set_new(object, "file", json_string(run->history->source));
    json_object_set_new(object, "number", json_integer(run->history->number));
    json_object_set_new(object, "format", json_string(log_format_word(run->format)));
    json_object_set_new(object, "verdict", json_string(verdict_word(run->verdict)));
    json_object_set_new(object, "operations",
                        json_integer((json_int_t)run->history->operations.count));
    json_object_set_new(object, "pending", json_integer((json_int_t)pending_count(run)));
    json_object_set_new(object, "processes",
                        json_integer((json_int_t)run->history->processes.count));
    json_object_set_new(object, "parts", json_integer((json_int_t)run->plan.groups.count));
    if (run->history->nil_reads) {
        json_object_set_new(object, "nil_reads", json_integer(run->history->nil_reads));
        static const char *const means[] = {"either", "value", "unknown"};
        json_object_set_new(object, "nil_means", json_string(means[summary->nil_reads]));
        if (run->verdict == VERDICT_VIOLATED || depends_on_nil(run))
            json_object_set_new(object, "without_nil", json_string(verdict_word(run->without_nil)));
    }
    json_object_set_new(object, "configurations", json_integer((json_int_t)run->configurations));
    json_object_set_new(object, "parts_decided", json_integer(run->groups_done));
    if (run->has_witness) {
        json_t *witness = json_array();
        for (size_t i = 0; i < run->witness.count; i++)
            json_array_append_new(witness, json_of_operation(run, run->witness.at[i]));
        json_object_set_new(object, "witness", witness);
    }
    if (run->isolation)
        put_isolation(object, run);
    if (run->verdict == VERDICT_HOLDS)
        return object;
    Buffer group = {0};
    history_report_part(run, &group);
    if (group.count)
        json_object_set_new(object, "part", json_text_of(buffer_str(&group)));
    vec_free(&group);
    json_object_set_new(object, "prefix", json_integer(run->answer.settled));
    json_object_set_new(object, "prefix_exact", json_boolean(!run->explanation.at_the_latest));
    if (run->answer.ended != LINEARIZE_NONE)
        json_object_set_new(object, "ended", json_of_operation(run, run->answer.ended));
    if (run->verdict == VERDICT_INCONCLUSIVE) {
        json_object_set_new(object, "reason", json_string(run->reason));
        if (!depends_on_nil(run))
            return object;
    }
    const Explanation *e = &run->explanation;
    if (e->why)
        json_object_set_new(object, "why", json_string(e->why));
    if (run->answer.stuck != LINEARIZE_NONE)
        json_object_set_new(object, "stuck", json_of_operation(run, run->answer.stuck));
    json_object_set_new(object, "minimal", json_boolean(e->minimal));
    json_object_set_new(object, "judged_again", json_boolean(e->judged_again));
    json_object_set_new(object, "core", json_of_operations(run, e->core.at, e->core.count));
    json_object_set_new(object, "context",
                        json_of_operations(run, e->context.at, e->context.count));
    json_t *orders = json_array();
    for (size_t i = 0; i < e->ends.count; i++) {
        const DeadEndText *end = &e->ends.at[i];
        json_t *order = json_object();
        json_object_set_new(order, "order",
                            json_of_operations(run, end->order.at, end->order.count));
        json_object_set_new(order, "state", json_text_of(buffer_str(&end->state)));
        if (end->next != LINEARIZE_NONE)
            json_object_set_new(order, "next", json_of_operation(run, end->next));
        json_object_set_new(order, "allowed", json_text_of(buffer_str(&end->allowed)));
        json_array_append_new(orders, order);
    }
    json_object_set_new(object, "orders", orders);
    return object;
}

bool history_report_json(const HistorySummary *summary, FILE *out)
{
    Verdict verdict = history_summary_verdict(summary);
    const char *reason = summary->problem_count ? "input" : NULL;
    json_t *runs = json_array();
    for (size_t i = 0; i < summary->count; i++) {
        const HistoryRun *run = &summary->runs[i];
        if (run->verdict == VERDICT_INCONCLUSIVE)
            reason = run->reason;
        json_array_append_new(runs, json_of_run(summary, run));
    }
    struct rusage usage;
    getrusage(RUSAGE_SELF, &usage);
    ViolationKind violation = history_summary_violation(summary);
    Answer answer = {.command = "history",
                     .subject = summary->count ? summary->runs[0].history->source : NULL,
                     .verdict = verdict,
                     .violation = violation,
                     .message = violation == VIOLATION_NONE ? NULL : violation_text(violation),
                     .reason = reason,
                     .exhaustive = verdict != VERDICT_INCONCLUSIVE,
                     .seconds = summary->seconds,
                     .peak_rss_kb = usage.ru_maxrss};
    json_t *object = json_head(&answer);
    json_put(object, "specification", json_text(summary->spec));
    json_put(object, "consistency",
             json_text(summary->consistency ? summary->consistency : "linearizable"));
    json_put(object, "histories", json_count(summary->count));
    json_put(object, "checking_seconds",
             json_seconds(summary->count ? summary->runs[0].seconds : 0));
    json_put(object, "results", runs);
    json_t *problems = json_array();
    for (size_t i = 0; i < summary->problem_count; i++) {
        json_t *problem = json_object();
        json_put(problem, "file", json_text(summary->problems[i].file));
        json_put(problem, "message", json_text_of(str_of(summary->problems[i].message)));
        json_push(problems, problem);
    }
    if (summary->problem_count)
        json_put(object, "errors", problems);
    else
        json_decref(problems);
    return json_write(out, object);
}
