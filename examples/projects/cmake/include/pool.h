/* Letters to write on, from a fixed stock. */
#pragma once
#include "letter.h"
struct letter *pool_take(void); /* NULL if none is left */
void pool_give(struct letter *letter);
