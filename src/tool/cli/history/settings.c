#include "tool/cli/history/settings.h"
#include <argp.h>
#include <string.h>
#include <unistd.h>
#include "judge/isolation/levels.h"
#include "judge/linear/session.h"
#include "tool/cli/options.h"
#include "tool/cli/output/common.h"

enum {
    KEY_SPEC = 256,
    KEY_FORMAT,
    KEY_QUASI,
    KEY_SEMANTICS,
    KEY_PARTITION,
    KEY_NO_PARTITION,
    KEY_NO_MONITORS,
    KEY_JOBS,
    KEY_TIME,
    KEY_MEMORY,
    KEY_JSON,
    KEY_HTML,
    KEY_CC,
    KEY_FAILED_CAS,
    KEY_NIL_READS,
    KEY_WITNESS,
    KEY_CONSISTENCY,
    KEY_FOLLOW,
    KEY_MAY_FAIL,
    KEY_JOURNAL,
    KEY_SHARD,
};

enum { MOST_JOBS = 1024 };

static const struct argp_option options[] = {
    {"spec", KEY_SPEC, "NAME", 0,
     "What is right: a built-in model such as fifo, lifo, set, map, register, counter or lock "
     "(heddle-history(1) lists all of them with their operations; some take an initial value, "
     "register:0), or a C file with golden code",
     0},
    {"format", KEY_FORMAT, "F", 0,
#define X(name, word, what) #word ", "
     LOG_FORMATS(X) "or auto: from the content (default)",
#undef X
     0},
    {"failed-cas", KEY_FAILED_CAS, "HOW", 0,
     "In Jepsen's logs, a failed compare-and-set did not happen (`dropped`, the default) or was "
     "`observed` to find another value, as in Jepsen's test of etcd",
     0},
    {"nil-reads", KEY_NIL_READS, "HOW", 0,
     "In Jepsen's logs, a read of nil gave a `value` or something `unknown`; without it, what both "
     "agree on is the answer",
     0},
    {"quasi", KEY_QUASI, "OP:K,...", 0,
     "Quasi linearizability: operations OP (or OP+OP) may be out of order by K; OP:auto, or auto "
     "for "
     "all that take: find the smallest K",
     0},
    {"may-fail", KEY_MAY_FAIL, "OP:RESULT,...", 0,
     "A call of OP that gives RESULT (none, false or a number; OP alone: none or false) counts as "
     "not made if it overlaps another call; auto: of every operation",
     0},
    {"semantics", KEY_SEMANTICS, "S", 0, "Of --quasi: kooo (default), slot or def4", 0},
    {"no-partition", KEY_NO_PARTITION, NULL, 0, "Do not divide by key", 0},
    {"partition", KEY_PARTITION, NULL, 0, "Divide by key where the model allows (default)", 0},
    {"no-monitors", KEY_NO_MONITORS, NULL, 0,
     "Always search, also where a near-linear algorithm applies", 0},
    {"jobs", KEY_JOBS, "N", 0, "Processes to check with (default 1; 0: as many as processors)", 0},
    {"time", KEY_TIME, "T", 0, "Stop after T, e.g. 500ms, 60s, 5m (default 60s; 0: never)", 0},
    {"memory", KEY_MEMORY, "M", 0, "Use at most M, e.g. 512M, 2G (default 2G)", 0},
    {"journal", KEY_JOURNAL, "FILE", 0,
     "Write down in FILE what is decided, so that the same command goes on from there", 0},
    {"shard", KEY_SHARD, "I/N", 0,
     "Judge the share I of N of the logs, for `heddle merge' (default journal: "
     "LOG.part-I-of-N)",
     0},
    {"json", KEY_JSON, NULL, 0, "Print one JSON object on standard output", 0},
    {"html", KEY_HTML, "FILE", 0, "Draw the histories as one HTML page, too", 0},
    {"follow", KEY_FOLLOW, NULL, 0,
     "Judge one log while it grows, and stop at the first violation (needs --spec)", 0},
    {"consistency", KEY_CONSISTENCY, "C", 0,
     "linearizable (default); sequential: only the order of each process counts; pram; causal, "
     "causal-convergence: of registers and keys; session guarantees of registers, keys, sets and "
     "transactions: read-your-writes, monotonic-reads, monotonic-writes, writes-follow-reads, or "
     "session for all four; with --spec=transactions, an isolation "
     "level such as read-committed, snapshot-isolation, serializable, strict-serializable "
     "(default; "
     "heddle-history(1) lists all of them), or auto: the strongest that the history allows",
     0},
    {"witness", KEY_WITNESS, NULL, 0, "Show a serial order that explains each linearizable history",
     0},
    {"cc", KEY_CC, "CC", 0, "Compiler for golden code (default: $CC or cc)", 0},
    {0}};

