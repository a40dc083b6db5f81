/* picture.h: a small graph of states, for a report that draws it. While a search has met few states
 * all of them are in the picture, with the steps between them; of a larger one that ends with a
 * violation, only the states on the way to it (search.c makes these steps again).
 *
 * The picture is a text (OUTCOME_picture) of lines; numbers are decimal, words of memory
 * hexadecimal:
 *   word ADDRESS VALUE                    word 0, 1, ... of the states' memory; at the start
 *   call TEXT                             call 0, 1, ...
 *   state CALLS VALUES                    state 0, 1, ...: by thread its call, or -; by word its
 *                                         value, or @BLOCK+OFFSET for pointers to heap objects;
 *                                         fewer than all: the others are as at the start
 *   step FROM TO THREAD BEGUN ENDED TEXT  calls or -; the result of the one that ended
 *   way STATES                            to the violation
 *   last THREAD BEGUN                     the step that shows it */
#ifndef HEDDLE_STATES_ANSWER_PICTURE_H
#define HEDDLE_STATES_ANSWER_PICTURE_H
#include "guest/states/step.h"
#include "record/outcome.h"

enum { PICTURE_STATES = 150, PICTURE_STEPS = 600 }; /* at most */

void picture_begin(void);
/* A state that was not met before has the next number; this is a copy of it. */
void picture_add_state(const char *copy);
/* THREAD's step DONE leads from one state to another. */
void picture_add_step(uint32_t from, uint32_t to, uint32_t thread, const StatesDone *done);
/* There are more states, or steps that are not known: no picture. */
void picture_drop(void);
/* STATE is the next one on the way to a violation. */
void picture_add_to_way(uint32_t state);
/* The last step begins BEGUN, or -1. */
void picture_end_way(uint32_t thread, int begun);
bool picture_is_whole(void); /* it was not dropped */

typedef struct PictureWords {
    uint32_t calls;
    const char *(*call)(uint32_t call);
    void (*result)(Value result, Buffer *out);
} PictureWords;
/* Puts the picture into TEXT, in place of what it holds: nothing if there is none. */
void picture_print(const PictureWords *words, Buffer *text);
#endif
