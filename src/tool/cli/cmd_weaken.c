/* cmd_weaken.c: `heddle weaken`: which memory orders does a program need? */
#include <errno.h>
#include <argp.h>
#include <stdio.h>
#include <string.h>
#include "tool/cli/commands.h"
#include "base/print.h"
#include "tool/cli/present.h"
#include "tool/cli/weaken/tries.h"
#include "tool/instrument/process.h"
#include "tool/report/dwarf/names.h"
#include "tool/report/steps.h"
#include "tool/report/text.h"
#include "tool/report/page/weakening_page.h"
#include "tool/report/weakening.h"

/* The limit of each weakened program, if nobody gives one. */
#define LEAST_TIME_MS UINT64_C(60000)
#define TIME_FACTOR 10

static const char doc[] =
    "Weaken each memory order of a program, one at a time, and check it again: which orders are "
    "needed, and by which execution, and which are not seen to be needed by these tests?\v"
    "A file with a main() is explored as `heddle run' does, one that declares operations is tested "
    "as `heddle check' does; the options of both apply to every weakened program. --time limits "
    "all of them together (without it, each has 60s, or ten times what the program needs as it "
    "is); --jobs runs several at once.\n\n"
    "Exit status: 0 all orders that the tests reach are decided; 1 the program is wrong as it is, "
    "or, with --strict, an order is stronger than these tests need; 2 usage, build or input error; "
    "3 something is not decided; 4 internal error.\n\n"
    "Examples:\n"
    "  heddle weaken queue.c\n"
    "  heddle weaken --jobs=2 --strict queue_check.c --shape=2x2\n"
    "  heddle weaken --order=queue.c:31 queue.c";

enum { OPT_ORDER = 0x400, OPT_STRICT };
static const struct argp_option weaken_options[] = {
    {"order", OPT_ORDER, "PLACE", 0,
     "Only the orders at PLACE (31, queue.c:31 or queue.c:31:9), with the whole execution that "
     "goes "
     "wrong",
     0},
    {"strict", OPT_STRICT, 0, 0, "Exit status 1 if an order is stronger than these tests need", 0},
    {0}};

typedef struct WeakenOptions {
    RunOptions run; /* first: the children's input */
    const char *place, *journal;
    bool strict;
    double deadline; /* by process_seconds; 0: none */
} WeakenOptions;

