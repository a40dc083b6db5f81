/* cmd_status.c: `heddle status`: how far an exploration with a journal has come. */
#include <argp.h>
#include <jansson.h>
#include <stdio.h>
#include <string.h>
#include "tool/cli/commands.h"
#include "base/print.h"
#include "tool/cli/present.h"
#include "tool/cli/scale/figures.h"
#include "tool/report/jsontext.h"

static const char doc[] =
    "Tell how far an exploration has come that writes a journal (--journal) or a part (--shard): "
    "what is done, the rate, and an estimate of what is left.\v"
    "The estimate takes all alternatives of a choice for equally large. It may be far off early "
    "on; it is 0 when everything is done.";

typedef struct Status {
    bool json;
    int count;
    char **files;
} Status;

static error_t status_parse(int key, char *text, struct argp_state *state)
{
    Status *status = state->input;
    (void)text;
    switch (key) {
    case 'J':
        status->json = true;
        return 0;
    case ARGP_KEY_ARGS:
        status->files = state->argv + state->next;
        status->count = state->argc - state->next;
        return 0;
    case ARGP_KEY_NO_ARGS:
        argp_error(state, "no journal is named");
        return 0;
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

static void print_duration(double seconds)
{
    if (seconds < 100)
        printf("%.0f s", seconds);
    else if (seconds < 6000)
        printf("%.0f min", seconds / 60);
    else
        printf("%.1f h", seconds / 3600);
}

/* A search of states does not know how many there are. */
static void print_states(const char *path, const Ledger *ledger)
{
    const RefineFigures *states = &ledger->states;
    print_plain(stdout,
                "%s: heddle %s of %s\n  done: %llu states, %llu transitions, depth %llu in ", path,
                ledger->command, ledger->subject, (unsigned long long)states->states,
                (unsigned long long)states->transitions, (unsigned long long)states->depth);
    print_duration(ledger->seconds);
    if (ledger->seconds > 0)
        printf(" (%.0f/s)", (double)states->states / ledger->seconds);
    if (ledger->complete)
        print_plain(stdout, "\n  left: nothing\n  answer: %s\n", ledger->verdict);
    else
        printf("\n  left: %llu of these, and what follows them\n",
               (unsigned long long)states->frontier);
}

static void show_text(const char *path, const Ledger *ledger)
{
    const UnitCounts *counts = &ledger->counts;
    double left = figures_part_left(ledger), done = 1 - left;
    print_plain(stdout, "%s: heddle %s of %s", path, ledger->command, ledger->subject);
    if (ledger->shards)
        printf(", share %u of %u", ledger->shard + 1, ledger->shards);
    if (!strcmp(ledger->command, "history"))
        printf("\n  done: %llu histories", (unsigned long long)counts->histories);
    else
        printf("\n  done: %llu executions", (unsigned long long)counts->executions);
    if (counts->blocked)
        printf(", %llu blocked", (unsigned long long)counts->blocked);
    if (counts->tests)
        printf(", %llu of %llu tests", (unsigned long long)counts->tests,
               (unsigned long long)ledger->tests_planned);
    printf(" in ");
    print_duration(ledger->seconds);
    if (ledger->seconds > 0 && counts->executions + counts->blocked)
        printf(" (%.0f/s)", (double)(counts->executions + counts->blocked) / ledger->seconds);
    if (ledger->complete)
        printf("\n  left: nothing\n");
    else {
        printf("\n  left: about %.3g %%", 100 * left);
        if (ledger->units.count)
            print_plain(stdout, " in %zu unit%s of work", ledger->units.count,
                        ledger->units.count == 1 ? "" : "s");
        if (done > 0.001 && ledger->seconds > 0) {
            printf(", ");
            print_duration(ledger->seconds * left / done);
            printf(" at that rate");
        }
        printf("\n");
    }
    if (ledger->verdict && (ledger->complete || ledger->violation))
        print_plain(stdout, "  answer: %s%s%s%s%s\n", ledger->verdict, ledger->violation ? " " : "",
                    ledger->violation ? ledger->violation : "", ledger->reason ? ": " : "",
                    ledger->reason ? ledger->reason : "");
}

/* Does anybody go on with a journal that is not complete? */
static void print_process(const char *path, const Ledger *ledger)
{
    if (ledger_is_in_use(path))
        printf("  a process is at work on it\n");
    else if (!ledger->complete && !ledger->violation)
        printf("  no process is at work on it: the same command goes on from it\n");
}

static void print_json(const char *path, const Ledger *ledger)
{
    json_t *object = figures_json(path, ledger);
    json_object_set_new(object, "at_work", json_boolean(ledger_is_in_use(path)));
    if (json_print(stdout, object, JSON_PRESERVE_ORDER | JSON_REAL_PRECISION(9)))
        putchar('\n');
    json_decref(object);
}

int cmd_status(int argc, char **argv)
{
    static const struct argp_option options[] = {
        {"json", 'J', 0, 0, "One JSON object a journal instead of text", 0}, {0}};
    static const struct argp parser = {options, status_parse, "JOURNAL...", doc, 0, 0, 0};
    Status status = {0};
    char name[] = "heddle status";
    argv[0] = name;
    argp_parse(&parser, argc, argv, 0, NULL, &status);
    int result = 0;
    for (int i = 0; i < status.count; i++) {
        Arena *arena = arena_new();
        Ledger ledger;
        Error error = {0};
        if (!ledger_read(arena, status.files[i], &ledger, &error)) {
            present_error(&error);
            result = 2;
        } else if (status.json) {
            print_json(status.files[i], &ledger);
        } else {
            (ledger.states.states ? print_states : show_text)(status.files[i], &ledger);
            print_process(status.files[i], &ledger);
        }
        ledger_free(&ledger);
        arena_free(arena);
    }
    return result;
}
