/* link.h: the contract between the tool and the program under test: one shared mapping that the
 * tool creates (a memfd, whose number stands in the environment variable HEDDLE_LINK) and the
 * program maps. The tool writes the options and may set `stop`; the program writes counters all the
 * time, without system calls, and the outcome once. It survives a crash of either side. */
#ifndef HEDDLE_RECORD_LINK_H
#define HEDDLE_RECORD_LINK_H
#include "record/causes_shared.h"
#include "record/options.h"
#include "record/outcome.h"
#include "record/units_shared.h"
#include "record/workers_shared.h"
#include "record/record.h"
#include "record/order_table.h"

#define LINK_ENVIRONMENT "HEDDLE_LINK"
/* The contract's version, computed from the text of src/record/ when Heddle is built: tool and
 * runtime fit together if theirs are equal. */
extern const uint64_t link_version;
/* How a program begins its last words when the machine refuses what it needs; it ends with
 * status 3. */
#define LINK_REFUSED "heddle: the system refuses: "
#define LINK_WORKERS WORKERS_MOST
#define LINK_SHAPES 16                  /* of tests, in one check */
#define LINK_EVIDENCE_BYTES (32u << 20) /* sparse: pages are used only when written */
#define LINK_LIVENESS_BYTES (8u << 20)
#define LINK_REMARKS 32

typedef enum LinkMode {
    LINK_EXPLORE, /* every execution, or samples */
    LINK_REPLAY /* run the record in `evidence` again, step by step; fill it with plain accesses */
} LinkMode;
typedef enum LinkState {
    LINK_STARTING, /* before main of the program */
    LINK_RUNNING,
    LINK_DONE /* `outcome` is valid */
} LinkState;

typedef struct LinkCounters { /* one a worker, so that no line is shared */
    uint64_t executions;      /* complete graphs */
    uint64_t blocked;         /* graphs that ended with threads waiting */
    uint64_t stuck;           /* of these: real deadlocks */
    uint64_t cut;             /* executions given up at a bound */
    uint64_t events, revisits;
    uint64_t depth;    /* present length of the graph */
    uint64_t progress; /* changes whenever anything happens: a watchdog's food */
    uint64_t left_out; /* executions with too many preemptions */
    uint64_t states;   /* of check --unbounded */
    uint64_t pc;       /* of the last request, as a tick of the clock found it */
    uint64_t restarts; /* how often the search began again with what it had learnt */
    uint64_t spare[4];
} LinkCounters;

/* Code whose accesses nobody announces (tool/instrument/machine/escapes.h). The tool gives the
 * addresses of the functions that contain it, or 0 if it does not know them; the program stops
 * there once and notes that it came by (guest/runtime/unseen.h). */
#define LINK_UNSEEN 8192
typedef struct LinkUnseen {
    uint64_t address;
    uint32_t escape; /* its index in the tool's list */
    uint32_t ran;    /* 1: some thread came here */
} LinkUnseen;

/* An instruction of the program that nobody announces, and that can be stopped at: it reads or
 * writes one operand, or both. Registers have the numbers of the machine code. Sorted by address.
 */
#define LINK_WATCHES 262144
typedef struct LinkWatch {
    uint64_t address;
    int64_t displacement; /* with no base: the address of the operand */
    uint16_t bytes;       /* of the operand; 0: a string instruction */
    uint8_t length;       /* of the instruction */
    uint8_t writes;       /* 0: it reads, 1: it writes, 2: it reads and then writes */
    uint8_t goes;         /* 1: a jump to the address that the operand holds, 2: a call;
                             3 and 4: the same to the address that the base register holds */
    int8_t base;          /* -2: none, and the instruction names its operand relative to itself */
    uint8_t index, scale; /* a register plus 1, or 0 for none; what it is multiplied by */
    uint8_t foreign;      /* in an object that was not compiled by us */
    uint8_t is_volatile;  /* a volatile access */
    /* a gather or a masked move: what the runtime performs, lane by lane; `index` is that of a
     * vector if there are indexes */
    uint8_t lanes, lane_bytes, lane_index_bytes;
    uint8_t lane_data, lane_mask; /* vector registers */
    /* an instruction that the runtime performs: its code (record/assembly_code.h) plus 1, or 0; and
     * the number in place of a register */
    uint32_t assembly;
    int32_t number;
    uint8_t library; /* 0, or of a shared library, whose number plus 1 this is: its addresses count
                        from where it is loaded */
} LinkWatch;

