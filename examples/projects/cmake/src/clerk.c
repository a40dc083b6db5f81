#include "clerk.h"
#include <stddef.h>
#include "mailbox.h"
#include "pool.h"

bool clerk_send(int to, const char *text)
{
    struct letter *letter = pool_take();
    if (!letter)
        return false;
    letter_write(letter, to, text);
    if (mailbox_put(letter))
        return true;
    pool_give(letter);
    return false;
}

int clerk_read(void)
{
    struct letter *letter = mailbox_take();
    if (!letter)
        return 0;
    int to = letter->to;
    pool_give(letter);
    return to;
}