static error_t weaken_parse(int key, char *text, struct argp_state *state)
{
    WeakenOptions *options = state->input;
    switch (key) {
    case ARGP_KEY_INIT:
        for (int i = 0; i < 4; i++)
            state->child_inputs[i] = &options->run;
        return 0;
    case OPT_ORDER:
        options->place = text;
        return 0;
    case OPT_STRICT:
        options->strict = true;
        return 0;
    case ARGP_KEY_END:
        if (model_is_interleaved(options->run.explore.model))
            argp_error(state, "under %s memory orders make no difference: choose another --model",
                       model_word(options->run.explore.model));
        if (options->run.explore.second_opinion)
            argp_error(state, "--second-opinion is for run and check");
        return 0;
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

/* Does PLACE ("31", "queue.c:31", "queue.c:31:9", with a path or without) name the order's? */
static bool is_at(const WeakenOrder *order, const char *place)
{
    char text[300];
    const char *slash = strrchr(place, '/');
    place = slash ? slash + 1 : place;
    weakening_place(order, text, sizeof text);
    const char *colon = strchr(text, ':');
    size_t length = strlen(place);
    bool whole = !strncmp(text, place, length) && strchr(":#", text[length]);
    bool line = colon && !strncmp(colon + 1, place, length) && strchr(":#", colon[1 + length]);
    return strchr(place, ':') ? whole : line;
}

/* The orders at PLACE only; keys keep their owners. */
static bool keep_orders_at(WeakenSites *sites, const char *place)
{
    bool any = false;
    for (size_t i = 0; i < sites->orders.count; i++) {
        WeakenOrder *order = &sites->orders.at[i];
        bool at = is_at(order, place);
        any |= at;
        if (!at)
            order->note = "another place was asked for";
    }
    return any;
}

/* Every weakening at the place that was asked for, with the execution that goes wrong. */
static void show_executions(const WeakenPlan *plan, const char *place, const TextStyle *style)
{
    for (uint32_t i = 0; i < plan->sites->orders.count; i++) {
        const WeakenOrder *order = &plan->orders[i];
        for (unsigned k = 0; is_at(order, place) && k < order->try_count; k++) {
            Session copy;
            Answer answer = {0};
            Error error = {0};
            Names *names = NULL;
            if (order->tries[k].verdict != VERDICT_VIOLATED ||
                !weaken_tries_one(plan, &copy, i, order->tries[k].to, &answer, &error))
                continue;
            char text[300];
            weakening_place(order, text, sizeof text);
            print_plain(stdout, "\nWith %s at %s:\n", steps_order_word(order->tries[k].to), text);
            if (answer.record &&
                !names_open(&names, copy.arena, answer.program, answer.record, &error))
                names = NULL;
            text_write_answer(stdout, &answer, names, style);
            names_close(names);
            vec_free(&answer.remarks);
        }
    }
}

static void weakening_conclude(Weakening *weakening, bool strict)
{
    unsigned strong =
        weaken_count(weakening, WEAKEN_WEAKER) + weaken_count(weakening, WEAKEN_UNNEEDED);
    unsigned unknown = weaken_count(weakening, WEAKEN_UNKNOWN);
    weakening->verdict = VERDICT_HOLDS;
    if (process_interrupted()) {
        weakening->verdict = VERDICT_INCONCLUSIVE;
        weakening->reason = "interrupted";
    } else if (strict && strong) {
        weakening->verdict = VERDICT_VIOLATED;
        weakening->reason = "some orders are stronger than these tests need";
    } else if (unknown) {
        weakening->verdict = VERDICT_INCONCLUSIVE;
        weakening->reason = "some weakened programs could not be decided";
    } else if (weakening->placeless_orders) {
        weakening->verdict = VERDICT_INCONCLUSIVE;
        weakening->reason = "some atomic operations are in code without debug information (-g): "
                            "their orders were not weakened";
    } else if (weaken_count(weakening, WEAKEN_UNREACHED) == weakening->count) {
        weakening->verdict = VERDICT_INCONCLUSIVE;
        weakening->reason = weakening->count
                                ? "no memory order was reached"
                                : "the program has no memory order that could be weakened";
    }
}

/* Prints the answer. Returns the exit status, or -1 with ERROR if the page can't be written. */
static int weakening_present(const Weakening *weakening, const WeakenPlan *plan,
                             const WeakenOptions *options, Error *error)
{
    bool written = true;
    if (options->run.output.html &&
        !weakening_page_write(options->run.output.html, weakening, error))
        return -1;
    if (options->run.output.json) {
        written = weakening_write_json(stdout, weakening);
    } else {
        TextStyle style = text_style_for(stdout, options->run.output.ascii);
        style.all = options->run.output.all;
        weakening_write_text(stdout, weakening, &style);
        if (options->place)
            show_executions(plan, options->place, &style);
    }
    if (!print_finish() || !written)
        return 2;
    return weakening->verdict == VERDICT_HOLDS ? 0 : weakening->verdict == VERDICT_VIOLATED ? 1 : 3;
}

/* The results, those at the place that was asked for if there is one. */
static void weakening_collect(Weakening *weakening, const WeakenPlan *plan, const char *place)
{
    size_t count = plan->sites->orders.count;
    weakening->at = arena_array_of(plan->session->arena, WeakenOrder, count + 1);
    for (size_t i = 0; i < count; i++)
        if (!place || is_at(&plan->orders[i], place))
            weakening->at[weakening->count++] = plan->orders[i];
}

/* The program holds as it is, and TABLE has what it met. Returns the exit status, or -1. */
static int weaken_orders(Session *session, const WeakenOptions *options, const Answer *unchanged,
                         const OrderTable *table, const OrderTable *empty, WeakenKept *kept,
                         Error *error)
{
    WeakenSites sites;
    double start = process_seconds();
    if (!weaken_sites_find(session->arena, session->build.program, table,
                           options_optimise(&options->run), false, &sites, error))
        return -1;
    int status = -1;
    if (options->place && !keep_orders_at(&sites, options->place)) {
        weaken_sites_free(&sites);
        error_set(error, "there is no memory order at %s", options->place);
        return -1;
    }
    WeakenPlan plan = {.session = session,
                       .table = empty,
                       .sites = &sites,
                       .orders = weaken_tries_share(&sites),
                       .jobs = options->run.explore.jobs,
                       .deadline = options->deadline,
                       .quiet = options->run.output.quiet,
                       .kept = kept};
    bool resumed = !kept || weaken_kept_resume(kept, plan.orders, sites.orders.count, error);
    if (resumed && weaken_tries_run(&plan, error)) {
        Weakening weakening = {.subject = session->subject,
                               .model = unchanged->model,
                               .mode = session->command,
                               .executions = unchanged->executions,
                               .blocked = unchanged->blocked,
                               .exhaustive = unchanged->exhaustive,
                               .coverage = unchanged->outcome.coverage,
                               .seconds = process_seconds() - start,
                               .library_orders = sites.library_orders,
                               .placeless_orders = sites.placeless_orders};
        weakening_collect(&weakening, &plan, options->place);
        weakening_conclude(&weakening, options->strict);
        if (kept) {
            kept->ledger.verdict = verdict_word(weakening.verdict);
            kept->ledger.complete =
                !weaken_count(&weakening, WEAKEN_UNKNOWN) && !process_interrupted();
            weaken_kept_write(kept, true);
        }
        status = weakening_present(&weakening, &plan, options, error);
    }
    weaken_tries_release(plan.orders, sites.orders.count);
    weaken_sites_free(&sites);
    return status;
}

/* The program as it is, unless KEPT has that already, then all tries. Returns the exit status, or
 * -1.
 */
static int weaken_from(Session *session, const WeakenOptions *options, WeakenKept *kept,
                       OrderTable *table, const OrderTable *empty, Answer *answer, Error *error)
{
    if (!kept || !kept->has_base) {
        CheckOptions asked = session->explore.check;
        session->orders = table;
        if (!session_explore(session, answer, error))
            return -1;
        session->orders = NULL;
        session->explore.check = asked;
        if (answer->verdict != VERDICT_HOLDS) {
            vec_push(&answer->remarks,
                     "this is the program as it is: no memory order was weakened");
            return present_answer(session, answer);
        }
        if (kept)
            weaken_kept_base(kept, table, answer);
    }
    answer->model = model_word(session->explore.model);
    session->explore.jobs = 1;     /* several programs at once, each in one process */
    if (!session->explore.time_ms) /* a weakened program may have any number of executions */
        session->explore.time_ms =
            MAX(LEAST_TIME_MS, (uint64_t)(answer->seconds * 1e3) * TIME_FACTOR);
    return weaken_orders(session, options, answer, table, empty, kept, error);
}

static int weaken_session(Session *session, WeakenOptions *options, Error *error)
{
    Arena *arena = session->arena;
    if (options->run.explore.time_ms) /* the limit is that of the command, without the build */
        options->deadline = process_seconds() + (double)options->run.explore.time_ms / 1e3;
    OrderTable *table = arena_new_of(arena, OrderTable), *empty = arena_new_of(arena, OrderTable);
    table->enabled = 1;
    if (!session_has_main(session)) {
        session->command = "check";
        session->explore.check.enabled = options->run.explore.check.enabled = 1;
    }
    if (!weaken_sites_prepare(arena, session->build.program, table, error))
        return 2;
    *empty = *table;
    WeakenKept kept;
    Answer answer = {0};
    if (options->journal &&
        !weaken_kept_open(&kept, session, options->journal, options->place, table, &answer, error))
        return 2;
    int status = weaken_from(session, options, options->journal ? &kept : NULL, table, empty,
                             &answer, error);
    if (options->journal)
        weaken_kept_close(&kept, status != 3, false);
    vec_free(&answer.remarks);
    return status < 0 ? 2 : status;
}

int cmd_weaken(int argc, char **argv)
{
    static const struct argp_child children[] = {
        {&options_check_argp, 0, "Tests of operations:", 5},
        {&options_explore_argp, 0, NULL, 0},
        {&options_build_argp, 0, NULL, 0},
        {&options_print_argp, 0, NULL, 0},
        {0}};
    static const struct argp parser = {
        weaken_options, weaken_parse, "FILE...", doc, children, 0, 0};
    WeakenOptions options = {0};
    options_init(&options.run);
    options.run.output.no_record = true;
    options.run.explore.check.annotated = 1; /* where there are annotations, they judge */
    options_take_compiler_words(&argc, argv, &options.run);
    /* lines and columns, and a frame for each function on the way from a library's operation to its
     * caller */
    vec_push(&options.run.build.compile, "-g");
    vec_push(&options.run.build.compile, "-fno-optimize-sibling-calls");
    char name[] = "heddle weaken";
    argv[0] = name;
    argp_parse(&parser, argc, argv, 0, NULL, &options);
    Arena *arena = arena_new();
    Session session;
    Error error = {0};
    int status = 2;
    options.journal = options.run.journal;
    options.run.journal = NULL; /* each exploration has none of its own */
    if (options_allow_journal(&options.run, "weaken")) {
        if (session_open(&session, arena, "run", &options.run, &error))
            status = weaken_session(&session, &options, &error);
        if (error.message[0])
            status = present_failure(&error);
        session_close(&session);
    }
    arena_free(arena);
    options_free(&options.run);
    return status;
}
