/* states.h: a small graph of states for the page (page.h), from the picture that the program under
 * test drew (OUTCOME_picture; src/guest/states/answer/picture.h says what is in it). */
#ifndef HEDDLE_REPORT_PAGE_STATES_H
#define HEDDLE_REPORT_PAGE_STATES_H
#include <jansson.h>
#include "tool/report/dwarf/names.h"

/* Returns the picture with words known by the variables that lie in them: lines
 * "word BYTES<tab>INITIAL<tab>NAME<tab>..." with a name for every BYTES, "?" where there is none.
 * Lives as long as the names' arena. */
const char *states_name_words(Names *names, const char *picture);
/* A picture with names as a document, which is trusted in nothing:
 *   words   [{bytes, initial, names}]
 *   calls   [text]
 *   states  [{calls: [call or null a thread], values: [text a word]}]   fewer: as initial
 *   steps   [{from, to, thread, begun, ended, result}]   begun and ended are calls, or null
 *   way     [state]          to a violation, or empty
 *   last    {thread, begun}  the step that shows it, or null
 * NULL if there are no states in it. */
json_t *states_document(const char *picture);
#endif
