#include "guest/entry/marks.h"
#include <stdarg.h>
#include "guest/entry/guest.h"

void (*marks_on_begin)(const MarksBegin *begin, const void *pc);
void (*marks_on_end)(const HdValue *result, const char *file, int line, const void *pc);

GUEST void heddle_begin(const volatile void *object, const char *expression, const char *file,
                        int line, int count, const char *name, ...);
GUEST void heddle_end(HdValue result, const char *file, int line);

void heddle_begin(const volatile void *object, const char *expression, const char *file, int line,
                  int count, const char *name, ...)
{
    if (!marks_on_begin || !op_active())
        return;
    MarksBegin begin = {.object = object,
                        .expression = expression,
                        .name = name,
                        .count = count,
                        .file = file,
                        .line = line};
    va_list arguments;
    va_start(arguments, name);
    for (int i = 0; i < count && i < MARKS_ARGUMENTS; i++)
        begin.arguments[i] = va_arg(arguments, HdValue);
    va_end(arguments);
    marks_on_begin(&begin, GUEST_PC);
}

void heddle_end(HdValue result, const char *file, int line)
{
    if (marks_on_end && op_active())
        marks_on_end(&result, file, line, GUEST_PC);
}
