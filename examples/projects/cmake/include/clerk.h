/* A clerk sends letters and reads those that have come. */
#pragma once
#include <stdbool.h>
bool clerk_send(int to, const char *text);
int clerk_read(void); /* whom the letter is for; 0 if there is none */
