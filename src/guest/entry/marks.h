/* marks.h: the calls that a program with a main() marks with HD_BEGIN and HD_END of <heddle.h>.
 * What is made of them is the driver's business (guest/harness/calls.c); without one they do
 * nothing. */
#ifndef HEDDLE_ENTRY_MARKS_H
#define HEDDLE_ENTRY_MARKS_H
#include <heddle.h>

#define MARKS_ARGUMENTS 4

typedef struct MarksBegin {
    const volatile void *object;
    const char *expression; /* the object as the program wrote it: "&queue", "\"jobs\"" */
    const char *name;
    int count; /* of arguments, as given; more than MARKS_ARGUMENTS are not in the array */
    HdValue arguments[MARKS_ARGUMENTS];
    const char *file;
    int line;
} MarksBegin;

/* Both are called in the thread that makes the call, never before main or after the program's
 * end. */
extern void (*marks_on_begin)(const MarksBegin *begin, const void *pc);
extern void (*marks_on_end)(const HdValue *result, const char *file, int line, const void *pc);
#endif
