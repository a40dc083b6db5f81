/* A letter has an address and a text that fits on a card. */
#pragma once
struct letter {
    int to;
    char text[16];
};
void letter_write(struct letter *letter, int to, const char *text);
