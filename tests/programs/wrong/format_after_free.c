// expect: violated use-after-free
// printf reads a string that was freed.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
int main(void)
{
    char *text = strdup("gone");
    free(text);
    printf("%s\n", text);
    return 0;
}
