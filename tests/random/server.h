/* server.h: how driver.c has the engine explore one program after the other without starting one
 * process from the beginning for each. The program under test stops in a constructor, reads orders
 * and forks; the child returns and goes on into main. Nothing here is seen by the engine: it runs
 * before it, and calls the kernel alone. */
#ifndef HEDDLE_RANDOM_SERVER_H
#define HEDDLE_RANDOM_SERVER_H
#include <stddef.h>
#include "program.h"

enum {
    SERVER_MEMORY = 60,
    SERVER_ORDERS,
    SERVER_REPLIES,
    SERVER_SAID,
    SERVER_OUTCOMES
}; /* files */
enum { REACHED_BYTES = 1024 };
typedef struct Exchange {         /* memory that both see */
    char debug[480];              /* HEDDLE_DEBUG of the child */
    long ms;                      /* of CPU time that it may take */
    void *variables, *told, *own; /* by the server: where these are */
    int child;                    /* by the server: the process that explores */
    int mutant;                   /* mutant.h */
    unsigned char reached[REACHED_BYTES];
    unsigned char program[8192];
} Exchange;

/* Answers orders until there are none, then ends; returns in children alone, with PROGRAM filled.
 */
void server_run(void *program, size_t bytes, void *variables, void *told, void *own);

/* The text of the program, read without the engine's seeing it: it is no memory of the program. */
Step server_step(const Code *code, int number);
int server_length(const Code *code);
const Code *server_code(const Program *program, int thread); /* equal threads have the same */
int server_barrier(const Program *program);
#endif
