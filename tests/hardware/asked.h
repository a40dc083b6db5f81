/* asked.h: what the engine says of load buffering in a program of tests/random/program.h. */
#ifndef HEDDLE_HARDWARE_ASKED_H
#define HEDDLE_HARDWARE_ASKED_H
typedef struct Asked {
    enum { ASKED_NO_ANSWER, ASKED_WAITS, ASKED_CRASHED, ASKED_ANSWERED } how;
    int possible, impossible, impossible_lse; /* of what was explored; neither: unknown */
    enum { PROMISED_NOT, PROMISED_NONE, PROMISED_FINE, PROMISED_BAD, PROMISED_UNDECIDED } promised;
    unsigned long long key[4096]; /* its outcomes: final x, y, z and what threads tell, asked_key */
    int keys;
} Asked;
unsigned long long asked_key(const int *memory, const long long *told, int threads);
long long asked_told(const int *registers); /* r0 to r3 */
/* ENGINE and TABLE as tests/random/build.sh makes them. */
void asked_begin(const char *engine, const char *table);
void asked_promised(int asks); /* from now on, with what imm adds */
/* WAY: server.h of tests/random; NUMBER: of a program that was compiled, or -1. */
const Asked *asked(const char *text, int way, int number);
#endif
