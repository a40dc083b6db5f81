/* unbounded.h: `heddle check --unbounded`: threads that call the declared operations for ever,
 * decided by their states (guest/states). */
#ifndef HEDDLE_HARNESS_CHECK_UNBOUNDED_H
#define HEDDLE_HARNESS_CHECK_UNBOUNDED_H
#include "guest/explore/schedules/sample.h"
#include "guest/harness/check/test.h"
#include "record/link.h"

/* Runs one execution of TEST as the ordinary engine does, and judges it. */
typedef FindingKind UnboundedConfirm(const TestCase *test, const SampleStep *steps, size_t count);

/* After child_test.declared and the specification are known; fills what the outcome says of states.
 * A violation was CONFIRMed, and its graph is in place. */
FindingKind child_unbounded(Link *link, UnboundedConfirm *confirm);
#endif
