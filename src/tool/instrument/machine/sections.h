/* sections.h: follows the text of an assembly file, line by line: in which section and function
 * each statement stands, and whether it is code. Toplevel assembly may switch between sections and
 * define functions in the middle of them, a compiler returns to a section in the middle of a
 * function (behind the table of a switch), and both may put data among code.
 * Names point into the text. */
#ifndef HEDDLE_INSTRUMENT_MACHINE_SECTIONS_H
#define HEDDLE_INSTRUMENT_MACHINE_SECTIONS_H
#include "base/str.h"
#include "base/vec.h"

typedef struct Section {
    Str name, function; /* the last label that is not local, until its .size */
    bool code;          /* executable */
    bool object;        /* the label is that of an object */
} Section;

typedef struct Sections {
    Vec(Section) all;
    Vec(uint32_t) pushed;
    uint32_t now, before;
    Str object; /* what the last .type calls an object */
} Sections;

void sections_begin(Sections *sections); /* in .text, as assemblers do */
void sections_free(Sections *sections);
Section *sections_now(const Sections *sections);
/* Takes the labels at the beginning of STATEMENT off it. True if one of them begins a function or
 * an object. */
bool sections_labels(Sections *sections, Str *statement);
/* Follows a directive; others are left alone. */
void sections_directive(Sections *sections, Str statement);
/* Does the directive put bytes where it stands? */
bool sections_is_data(Str statement);
/* The next statement of a line, up to a semicolon that is in no string or comment, which COMMENT
 * begins. */
bool sections_next_statement(Str *line, const char *comment, Str *statement);
#endif
