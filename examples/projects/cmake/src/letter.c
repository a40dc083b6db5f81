#include "letter.h"
#include <stdio.h>

void letter_write(struct letter *letter, int to, const char *text)
{
    letter->to = to;
    snprintf(letter->text, sizeof letter->text, "%s", text);
}
