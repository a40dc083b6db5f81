// expect: violated invalid-access
// strcpy writes past the end of a heap block.
#include <stdlib.h>
#include <string.h>
int main(void)
{
    char *text = malloc(4);
    strcpy(text, "four");
    free(text);
    return 0;
}
