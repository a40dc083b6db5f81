/* words.h: the words of the prover's notations, each with its place. */
#ifndef HEDDLE_PROVE_READ_WORDS_H
#define HEDDLE_PROVE_READ_WORDS_H
#include "base/error.h"
#include "base/str.h"

typedef enum WordKind { WORD_NAME, WORD_NUMBER, WORD_STRING, WORD_SIGN, WORD_END } WordKind;
typedef struct Word {
    WordKind kind;
    const char *text; /* of a string: without its quotes */
    int64_t number;
    int line, column;
    size_t offset; /* in the text */
} Word;
typedef Vec(Word) Words;

/* The last token is WORD_END. The signs for "not equal" and so on may be Unicode's. */
MUST_USE bool words_run(Arena *arena, const char *path, Str text, Words *out, Error *error);
#endif
