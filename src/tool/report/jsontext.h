/* jsontext.h: what every writer of JSON here needs: text that comes from outside, whatever its
 * bytes, and members whose allocation can't fail. */
#ifndef HEDDLE_REPORT_JSONTEXT_H
#define HEDDLE_REPORT_JSONTEXT_H
#include <jansson.h>
#include <stdio.h>
#include "base/str.h"

/* TEXT as a string; bytes that are no UTF-8 become U+FFFD. NULL gives null. */
json_t *json_text(const char *text);
json_t *json_text_of(Str text);
/* Writes VALUE, with the FLAGS of jansson; characters that could steer a terminal as escapes. */
MUST_USE bool json_print(FILE *to, const json_t *value, size_t flags);
/* Sets a member, and dies if there is no memory. Takes VALUE over. */
void json_put(json_t *object, const char *key, json_t *value);
/* Does the same for the end of an array. */
void json_push(json_t *array, json_t *value);
#endif
