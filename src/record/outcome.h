/* outcome.h: what the program under test found out, as one message from it to the tool.
 *
 * The two lists below are all there is to say about the fields: message, reader and the answer that
 * reports consume are made from them. Numbers may be added to by several processes at once, with
 * atomic operations. Texts are as long as they are: each is put into the message's room when it is
 * known, and a later one takes the place of an earlier one. The tool reads the message once, when
 * the program has ended (outcome_read), and trusts nothing in it: the program may have scribbled
 * over its memory.
 *
 * A message lies in the link (record/link.h), whose version is computed, so that a new field is a
 * new row here and nothing else. */
#ifndef HEDDLE_RECORD_OUTCOME_H
#define HEDDLE_RECORD_OUTCOME_H
#include <stdarg.h>
#include "base/error.h"
#include "base/str.h"
#include "record/reductions.h"

/* X(field, meaning) */
#define OUTCOME_NUMBERS(X)                                                                         \
    X(verdict, "Verdict")                                                                          \
    X(violation, "ViolationKind")                                                                  \
    X(exhaustive, "1: everything within the model was explored")                                   \
    X(restarts, "how often exploration began again, at most in one test")                          \
    X(promoted, "racing locations explored as events, at most in one test")                        \
    X(alike, "equal threads that were taken as interchangeable, at most in one execution")         \
    X(replayed, "of a replay: 1 if the execution was reproduced step by step")                     \
    X(cpu_ns, "of the exploration")                                                                \
    X(leak_objects, "never freed in the first complete execution")                                 \
    X(leak_bytes, "of these")                                                                      \
    X(leak_pc, "where the first of these was allocated")                                           \
    X(waits_pc, "where a thread waits for ever when the program ends, or 0")                       \
    X(cut_pc, "where an execution that was given up went round, or 0")                             \
    X(cut_why, "bits of OutcomeCut: why executions were given up; 0 if that is not known")         \
    X(input_error, "1: the reason says what is wrong with the test file")                          \
    X(threads_full, "1: executions were given up that create too many threads")                    \
    X(parts_missing, "1: accesses of several sizes have executions that are missing")              \
    X(buffering, "bits of OutcomeBuffering: is load buffering possible on hardware?")              \
    X(buffering_load, "where it is: a load,")                                                      \
    X(buffering_store, "a store behind it in its thread,")                                         \
    X(buffering_reader, "the access that reads that store,")                                       \
    X(buffering_answer, "and a store behind that one, which the load could read")                  \
    X(promised, "OutcomePromised: --model=imm, what it allows beside rc11")                        \
    X(promised_graphs, "executions that it explored")                                              \
    X(promised_pc, "where one goes wrong, or 0")                                                   \
    X(distinct, "--schedules: executions that differ among those that were drawn")                 \
    X(distinct_most, "1: counting them ended before the last one")                                 \
    /* check */                                                                                    \
    X(tests, "tests that were made")                                                               \
    X(histories, "histories that were judged")                                                     \
    X(undecided, "of these: with too many real-time orders to look at them all")                   \
    X(uncovered, "of these: calls that were never made while calls were atomic")                   \
    X(objects_met, "marked calls: a set, the objects with a specification that were met")          \
    X(calls_met, "1: some call was marked")                                                        \
    X(most_calls, "of one execution")                                                              \
    X(most_objects, "of one execution")                                                            \
    X(serial_runs, "serial runs that were made or observed")                                       \
    X(serial_ns, "CPU time of the serial runs")                                                    \
    X(tests_by_states, "of the tests: decided by states, not by executions")                       \
    X(test_states, "how many states these have")                                                   \
    X(tests_failed, "--keep-going: tests that fail")                                               \
    X(test_runs, "--keep-going: serial runs of the tests, without those that only confirm")        \
    X(test_most_runs, "of one test, at most")                                                      \
    X(test_runs_ns, "CPU time of these")                                                           \
    X(test_most_runs_ns, "of one test, at most")                                                   \
    X(pass_ns, "CPU time of the concurrent executions of tests that pass")                         \
    X(fail_ns, "CPU time of the concurrent executions of tests that fail, up to the failure")      \
    /* check --all: of the tests that were explored completely */                                  \
    X(all_tests, "how many these are")                                                             \
    X(all_histories, "executions that were judged, stuck ones too")                                \
    X(all_rejected, "of these: with a history that is not allowed")                                \
    X(all_distinct, "of these executions: with other results, or another order of the calls")      \
    X(all_distinct_rejected, "of these: with a history that is not allowed")                       \
    X(all_sequences, "serial orders of the calls of the distinct ones, keeping their order")       \
    X(all_conflicts, "executions that are not conflict serializable")                              \
    X(all_conflicts_allowed, "of these: all their histories are allowed")                          \
    X(all_partial, "executions of a test that was not explored completely")                        \
    X(all_partial_rejected, "of these: with a history that is not allowed")                        \
    /* programs judged by annotations */                                                           \
    X(annotated, "1: it was judged by annotations")                                                \
    X(judged, "executions that were judged")                                                       \
    X(several, "of these: with several sequential histories of one object")                        \
    X(unfinished, "executions that ended inside a call")                                           \
    X(too_many, "executions with too many histories to judge them all")                            \
    X(inadmissible, "executions that are not admissible")                                          \
    X(most_histories, "of one object in one execution")                                            \
    X(too_early, "calls before main")                                                              \
    /* check --unbounded */                                                                        \
    X(unbounded, "1: the test file asked for it, and for sc with it")                              \
    X(states, "states that were explored; 0 if it was not asked for")                              \
    X(transitions, "steps between them")                                                           \
    X(states_bytes, "memory that they take")                                                       \
    X(strong, "1: all races were between seq_cst accesses, so that it holds under rc11, too")      \
    X(by_views,                                                                                    \
      "1: the states are those of rc11 itself; of the tests decided by states: by these")          \
    /* --second-opinion: of tests, or of the program */                                            \
    X(second_asked, "what was to be decided once more; 0: nothing")                                \
    X(seconded, "of these: decided once more, with the same answer")                               \
    X(disagrees, "OutcomeDisagrees: two ways give two answers")                                    \
    X(refused_pc, "inconclusive: where the program does what can't be explored, or 0")             \
    X(depends_pc, "inconclusive: where a step depends on addresses, or 0")                         \
    X(grows_address, "inconclusive: of a word that makes the states infinitely many, or 0")        \
    X(grows_objects, "inconclusive: objects of a heap that does so, or 0")                         \
    X(grows_pc, "where the last of them, or what grows, was allocated")                            \
    X(grows_variable, "the address of a variable that leads ever further into it, or 0")

