/* spec.h: what the histories of a test are judged by, inside the program under test: a
 * built-in specification; or the serial runs of the test, made by the operations themselves, by the
 * implementation in another configuration (HD_REFERENCE) or by golden code (HD_GOLDEN); and either
 * of them relaxed (harness/check/quasi.h). */
#ifndef HEDDLE_HARNESS_CHECK_SPEC_H
#define HEDDLE_HARNESS_CHECK_SPEC_H
#include "guest/harness/check/test.h"
#include "guest/explore/search/explore.h"
#include "judge/spec/automaton.h"
#include "judge/quasi/relax.h"

/* Sets the specification up as options.check and child_test.declared say. Fails with a message for
 * the user. */
MUST_USE bool child_spec_setup(Error *error);
/* Phase 1 of child_test.test: learns its serial runs, if they are the specification. Anything but
 * FINDING_NONE ends the test; exploration.stopped also does. */
FindingKind child_spec_learn(void);
/* Makes the same runs where addresses, times and random numbers are others (child_test_moved). */
FindingKind child_spec_learn_moved(void);

/* A history was rejected. Under --quasi with serial runs it may still be allowed with calls that
 * the test does not make (kooo lets a run be continued). True if that has to be found out: their
 * serial runs are learnt, with *kind as child_spec_learn returns it, and the test is to be judged
 * again. False if the rejection stands. */
MUST_USE bool child_spec_extend(FindingKind *kind);
bool child_spec_may_be_extended(void);

/* Is a history compared with whole runs, so that tests should be well-formed? */
bool child_spec_compares_runs(void);
/* Chooses the object that the functions below are about: of several (HD_OP_OF) one at a time is
 * judged. */
void child_spec_select(uint32_t object);
Automaton *child_spec_automaton(void);
/* The label of call K with RESULT: for verifier_begin. */
uint32_t child_spec_label(void *unused, uint32_t k, Value result);
/* Its name, if it is a built-in one; else NULL. */
const char *child_spec_given(void);
/* Prints what call K, which gave WORD, should give after the calls PREFIX, in STATE of the
 * automaton: "it gives 1". */
void child_spec_print_allowed(const uint32_t *prefix, uint32_t length, uint32_t state, uint32_t k,
                              uint64_t word, Buffer *out);
/* Does operation K wait there, in the serial runs that were learnt? False where others judge. */
bool child_spec_would_wait(const uint32_t *prefix, uint32_t length, uint32_t k);
uint64_t child_spec_serial_runs(void);      /* of all tests */
void child_spec_forget_runs(uint64_t kept); /* those of a test that does not count */
SpecCall child_spec_call(uint32_t k, Value result);

/* --quasi with larger factors, to see how far a history is from being allowed. */
typedef struct ChildRelaxed {
    Spec *spec;
    Automaton *automaton;
    Arena *arena;
    uint32_t base[RELAX_CLASSES]; /* the factors as they were given */
    bool
        exact; /* it allows all that --quasi with these factors would: serial runs may be missing */
} ChildRelaxed;
/* Every factor of a group that takes is larger by MORE (of every group, if none takes). False if
 * there is nothing to widen. */
MUST_USE bool child_spec_widen(uint32_t more, ChildRelaxed *wider);
uint32_t child_spec_widened_label(void *wider, uint32_t k, Value result); /* for verifier_order */
void child_spec_widened_free(ChildRelaxed *wider);
#endif
