/* server.h: how driver.c has the engine explore one program after the other without starting a
 * process for each. In a runtime built for that (serve.c, build.sh) a process has heap, stacks and
 * explorer set up, and forks another one, which explores programs as they are ordered; when that
 * one dies, by a time limit or a bug, the next is forked. Nothing here is seen by the engine: the
 * memory is no memory of the program, and the kernel is called by nobody whom it watches. */
#ifndef HEDDLE_RANDOM_SERVER_H
#define HEDDLE_RANDOM_SERVER_H
#include <stddef.h>
#include "program.h"

enum { SERVER_MEMORY = 60, SERVER_ORDERS, SERVER_REPLIES }; /* files */
enum { REACHED_BYTES = 1024, OUTCOME_WORDS = VARIABLES + THREADS, MOST_OUTCOMES = 4096 };
enum { WAY_REDUCED, WAY_PLAIN /* reads that confirm are reads like others */, WAY_UNREDUCED };
typedef struct Exchange {         /* memory that both see */
    void *variables, *told, *own; /* by the server: where these are */
    int child;                    /* by the server: the process that explores */
    bool busy, ended;

    /* what is ordered */
    char model[8];
    unsigned way;
    bool weak_cas, c11;
    long ms;    /* of CPU time that it may take */
    int mutant; /* mutant.h */
    int number; /* of a printed program */
    Program program;

    /* the answer */
    enum { FOUND_NOTHING, FOUND_VIOLATION, FOUND_NO_ANSWER } found;
    char violation[40], message[200];
    uint64_t us; /* of CPU time */
    uint64_t executions, blocked, stuck, cut, restarts, left_out[32] /* by reduction */;
    /* what rc11 says of load buffering, and with single instructions; neither: unknown */
    bool buffering_possible, buffering_impossible, buffering_impossible_lse;
    bool asks_promised; /* as ordered, under rc11: what imm adds, too; then */
    uint64_t promised;  /* OutcomePromised */
    uint64_t promised_graphs;
    unsigned outcomes; /* different ones; more than fit: MOST_OUTCOMES + 1 */
    int64_t outcome[MOST_OUTCOMES][OUTCOME_WORDS];
    unsigned char reached[REACHED_BYTES]; /* mutant.h */

    /* under rc11, with HEDDLE_DEBUG=states=views: by its states */
    enum { STATES_NOT_ASKED, STATES_UNDECIDED, STATES_HOLD, STATES_VIOLATED } by_states;
    char states_violation[40];
    unsigned states_outcomes; /* as above; some more than once */
    int64_t states_outcome[MOST_OUTCOMES][OUTCOME_WORDS];
} Exchange;

/* Finds the memory that the driver has made, and where the runtime will look for it; false if there
 * is none: started by hand. Then HEDDLE_RANDOM is the text of the program, or the number of a
 * printed one. */
bool server_begin(void *variables, void *told, void *own);

/* The program, read without the engine's seeing it. */
Step server_step(const Code *code, int number);
int server_length(const Code *code);
const Code *server_code(int thread); /* equal threads have the same */
int server_thread(const Code *code); /* the first with it */
int server_barrier(void);
int server_number(void);
#endif
