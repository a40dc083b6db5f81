/* text.h: an answer for a person: verdict and bounds first, then what is wrong in one sentence,
 * then the execution that shows it. Fits its width; colours only where asked for. */
#ifndef HEDDLE_REPORT_TEXT_H
#define HEDDLE_REPORT_TEXT_H
#include <stdio.h>
#include "tool/report/dwarf/names.h"
#include "tool/answer/answer.h"

typedef struct TextStyle {
    int width;   /* columns, at least 60 */
    bool colour; /* terminal escapes */
    bool ascii;  /* no arrows or lines beyond ASCII */
    bool all;    /* also steps that can't matter: plain accesses that no other thread shares */
    bool brief;  /* the verdict, and nothing else */
    int most;    /* steps of an execution; a longer one loses its middle. 0: 200 */
} TextStyle;

/* Chooses as the file TO, the environment (NO_COLOR, COLUMNS, the locale) and a person's wish
 * suggest. */
TextStyle text_style_for(FILE *to, bool ascii);
/* TEXT broken at spaces, from COLUMN on; lines after the first are indented. Ends the line. */
void text_write_wrapped(FILE *to, const TextStyle *style, const char *text, int indent, int column);
/* NAMES may be NULL: then addresses are numbers. */
void text_write_answer(FILE *to, const Answer *answer, Names *names, const TextStyle *style);
#endif
