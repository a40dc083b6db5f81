/* generate.h: random programs from seeds, each with a random subset of the language's features, and
 * all small programs in turn. */
#ifndef HEDDLE_RANDOM_GENERATE_H
#define HEDDLE_RANDOM_GENERATE_H
#include "program.h"

/* SIZE: statements of a thread, about; FEATURES: names of features separated by commas that each
 * program has, or NULL; with the name `only' it has no others. */
void generate_program(uint64_t seed, int size, const char *features, Program *program);
/* One whose threads do SIZE things at most, of a list: loops that wait, retry, look or count, and
 * what they may meet. */
void generate_from_words(uint64_t seed, int size, Program *program);
/* Program number N of all with THREADS threads of LENGTH statements each from a list; false: there
 * are no more. CANONICAL becomes false where another number stands for the same program. */
bool generate_small(uint64_t n, int threads, int length, Program *program, bool *canonical);
uint64_t generate_small_count(int threads, int length);
/* Does main create each thread once and join none that is not there, and does it tell only when all
 * are joined? Registers for pointers hold pointers alone? */
bool generate_is_valid(const Program *program);
/* The smaller programs that PROGRAM becomes by leaving out its N-th part; false: there is no N. */
bool generate_shrink(const Program *program, int n, Program *smaller);
/* A program near P, by a seed: one to three steps are replaced, added, taken out or changed. */
void generate_near(uint64_t seed, const Program *p, Program *q);
#endif
