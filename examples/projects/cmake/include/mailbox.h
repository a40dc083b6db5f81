/* A mailbox holds one letter; whoever takes it out owns it. */
#pragma once
#include <stdbool.h>
#include "letter.h"
bool mailbox_put(struct letter *letter); /* false if it is full */
struct letter *mailbox_take(void);       /* NULL if it is empty */
