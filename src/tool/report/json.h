/* json.h: an answer as one JSON object; its words and fields are part of the command line's
 * contract. */
#ifndef HEDDLE_REPORT_JSON_H
#define HEDDLE_REPORT_JSON_H
#include <stdio.h>
#include "tool/answer/answer.h"

MUST_USE bool json_write_answer(FILE *to, const Answer *answer);
#endif
