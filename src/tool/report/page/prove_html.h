/* prove_html.h: the prover's answer and its proof as one HTML file that needs nothing else: no
 * script, no network, readable in print. */
#ifndef HEDDLE_REPORT_PAGE_PROVE_HTML_H
#define HEDDLE_REPORT_PAGE_PROVE_HTML_H
#include "prove/prove.h"

void prove_html(const Prove *prove, Buffer *out);
#endif
