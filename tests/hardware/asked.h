/* asked.h: what the engine says of load buffering in a program of tests/random/program.h. */
#ifndef HEDDLE_HARDWARE_ASKED_H
#define HEDDLE_HARDWARE_ASKED_H
typedef struct Asked {
    enum { ASKED_NO_ANSWER, ASKED_WAITS, ASKED_CRASHED, ASKED_ANSWERED } how;
    int possible, impossible, impossible_lse; /* of what was explored; neither: unknown */
} Asked;
/* ENGINE and TABLE as tests/random/build.sh makes them. */
void asked_begin(const char *engine, const char *table);
/* WAY: server.h of tests/random; NUMBER: of a program that was compiled, or -1. */
Asked asked(const char *text, int way, int number);
#endif
