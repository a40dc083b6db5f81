/* prove_report.h: the prover's answer as text, as JSON and as a page with the whole proof. */
#ifndef HEDDLE_REPORT_PROVE_REPORT_H
#define HEDDLE_REPORT_PROVE_REPORT_H
#include <jansson.h>
#include "prove/prove.h"

/* The answer, what it rests on, and on failure what could not be reordered. */
void prove_report_text(const Prove *prove, Buffer *out);
/* The tables of Figure 5 with reasons, the facts, and the proof step by step. */
void prove_report_page(const Prove *prove, Buffer *out);
/* One JSON object and a line feed. */
/* Returns a new object, for json_write. SUBJECT is the file. */
json_t *prove_report_json(const Prove *prove, const char *subject, double seconds,
                          long peak_rss_kb);
#endif
