/* choices.h: a small solver for Boolean constraints, with conflict clauses (Marques-Silva and
 * Sakallah, 1996; Moskewicz and others, 2001). Clauses may be added between solutions. A literal is
 * 2 * variable, or one more for its negation. Depends on libc only. */
#ifndef HEDDLE_ISOLATION_CHOICES_H
#define HEDDLE_ISOLATION_CHOICES_H
#include "base/vec.h"

typedef struct Choices Choices;
Choices *choices_new(uint32_t variables);
void choices_free(Choices *choices); /* NULL is allowed */
/* At least one of the literals must hold. */
void choices_add(Choices *choices, const uint32_t *literals, size_t count);
typedef enum ChoicesAnswer { CHOICES_FOUND, CHOICES_NONE, CHOICES_STOPPED } ChoicesAnswer;
/* Variables keep the values they had last where nothing forces another: false at first. DONE: NULL,
 * or asked now and then whether to stop. */
ChoicesAnswer choices_solve(Choices *choices, bool (*stop)(const void *), const void *context);
bool choices_value(const Choices *choices, uint32_t variable);
#endif
