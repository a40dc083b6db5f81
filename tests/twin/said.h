/* said.h: what an explored program says about itself, for judges that compare it with theirs. */
#ifndef HEDDLE_TWIN_SAID_H
#define HEDDLE_TWIN_SAID_H
#include "base/common.h"

#define WRONGS(X)                                                                                  \
    X(RACE, "race")                                                                                \
    X(LATE, "use-after-free")                                                                      \
    X(DOUBLE, "double-free")                                                                       \
    X(MISUSE, "misuse")                                                                            \
    X(DEADLOCK, "deadlock")                                                                        \
    X(LIVELOCK, "livelock")                                                                        \
    X(OUTSIDE, "invalid-access")                                                                   \
    X(WRONG_FREE, "invalid-free")                                                                  \
    X(CRASH, "crash")                                                                              \
    X(STATUS, "exit-status")                                                                       \
    X(UNINITIALISED, "uninitialised-read")                                                         \
    X(ASSERTION, "assertion")
typedef enum Wrong {
#define X(name, word) WRONG_##name,
    WRONGS(X)
#undef X
        WRONG_COUNT
} Wrong;
extern const char *const wrong_words[];

typedef enum SaidKind {
    SAID_NOTHING,
    SAID_FAILED,
    SAID_UNCONFIRMED,
    SAID_HOLDS,
    SAID_VIOLATED
} SaidKind;
typedef struct Said {
    SaidKind kind;
    Wrong wrong; /* WRONG_COUNT: a violation of another kind */
} Said;

/* Runs COMMAND with TEXT in HEDDLE_TWIN_PROGRAM. */
Said said_by(char **command, const char *text);
/* What is wrong with what was said, whatever the program; NULL: nothing. */
const char *said_wrongly(Said said);
void said_print_wrongs(unsigned wrongs);
#endif
