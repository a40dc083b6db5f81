/* sheet.h: what text reports are written with: a file, its style, words that break where the line
 * ends. Text may come from the program under test: characters that could steer a terminal are shown
 * as question marks, whoever prints them. */
#ifndef HEDDLE_REPORT_SHEET_H
#define HEDDLE_REPORT_SHEET_H
#include "tool/report/text.h"

enum { SHEET_BOLD = 1, SHEET_DIM = 2, SHEET_RED = 31, SHEET_GREEN = 32, SHEET_YELLOW = 33 };

typedef struct Sheet {
    FILE *to;
    const TextStyle *style;
    const char *gutter; /* what every line after the first of a paragraph starts with, or NULL */
    int gutter_columns;
} Sheet;

/* Columns on the screen: continuation bytes of UTF-8 take none. */
int sheet_columns(const char *text);
void sheet_write(const Sheet *sheet, const char *text);
void sheet_paint(const Sheet *sheet, int colour, const char *text); /* colour 0: as it is */
/* Spaces behind TEXT, up to WIDTH columns. */
void sheet_pad(const Sheet *sheet, const char *text, int width);
/* A new line with its gutter, and spaces up to COLUMN. */
void sheet_break(const Sheet *sheet, int column);
/* TEXT from COLUMN on, broken at spaces so that each line fits; lines after the first start at
 * INDENT. Words longer than a line are cut into pieces. Ends without a new line, at the column that
 * is returned. */
int sheet_wrap(const Sheet *sheet, int colour, const char *text, int indent, int column);
/* A paragraph of its own: sheet_wrap from COLUMN spaces on, and a new line. */
void sheet_paragraph(const Sheet *sheet, const char *text, int indent, int column);
/* The glyph for this sheet: ASCII or not. */
const char *sheet_glyph(const Sheet *sheet, const char *fancy, const char *ascii);
#endif
