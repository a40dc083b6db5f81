// expect: violated assertion
// args: --model=sc
// Where races promote memory a replay, too, begins again for each word that is used in parts: more than a thousand times.
#include "split_often.c"
