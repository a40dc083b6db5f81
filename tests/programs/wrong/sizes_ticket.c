// expect: violated race
// The lock of correct/sizes_ticket.c, given back without release.
#define GIVE_BACK __ATOMIC_RELAXED
#include "../correct/sizes_ticket.c"
