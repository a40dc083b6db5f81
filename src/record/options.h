/* options.h: what an exploration is asked to do. Plain data, shared by the tool (which fills it
 * from the command line) and the explorer inside the program under test. */
#ifndef HEDDLE_RECORD_OPTIONS_H
#define HEDDLE_RECORD_OPTIONS_H
#include "record/memory_model.h"

/* How many events one thread can have in an execution: in the runtime, and in the one that is built
 * for more (guest/explore/graph/width.h). The default of event_bound is below. */
enum { EVENTS_DEFAULT = 8000, EVENTS_OF_THREAD_SHORT = 30000, EVENTS_OF_THREAD_LONG = 500000 };

typedef enum RacePolicy {
    RACES_DEFAULT, /* as the memory model says: an error, or racing locations are explored */
    RACES_ERROR,
    RACES_IGNORE /* never an error: racing locations are explored, as relaxed accesses */
} RacePolicy;
typedef enum ReleaseSequences {                  /* how a release sequence goes on after its head */
                                RELEASE_DEFAULT, /* the tool puts one of the others in its place */
                                RELEASE_C11,     /* by writes of the same thread and by
                                                    read-modify-writes */
                                RELEASE_CXX20    /* by read-modify-writes alone */
} ReleaseSequences;

typedef enum CheckHistories { /* of annotated calls: which sequential ones must meet the conditions
                               */
                              CHECK_HISTORIES_ONE,
                              CHECK_HISTORIES_SOME,
                              CHECK_HISTORIES_ALL
} CheckHistories;

/* The property that is asked of the histories of a test, by the words of --consistency. */
#define CHECK_CONSISTENCIES(X)                                                                     \
    X(LINEARIZABLE, "linearizable")                                                                \
    X(QUIESCENT, "quiescent")                                                                      \
    X(SEQUENTIAL, "sequential")                                                                    \
    X(SET, "set")
typedef enum CheckConsistency {
#define X(name, word) CHECK_##name,
    CHECK_CONSISTENCIES(X)
#undef X
} CheckConsistency;

/* `heddle check`: which tests to make of the declared operations. */
typedef struct CheckOptions {
    uint32_t enabled;
    uint32_t threads, length;    /* the shape; 0: grow from 1x1 */
    uint32_t framed, main_calls; /* framed: main makes so many calls around the threads */
    uint32_t exhaustive;         /* all tests of the shape, none sampled */
    uint64_t samples;            /* random tests; 0: 100 */
    uint32_t fit;   /* tests are chosen to end within the time limit, if there is one */
    char spec[256]; /* "": observed serial runs; "queue:fifo,stack:lifo" */
    char quasi[128];
    char semantics[16];
    char may_fail[128];     /* --may-fail: "get:none,put:false", "auto"; "" is none */
    uint32_t consistency;   /* CheckConsistency */
    char scenario[1024];    /* one given test */
    char observations[256]; /* the file in which serial runs are kept, or "" */
    char exchange[256];     /* where the tool and the program exchange them: see
                               harness/check/observations.h */
    uint32_t unbounded;     /* threads that call for ever, explored as states; 0: tests */
    uint32_t elements;      /* of these: at most so many inside a container; 0: 1, 2, 3, ... */
    uint32_t messages;      /* of these, under rc11: values of a place that may be read; 0: 4 */
    uint32_t lag;        /* at most so many calls of others return during a call; 0: any number */
    uint32_t keep_going; /* a test that fails is counted, and the others are made */
    uint32_t all;        /* and all histories of a test are judged and counted */
    uint32_t annotated;  /* the program with its main function, judged by its annotations */
    uint32_t histories;  /* CheckHistories */
} CheckOptions;
typedef enum Sampler { SAMPLER_POS, SAMPLER_PCT } Sampler; /* see sample.h */

/* Code of the program that is not instrumented; functions that it finds by name. */
typedef enum ForeignCode {
    FOREIGN_CODE_NONE,
    FOREIGN_CODE_ANY,
    FOREIGN_CODE_FRAMEWORK /* a test framework and nothing else: it takes no part in what threads do
                              to each other */
} ForeignCode;

typedef enum Checkpoints {
    CHECKPOINTS_NEVER,  /* re-execute from the start */
    CHECKPOINTS_ALWAYS, /* restore stacks */
    CHECKPOINTS_WATCHED /* restore stacks until a function is called that keeps state of its own: if
                           calls of these are seen at all (guest/runtime/opaque.h) */
} Checkpoints;

typedef enum LeakPolicy {
    LEAKS_NOTE,  /* what the first complete execution never frees is a note */
    LEAKS_ERROR, /* what nothing points to when an execution ends is a violation */
    LEAKS_IGNORE
} LeakPolicy;

typedef struct ExploreOptions {
    uint32_t model;       /* MemoryModel */
    uint32_t model_given; /* 1: somebody asked for it */
    uint32_t races;       /* RacePolicy */
    uint32_t reductions;  /* a bit for each that is wanted (record/reductions.h); 0: every graph */
    uint32_t no_awaits;   /* 1: if none is, not even rounds of loops that wait are left out */
    uint32_t weak_cas;    /* 1: a weak compare-exchange may fail spuriously */
    uint32_t second_opinion;       /* 1: what holds is decided once more, the other way */
    uint32_t load_buffering;       /* 1: --model=imm: what it allows beside rc11, too */
    uint32_t checkpoints;          /* Checkpoints */
    uint32_t foreign_code;         /* ForeignCode */
    uint32_t thread_local_storage; /* 1: the program needs an FS base of its own a thread */
    uint32_t jobs;                 /* worker processes */
    uint32_t jobs_are_default;     /* 1: nobody asked for so many */
    uint32_t keep_going;           /* 1: count on after the first violation (for measurements) */
    int32_t preemptions;           /* bound, or -1 */
    uint32_t loop_bound;  /* rounds of a loop that only reads one place before it is cut; 0: those
                             that grow without end are cut (guest/explore/reduce/endless.h) */
    uint32_t event_bound; /* events of one thread before the execution is cut; 0: the default */
    uint64_t schedules;   /* > 0: sample that many executions instead of exploring all */
    uint32_t sampler;     /* Sampler */
    uint32_t follow_hopeless; /* 1: go on with threads that nothing can free (for comparison) */
    uint32_t plain_search;    /* 1: reads that confirm are reads like others (for comparison) */
    uint64_t seed;
    uint64_t time_ms;      /* 0: no limit */
    uint64_t memory_bytes; /* 0: no limit; also the largest single allocation */
    uint32_t rand_values;  /* > 0: rand() gives each number below, and all of them are explored */
    uint32_t rand_others;  /* > 0: something else than 0 at most so often a thread */
    uint32_t clock_chosen; /* 1: readings of clocks by different threads come in any order */
    uint32_t
        clock_equals; /* and at most so many of a thread equal the last one of any; 0: all may */
    uint32_t spurious_wakeups; /* of condition variables: at most so many a thread */
    uint32_t show_output;      /* 1: what the program prints is not thrown away */
    CheckOptions check;
    uint32_t stack_bytes;           /* of each thread; 0: the default */
    uint32_t release_sequences;     /* ReleaseSequences, for rc11 */
    uint32_t tso_axioms;            /* 1: only what the axioms of TSO say drains the store buffer */
    uint32_t exit_status_ignored;   /* 1: a program may end with a status other than 0 */
    uint32_t uninitialised_ignored; /* 1: reads of memory that nothing has written go on */
    uint32_t leaks;                 /* LeakPolicy */
    char trust[512]; /* places whose unseen accesses the user answers for: "a.c:7,f" */
} ExploreOptions;
#endif
