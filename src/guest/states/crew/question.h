/* question.h: one question that another process answers, from what this one knows now. */
#ifndef HEDDLE_STATES_CREW_QUESTION_H
#define HEDDLE_STATES_CREW_QUESTION_H
#include "base/common.h"

/* Another process works out WORK of ARGUMENT. question_answer waits for that and returns it;
 * question_drop gives it up, if there is one. */
void question_ask(uint32_t (*work)(uint32_t), uint32_t argument);
uint32_t question_answer(void);
void question_drop(void);
#endif
