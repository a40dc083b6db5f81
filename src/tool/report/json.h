/* json.h: answers as JSON; the words and fields are part of the command line's contract
 * (heddle-json(5), doc/answer.schema.json). Every command prints one object that begins with the
 * same head: command, subject, verdict, violation, message, reason, exhaustive, bounds, model,
 * seconds, peak_rss_kb, record, remarks. What a command has to say beyond that follows. */
#ifndef HEDDLE_REPORT_JSON_H
#define HEDDLE_REPORT_JSON_H
#include <stdio.h>
#include <jansson.h>
#include "tool/answer/answer.h"

/* Returns a new object with the head of ANSWER. */
json_t *json_head(const Answer *answer);
json_t *json_count(uint64_t count);
json_t *json_seconds(double seconds); /* microseconds are enough, and keep the line short */
/* Prints OBJECT on one line, releases it, and returns whether it was written. */
MUST_USE bool json_write(FILE *to, json_t *object);
/* Writes the answer of a command that explores a program. */
MUST_USE bool json_write_answer(FILE *to, const Answer *answer);
#endif
