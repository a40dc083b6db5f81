/* hooks.h: what tests and maintainers ask for beside the command line, in one environment variable:
 *
 *     HEDDLE_DEBUG=validate,states=always,dump-graphs=/tmp/graphs
 *
 * The table below is the only list of the keys; CONTRIBUTING.md explains them. The tool reads the
 * variable first, so that a mistake is an error of usage; the program under test inherits it and
 * reads it again. Commas separate the items (a value holds none), empty items are skipped, and of
 * equal keys the last one counts: HEDDLE_DEBUG=$HEDDLE_DEBUG,more adds to what is there.
 *
 * No hook belongs into an answer that a user relies on: options are for that. */
#ifndef HEDDLE_RECORD_HOOKS_H
#define HEDDLE_RECORD_HOOKS_H
#include "base/error.h"
#include "record/memory_model.h"

#define HOOKS_ENVIRONMENT "HEDDLE_DEBUG"

/* KIND(field, key, values, meaning). A FLAG has no value; a NUMBER has one from 0 on, and -1 stands
 * for a key that is not given; a TEXT has one of the words of VALUES, or any text if VALUES is
 * NULL. */
#define HOOKS(FLAG, NUMBER, TEXT)                                                                  \
    /* the search checks itself */                                                                 \
    FLAG(validate, "validate", NULL, "check graph, log and frames at every step")                  \
    FLAG(check_edges, "check-edges", NULL, "ask about edges of clients by matrices, too")          \
    FLAG(check_steps, "check-steps", NULL,                                                         \
         "take steps that are foreseen or repeated natively, too")                                 \
    FLAG(check_psc, "check-psc", NULL, "decide psc by matrices, too")                              \
    TEXT(torture, "torture", "random fixed", "overwrite dead stack bytes at every request")        \
    /* what waits for size or time happens at once */                                              \
    FLAG(eager_confirm, "eager-confirm", NULL, "merge confirming reads from the beginning")        \
    FLAG(eager_workers, "eager-workers", NULL, "give work away as soon as there is any")           \
    NUMBER(late_graphs, "late-graphs", NULL, "what a pass learns after so many graphs comes late") \
    NUMBER(learning, "learning", NULL, "divide a reduced search after so many graphs")             \
    TEXT(symmetry, "symmetry", "always never", "threads are alike from the start, or never")       \
    NUMBER(calls, "calls", NULL, "calls that a thread of --unbounded makes at most")               \
    TEXT(graph_symmetry, "graph-symmetry", "never", "explore copies of graphs, too")               \
    TEXT(looks, "looks", "always never", "draw schedules beside a search of any size, or never")   \
    NUMBER(patience, "patience", NULL, "requests of a test before its states are tried")           \
    NUMBER(spin_period, "spin-period", NULL, "look at plain reads after so many (65536 at most)")  \
    TEXT(late, "late", "never", "delay no reads where states decide a test")                       \
    TEXT(states, "states", "always never both views",                                              \
         "tests by states, never, all both ways, or also by views")                                \
    FLAG(die_claimed, "die-claimed", NULL, "kill a forked process that has claimed the outcome")   \
    NUMBER(journal_ms, "journal-ms", NULL, "milliseconds from one saved journal to the next")      \
    NUMBER(stop_after, "stop-after", NULL, "stop after so many looks at the link")                 \
    NUMBER(repair_ms, "repair-ms", NULL, "look so long for orders beside a violation")             \
    /* what the search shows */                                                                    \
    TEXT(dump_graphs, "dump-graphs", NULL, "append every complete graph to this file")             \
    TEXT(tree, "tree", NULL, "write the shape of the search tree to this file")                    \
    FLAG(count_schedules, "count-schedules", NULL, "count what a naive search would explore")      \
    NUMBER(preemption_slack, "preemption-slack", NULL, "prune so many preemptions later")          \
    FLAG(given_up, "given-up", NULL, "print where the copy of a library is left")                  \
    TEXT(liveness, "liveness", NULL, "read the table of dead stack bytes from this file")          \
    /* a program that is started without the tool: the options of heddle run */                    \
    TEXT(model, "model", MODEL_WORDS, "--model")                                                   \
    FLAG(no_reductions, "no-reductions", NULL, "--no-reductions")                                  \
    FLAG(second_opinion, "second-opinion", NULL, "--second-opinion")                               \
    FLAG(re_execute, "re-execute", NULL, "execute again instead of restoring checkpoints")         \
    FLAG(keep_going, "keep-going", NULL, "count on after the first violation")                     \
    FLAG(follow_hopeless, "follow-hopeless", NULL, "go on with threads that nothing can free")     \
    FLAG(plain_search, "plain-search", NULL, "take reads that confirm for reads like others")      \
    FLAG(annotated, "annotated", NULL, "judge by the annotations")                                 \
    FLAG(thread_local_storage, "thread-local", NULL, "threads have thread-local variables")        \
    TEXT(scenario, "scenario", NULL, "heddle check --scenario, for a file with HD_OP")             \
    FLAG(ignore_races, "ignore-races", NULL, "--races=ignore")                                     \
    FLAG(weak_cas, "weak-cas", NULL, "--weak-cas")                                                 \
    FLAG(tso_axioms, "tso-axioms", NULL, "--tso=axioms")                                           \
    TEXT(release_sequences, "release-sequences", "c11 c++20", "--release-sequences")               \
    NUMBER(preemptions, "preemptions", NULL, "--preemptions")                                      \
    NUMBER(schedules, "schedules", NULL, "--schedules")                                            \
    FLAG(confirm, "confirm", NULL, "replay the violation in a second process")                     \
    TEXT(outcomes, "outcomes", NULL, "write each different final memory to this file")

#define HOOKS_FLAG(field, key, values, meaning) bool field;
#define HOOKS_NUMBER(field, key, values, meaning) int64_t field;
#define HOOKS_TEXT(field, key, values, meaning) const char *field; /* NULL: not given */
typedef struct Hooks {
    HOOKS(HOOKS_FLAG, HOOKS_NUMBER, HOOKS_TEXT)
} Hooks;

/* Nothing is asked for until hooks_read has succeeded; read-only for everybody else. */
extern Hooks hooks;

/* Parses TEXT, which is cut into its items and must outlive *OUT. False, with a message that lists
 * the keys or the values, if a part of it has no meaning. */
MUST_USE bool hooks_parse(char *text, Hooks *out, Error *error);
/* Fills hooks from the environment. Call it once, before the first thread. */
MUST_USE bool hooks_read(Error *error);
#endif
