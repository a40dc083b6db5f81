/* cmd_serve.c: `heddle serve`: a page on this machine that shows how far journals have come, while
 * their explorations run. It only reads the journals, which are whole at every moment, so it can't
 * disturb anything; ranks of a job and shares write journals, too. */
#include <argp.h>
#include <fcntl.h>
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>
#include "base/clock.h"
#include "base/file.h"
#include "tool/cli/commands.h"
#include "tool/cli/present.h"
#include "tool/cli/scale/figures.h"
#include "tool/cli/serve/http.h"
#include "tool/instrument/process.h"
#include "tool/report/jsontext.h"

#define LOOK_MS 500
#define PATIENCE_SECONDS 10.0 /* nobody has written for so long: the runs have ended */
#define GROUPS_SHOWN 200      /* of tests */
#define UNITS_SHOWN 400
#define WAY_SHOWN 48

static const char doc[] =
    "Serve a page on this machine that shows explorations with a journal (--journal) or a part "
    "(--shard) while they run: what is done, the rate, an estimate of what is left, the tree of "
    "work, and what was found.\v"
    "The page is for a browser on this machine; nobody else can reach it, and nothing can be "
    "changed from it. The command ends when all journals are complete, or when no exploration has "
    "written any of them for 10 seconds (--stay: never), and on Ctrl-C.";

extern const char serve_page[], serve_page_end[];
__asm__(".section .rodata\n.global serve_page\nserve_page:\n"
        ".incbin \"src/tool/cli/serve/page.html\"\n"
        ".global serve_page_end\nserve_page_end:\n.byte 0\n.previous\n");

typedef struct Serve {
    unsigned port;
    bool stays;
    int count;
    char **files;
} Serve;

static unsigned parse_port(const char *text, const struct argp_state *state)
{
    char *end;
    unsigned long port = strtoul(text, &end, 10);
    if (!*text || *end || *text == '-' || port > 65535)
        argp_error(state, "--port: '%s' is no port (0 to 65535)", text);
    return (unsigned)port;
}