#define OUTCOME_TEXTS(X)                                                                           \
    X(reason, "inconclusive: why, in one sentence")                                                \
    X(coverage, "which tests were made: all tests of 2x2, 100 random tests of 3x3")                \
    X(quasi, "the quasi factors, with takes spelt out")                                            \
    X(scenario, "the failing test, minimised: put(1) get() | put(2)")                              \
    X(stopped_test, "inconclusive: the test in which the exploration was stopped")                 \
    X(shape, "its shape, 2x2: the smallest that was seen to fail")                                 \
    X(explanation, "lines: the serial orders that were tried and where each fails")                \
    X(overtaking, "which element was overtaken, by whom, how often")                               \
    X(hint, "what the test file may have meant and does not say")                                  \
    X(closest, "the allowed outcome nearest to what was seen, as columns")                         \
    X(unseconded, "why something was not decided once more")                                       \
    X(uncovered_example, "the calls of one such history")                                          \
    X(progress, "which promise of progress the states prove")                                      \
    X(picture, "a small graph of states (guest/states/answer/picture.h)")

/* Executions are given up in a loop without end, or because a thread has too many events. */
typedef enum OutcomeCut { OUTCOME_CUT_LOOP = 1, OUTCOME_CUT_EVENTS = 2 } OutcomeCut;

typedef enum OutcomeDisagrees { /* two ways, two answers: a violation is shown, and found so: */
                                OUTCOME_AGREES,
                                OUTCOME_ONLY_STATES,      /* it holds by executions */
                                OUTCOME_ONLY_EXECUTIONS,  /* it holds by states, decided first */
                                OUTCOME_REFUTED_BY_STATES /* the same, decided later */
} OutcomeDisagrees;

