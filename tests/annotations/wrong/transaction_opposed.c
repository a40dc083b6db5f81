// expect: violated ordering-cycle
// says: the ordering points put these calls into a circle
// The points of failed rounds stay: the first lock of the one call is before that of the other, and the second behind it.
#define KEEPS_POINTS
#include "../holds/transaction_opposed.c"
