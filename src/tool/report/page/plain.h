/* plain.h: pages without a script, in the colours of page.css: the head with verdict and sentence,
 * sections, the foot. All of them append to a buffer; text that is not ours goes through plain_text
 * or plain_words, which escape what HTML would take for its own. */
#ifndef HEDDLE_REPORT_PAGE_PLAIN_H
#define HEDDLE_REPORT_PAGE_PLAIN_H
#include "base/str.h"
#include "record/kinds.h"

void plain_text(Buffer *out, Str text);
void plain_words(Buffer *out, const char *text);
/* Everything up to the sections. WORD is shown in the colours of VERDICT; SENTENCE becomes the
 * heading, with a capital letter. */
void plain_begin(Buffer *out, const char *subject, Verdict verdict, const char *word, Str sentence);
/* Opens a section; the caller closes it. */
void plain_section(Buffer *out, const char *heading);
void plain_end(Buffer *out, const char *command);
#endif