static error_t serve_parse(int key, char *text, struct argp_state *state)
{
    Serve *serve = state->input;
    switch (key) {
    case 'P':
        serve->port = parse_port(text, state);
        return 0;
    case 'S':
        serve->stays = true;
        return 0;
    case ARGP_KEY_ARGS:
        serve->files = state->argv + state->next;
        serve->count = state->argc - state->next;
        return 0;
    case ARGP_KEY_NO_ARGS:
        argp_error(state, "no journal is named");
        return 0;
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

/* Whoever explores with a journal holds its lock. */
static bool is_being_written(const char *path)
{
    int fd = file_open(path, NULL);
    if (fd < 0)
        return false;
    bool locked = flock(fd, LOCK_SH | LOCK_NB) != 0;
    close(fd);
    return locked;
}

/* The first numbers of a way: how often each choice was advanced. */
static json_t *way_json(const LedgerUnit *unit)
{
    json_t *way = json_array();
    uint32_t at = 0;
    while (at < unit->head.way_bytes && json_array_size(way) < WAY_SHOWN) {
        uint64_t number = 0;
        for (unsigned shift = 0; at < unit->head.way_bytes; shift += 7) {
            unsigned char byte = unit->way[at++];
            number |= (uint64_t)(byte & 127) << (shift & 63);
            if (!(byte & 128))
                break;
        }
        json_array_append_new(way, json_integer((json_int_t)number));
    }
    return way;
}

/* The tests in as many groups of equal size as fit on a page: which part of each is done. */
static json_t *tests_json(const Ledger *ledger)
{
    json_t *groups = json_array();
    uint64_t planned = ledger->tests_planned, size = planned / GROUPS_SHOWN + 1;
    for (uint64_t from = 0; from < planned; from += size) {
        uint64_t to = MIN(from + size, planned), done = 0;
        for (uint64_t test = from; test < MIN(to, (uint64_t)ledger->tests_bytes * 8); test++)
            done += ledger->tests_done[test / 8] >> test % 8 & 1;
        json_array_append_new(groups, json_real((double)done / (double)(to - from)));
    }
    return groups;
}

static json_t *journal_json(const char *path, const Ledger *ledger)
{
    json_t *object = figures_json(path, ledger), *work = json_array();
    for (size_t i = 0; i < ledger->units.count && i < UNITS_SHOWN; i++) {
        const LedgerUnit *unit = &ledger->units.at[i];
        json_t *item = json_object();
        json_put(item, "left", json_real(unit->head.left));
        json_put(item, "way", way_json(unit));
        json_array_append_new(work, item);
    }
    json_put(object, "work", work);
    json_put(object, "tests_planned", json_integer((json_int_t)ledger->tests_planned));
    json_put(object, "tests_done", tests_json(ledger));
    json_put(object, "message", json_text(ledger->message));
    json_put(object, "reason", json_text(ledger->reason));
    json_put(object, "share", json_integer(ledger->shards ? ledger->shard + 1 : 0));
    json_put(object, "shares", json_integer(ledger->shards));
    return object;
}

/* Says how PATH stands now; *ENDED: nothing more will come of it. */
static json_t *look_at(const char *path, bool *ended, bool *written)
{
    Arena *arena = arena_new();
    Ledger ledger;
    Error error = {0};
    struct stat status;
    json_t *object;
    *written = is_being_written(path);
    *ended = false;
    if (stat(path, &status) != 0) {
        object = json_object();
        json_put(object, "journal", json_text(path));
        json_put(object, "state", json_text("not begun"));
    } else if (!ledger_read(arena, path, &ledger, &error)) {
        object = json_object();
        json_put(object, "journal", json_text(path));
        json_put(object, "state", json_text("unreadable"));
        json_put(object, "message", json_text(error.message));
    } else {
        object = journal_json(path, &ledger);
        *ended = ledger.complete || ledger.violation;
        json_put(object, "state", json_text(*ended ? "ended" : *written ? "running" : "stopped"));
        ledger_free(&ledger);
    }
    arena_free(arena);
    return object;
}

/* True if all have ended. *WRITTEN: somebody explores. */
static bool tell_all(const Serve *serve, Http *http, bool *written)
{
    json_t *all = json_array();
    bool ended = true;
    *written = false;
    for (int i = 0; i < serve->count; i++) {
        bool one_ended, one_written;
        json_array_append_new(all, look_at(serve->files[i], &one_ended, &one_written));
        ended &= one_ended && !one_written;
        *written |= one_written;
    }
    char *text = json_dumps(all, JSON_COMPACT | JSON_REAL_PRECISION(9));
    if (text)
        http_tell(http, text);
    free(text);
    json_decref(all);
    return ended;
}

int cmd_serve(int argc, char **argv)
{
    static const struct argp_option options[] = {
        {"port", 'P', "PORT", 0, "Listen on this port (any that is free)", 0},
        {"stay", 'S', 0, 0, "Go on when the explorations have ended, until Ctrl-C", 0},
        {0}};
    static const struct argp parser = {options, serve_parse, "JOURNAL...", doc, 0, 0, 0};
    Serve serve = {0};
    Error error = {0};
    char name[] = "heddle serve";
    argv[0] = name;
    argp_parse(&parser, argc, argv, 0, NULL, &serve);
    Str page = {serve_page, (size_t)(serve_page_end - serve_page)};
    Http *http = http_open(serve.port, page, &error);
    if (!http) {
        present_error(&error);
        return 2;
    }
    process_catch_interrupts();
    printf("http://127.0.0.1:%u/\n", http_port(http));
    fflush(stdout);
    double heard = clock_seconds();
    while (!process_interrupted()) {
        bool written, ended = tell_all(&serve, http, &written);
        if (written)
            heard = clock_seconds();
        if (!serve.stays && (ended || clock_seconds() - heard > PATIENCE_SECONDS))
            break;
        http_serve(http, LOOK_MS);
    }
    http_close(http);
    return 0;
}
