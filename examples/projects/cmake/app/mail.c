#include <stdio.h>
#include "clerk.h"

int main(void)
{
    clerk_send(1, "hello");
    printf("a letter for %d\n", clerk_read());
    return 0;
}