static error_t parse_option(int key, char *argument, struct argp_state *state)
{
    HistorySettings *settings = state->input;
    uint64_t number;
    switch (key) {
    case ARGP_KEY_INIT:
        state->child_inputs[0] = &settings->quiet;
        break;
    case KEY_SPEC:
        settings->spec = argument;
        break;
    case KEY_FORMAT:
        if (!log_format_from_word(argument, &settings->reading.format))
            argp_error(state, "unknown format \"%s\"", argument);
        break;
    case KEY_QUASI:
        settings->quasi = argument;
        break;
    case KEY_MAY_FAIL:
        settings->may_fail = argument;
        break;
    case KEY_JOURNAL:
        settings->journal = argument;
        break;
    case KEY_SHARD:
        if (!options_parse_share(argument, &settings->shard, &settings->shards))
            argp_error(state, SHARE_WANTED, SHARES_MOST, argument);
        break;
    case KEY_SEMANTICS:
        settings->semantics = argument;
        break;
    case KEY_PARTITION:
    case KEY_NO_PARTITION:
        settings->partition = key == KEY_PARTITION;
        break;
    case KEY_NO_MONITORS:
        settings->monitors = false;
        break;
    case KEY_JOBS:
        if (!options_parse_count(argument, MOST_JOBS, &number))
            argp_error(state, "--jobs wants a number from 0 to %d", MOST_JOBS);
        settings->jobs = number ? (long)number : sysconf(_SC_NPROCESSORS_ONLN);
        break;
    case KEY_TIME:
        if (!options_parse_duration(argument, &number))
            argp_error(state, "--time wants a duration such as 500ms, 60s, 5m");
        settings->seconds = (double)number / 1000;
        break;
    case KEY_MEMORY:
        if (!options_parse_size(argument, &number) || number < 1u << 20)
            argp_error(state, "--memory wants a size of at least 1M, such as 512M or 2G");
        settings->memory = (size_t)number;
        break;
    case KEY_JSON:
        settings->json = true;
        break;
    case KEY_FOLLOW:
        settings->follow = true;
        break;
    case KEY_CONSISTENCY:
        settings->consistency = argument;
        settings->sequential = !strcmp(argument, "sequential");
        settings->session = session_from_word(argument);
        settings->reading.one_by_one = settings->sequential || settings->session;
        settings->isolation =
            level_from_word(argument) == LEVEL_NONE ? 0 : (unsigned)level_from_word(argument) + 1;
        if (!settings->sequential && !settings->session && !settings->isolation &&
            strcmp(argument, "linearizable"))
            argp_error(state, "--consistency wants linearizable, sequential, session, "
#define X(name, word) word ", "
                       SESSION_GUARANTEES(X)
#undef X
                           "or an isolation level of transactions: "
#define X(name, word, depends, rule, below) word ", "
                       ISOLATION_LEVELS(X)
#undef X
                           "auto");
        break;
    case KEY_WITNESS:
        settings->witness = true;
        break;
    case KEY_HTML:
        settings->html = argument;
        break;
    case KEY_FAILED_CAS:
        settings->reading.observed_cas = !strcmp(argument, "observed");
        if (!settings->reading.observed_cas && strcmp(argument, "dropped"))
            argp_error(state, "--failed-cas wants observed or dropped");
        break;
    case KEY_NIL_READS:
        settings->reading.nil_reads =
            strcmp(argument, "value") ? NIL_READS_UNKNOWN : NIL_READS_VALUE;
        if (strcmp(argument, "value") && strcmp(argument, "unknown"))
            argp_error(state, "--nil-reads wants value or unknown");
        break;
    case KEY_CC:
        settings->cc = argument;
        break;
    case ARGP_KEY_ARG:
        vec_push(&settings->logs, (const char *)argument);
        break;
    case ARGP_KEY_NO_ARGS:
        argp_error(state, "no log is named (\"-\" is standard input)");
        break;
    default:
        return ARGP_ERR_UNKNOWN;
    }
    return 0;
}

void history_settings_parse(int argc, char **argv, HistorySettings *settings)
{
    static const struct argp_child children[] = {{&common_argp, 0, NULL, 0}, {0}};
    static const struct argp argp = {
        options,
        parse_option,
        "LOG...",
        "Are recorded histories linearizable? Reads logs of Jepsen and Porcupine, Heddle's own "
        "JSON lines (heddle_log.h), CSV and JSON with the times of calls and returns, traces of "
        "TLA+, and Line-Up's observation files; gzip and pipes (-) too.\v"
        "Exit status: 0 linearizable, 1 not, 2 bad usage or input, 3 inconclusive.",
        children,
        NULL,
        NULL};
    static char name_shown[] = "heddle history";
    argv[0] = name_shown;
    argp_err_exit_status = HISTORY_EXIT_USAGE;
    argp_parse(&argp, argc, argv, 0, NULL, settings);
    settings->reading.memory_limit = settings->memory;
}
