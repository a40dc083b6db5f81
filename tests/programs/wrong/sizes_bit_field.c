// expect: violated race
// As correct/sizes_bit_field.c, but the word is read before the thread is joined: the fields race, though
// the byte does not.
#define EARLY
#include "../correct/sizes_bit_field.c"