/* Shared libraries that are watched, by file; and what takes the place of words of theirs: the
 * addresses of functions that the runtime stands in for. */
#define LINK_LIBRARIES 16
typedef struct LinkLibrary {
    uint64_t device, file;
    uint32_t is_copied; /* its code is watched in a copy (guest/entry/copied.h) */
    uint32_t spare;
    uint64_t code, code_end; /* what is copied, from where the library is loaded */
    uint64_t data, data_end; /* what it may write to when it has been loaded */
} LinkLibrary;
/* The copied library: code that is not copied, and where operands relative to their instruction
 * have their displacements. */
#define LINK_GAPS 65536
typedef struct LinkGap {
    uint32_t from, to;
} LinkGap;
#define LINK_MOVES 131072
#define LINK_REDIRECTS 4096
typedef struct LinkRedirect {
    uint64_t word, address;
    uint32_t library; /* as in LinkWatch */
} LinkRedirect;

/* A place where a function of a library was called whose effects on memory nobody knows. */
#define LINK_UNSEEN_CALLS 256
typedef struct LinkUnseenCall {
    char name[232];
    uint64_t pc; /* where the call returns to */
} LinkUnseenCall;

typedef struct LinkRange { /* a piece of the evidence area */
    uint64_t offset, count;
} LinkRange;

typedef struct LinkForecast {
    double executions, variance, least;
} LinkForecast;

typedef struct Link {
    uint64_t version;    /* link_version of the tool */
    uint32_t mode;       /* LinkMode */
    uint32_t state;      /* LinkState, atomic */
    uint32_t stop;       /* atomic: the tool asks to finish now with what there is */
    int32_t tool;        /* the process that starts the program, which is to end with it */
    uint32_t debugged;   /* LINK_REPLAY: 1 if a debugger follows; threads are kernel threads then */
    uint32_t debug_stop; /* stop when so many events of the record are there; 0: where it shows */
    uint64_t test_number,
        test_count;            /* check: atomic: the present test, and how many are planned */
    uint64_t waiting_calls[4]; /* check: atomic: a set, see guest/harness/check/tell/waits.h */
    /* check: atomic: what calls have given, see guest/harness/check/tell/vacuous.h */
    uint64_t call_results[256], call_differs[4];
    uint64_t tests_put_off[LINK_SHAPES]; /* check: atomic: by shape, tests that are not explored
                                            completely (yet) */
    /* How many complete executions there are, by Knuth's estimate, and the square of its standard
     * error, and how many there are at least; 0 probes: it was not made
     * (guest/explore/schedules/forecast.h) */
    LinkForecast forecast;
    uint64_t forecast_probes;
    char first_tests[8192]; /* check: scenarios, a line each, to be made before all others */
    ExploreOptions options;
    CausesShared causes; /* check --keep-going */
    OutcomeMessage outcome;
    WorkersShared workers;
    /* by slot: whoever takes a slot counts on; the last one: what a journal brought along */
    LinkCounters counters[LINK_WORKERS + 1];
    uint32_t remark_count; /* warnings that go with the answer */
    uint32_t spare;
    char remarks[LINK_REMARKS][256];
    /* the record of a violation, as ranges of evidence[] */
    uint32_t has_record, record_model, record_violation, record_spare;
    uint64_t record_message, record_load_base, record_pc;
    uint64_t record_callers[RECORD_CALLERS];
    LinkRange events, objects, threads, text; /* RecordEvent, RecordObject, RecordThread, char */
    unsigned char evidence[LINK_EVIDENCE_BYTES];
    /* the tool's table of dead stack bytes (record/liveness_table.h); 0 bytes: none */
    uint64_t liveness_bytes;
    unsigned char liveness[LINK_LIVENESS_BYTES] __attribute__((aligned(16)));
    OrderTable orders; /* of `heddle weaken' and `heddle repair' */
    UnitsShared units;
    uint32_t watch_count, watch_spare;
    LinkWatch watches[LINK_WATCHES];
    uint32_t library_count, redirect_count;
    LinkLibrary libraries[LINK_LIBRARIES];
    LinkRedirect redirects[LINK_REDIRECTS];
    uint32_t gap_count, move_count;
    LinkGap gaps[LINK_GAPS];
    uint32_t moves[LINK_MOVES];
    uint32_t unseen_count, unseen_call_count; /* the latter is atomic and may exceed the room */
    LinkUnseenCall unseen_calls[LINK_UNSEEN_CALLS];
    LinkUnseen unseen[LINK_UNSEEN];
} Link;
#endif
