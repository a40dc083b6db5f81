/* page.h: what text reports are written with: a file, its style, words that break where the line
 * ends. Text may come from the program under test: characters that could steer a terminal are shown
 * as question marks, whoever prints them. */
#ifndef HEDDLE_REPORT_PAGE_H
#define HEDDLE_REPORT_PAGE_H
#include "report/text.h"

enum { PAGE_BOLD = 1, PAGE_DIM = 2, PAGE_RED = 31, PAGE_GREEN = 32, PAGE_YELLOW = 33 };

typedef struct Page {
    FILE *to;
    const TextStyle *style;
    const char *gutter; /* what every line after the first of a paragraph starts with, or NULL */
    int gutter_columns;
} Page;

/* Columns on the screen: continuation bytes of UTF-8 take none. */
int page_columns(const char *text);
void page_write(const Page *page, const char *text);
void page_paint(const Page *page, int colour, const char *text); /* colour 0: as it is */
/* Spaces behind TEXT, up to WIDTH columns. */
void page_pad(const Page *page, const char *text, int width);
/* A new line with its gutter, and spaces up to COLUMN. */
void page_break(const Page *page, int column);
/* TEXT from COLUMN on, broken at spaces so that each line fits; lines after the first start at
 * INDENT. Words longer than a line are cut into pieces. Ends without a new line, at the column that
 * is returned. */
int page_wrap(const Page *page, int colour, const char *text, int indent, int column);
/* A paragraph of its own: page_wrap from COLUMN spaces on, and a new line. */
void page_paragraph(const Page *page, const char *text, int indent, int column);
/* The glyph for this page: ASCII or not. */
const char *page_glyph(const Page *page, const char *fancy, const char *ascii);
#endif