/* guest/harness/promised.h */
typedef enum OutcomePromised {
    OUTCOME_PROMISED_NOT_ASKED,
    OUTCOME_PROMISED_NONE, /* IMM allows nothing that rc11 does not, even without dependencies */
    OUTCOME_PROMISED_FINE, /* all of it was explored, nothing is wrong */
    OUTCOME_PROMISED_BAD,  /* something is, unless a dependency excludes it */
    OUTCOME_PROMISED_UNDECIDED /* not all was explored */
} OutcomePromised;

/* guest/explore/graph/load_buffering.h */
typedef enum OutcomeBuffering {
    OUTCOME_BUFFERING_SOUGHT = 1,   /* all executions that were explored were looked at */
    OUTCOME_BUFFERING_POSSIBLE = 2, /* a load could be answered by a store behind it */
    OUTCOME_BUFFERING_UNSURE = 4,   /* executions that were left out might show that */
    OUTCOME_BUFFERING_EXCLUSIVE =
        8 /* some read-modify-write must be a pair of exclusive accesses */
} OutcomeBuffering;

#define OUTCOME_NUMBER_FIELD(field, meaning) uint64_t field;
#define OUTCOME_TEXT_FIELD(field, meaning) const char *field;
#define OUTCOME_TEXT_KEY(field, meaning) OUTCOME_##field,

typedef enum OutcomeText {
    OUTCOME_TEXTS(OUTCOME_TEXT_KEY) OUTCOME_orders, /* serial orders as data: see below */
    OUTCOME_TEXT_COUNT
} OutcomeText;

/* ---- as the program writes it ---- */

#define OUTCOME_ROOM (64u << 10)
typedef struct OutcomePiece {
    uint32_t at, bytes; /* in the room; 0 bytes: it is not there */
    uint32_t most;      /* bytes that it may have there */
} OutcomePiece;
typedef struct OutcomeMessage {
    OUTCOME_NUMBERS(OUTCOME_NUMBER_FIELD)
    uint64_t reductions[REDUCTION_COUNT]; /* how often each left something out, in all passes */
    OutcomePiece pieces[OUTCOME_TEXT_COUNT];
    uint32_t used, spare; /* bytes of the room, atomic */
    char room[OUTCOME_ROOM];
} OutcomeMessage;

/* Makes a number at least VALUE. */
void outcome_raise(uint64_t *number, uint64_t value);
/* Each puts one text into the message. What does not fit into the room any more is cut off. */
void outcome_put(OutcomeMessage *message, OutcomeText key, Str text);
void outcome_say(OutcomeMessage *message, OutcomeText key, const char *format, ...)
    PRINTF_LIKE(3, 4);
void outcome_say_list(OutcomeMessage *message, OutcomeText key, const char *format,
                      va_list arguments);
/* The test file is wrong: ERROR says how, and is the reason. */
void outcome_error(OutcomeMessage *message, const Error *error);
/* The text that was put there, not ended by 0; empty if there is none. */
Str outcome_text(const OutcomeMessage *message, OutcomeText key);
/* Forgets all texts and gives their room back. */
void outcome_clear_texts(OutcomeMessage *message);
/* Puts the texts that FROM has into TO. */
void outcome_copy_texts(OutcomeMessage *to, const OutcomeMessage *from);

/* A serial order that was tried, by the numbers of its calls (`other` of the record's CALL events),
 * and the calls that could come next but whose results do not fit there. */
typedef struct OutcomeRefused {
    uint32_t call;
    const char *why; /* "it gives 1"; NULL: unknown */
} OutcomeRefused;
typedef struct OutcomeOrder {
    uint32_t count, refused_count;
    const uint32_t *calls;
    const OutcomeRefused *refused;
} OutcomeOrder;
/* Appends an order to TEXT, which becomes the text of OUTCOME_orders. */
void outcome_encode_order(Buffer *text, const OutcomeOrder *order);

/* ---- as the tool reads it ---- */

typedef struct Outcome {
    OUTCOME_NUMBERS(OUTCOME_NUMBER_FIELD)
    uint64_t reductions[REDUCTION_COUNT];
    OUTCOME_TEXTS(OUTCOME_TEXT_FIELD) /* NULL: it has none */
    const OutcomeOrder *orders;
    uint32_t order_count;
} Outcome;

/* Copies the message into ARENA. Verdict and violation are in their ranges then, and texts end. */
void outcome_read(Arena *arena, const OutcomeMessage *message, Outcome *out);
#endif
