// clang-format off
/* effects.h: library functions that run as they are, with their effects announced. The program's calls of
 * them go through thunks (guest/runtime/opaque.h), which ask here before the call and tell when it has
 * returned. record/effects.inc has the effects of each function, in words like these; A, B and C are
 * numbers of arguments (6 to 9 are on the stack), and a null pointer is passed over:
 *
 *   rA:N wA:N       reads or writes N bytes at argument A; N may be *B (the value of argument B), *B.4
 *                   (times 4), m (what a multibyte character takes in this locale) or iB (an address of
 *                   the family that argument B says: AF_INET, AF_INET6), or dBC (argument C less argument
 *                   B), dBC.4, dBC/4 (a quarter)
 *   uA:N            reads and writes
 *   rA+O:N          O bytes behind argument A; the same with w and u
 *   rA-B            from argument A up to argument B; the same with w and u
 *   bA              takes characters from the std::streambuf at A
 *   sA sA*B         reads the string at A, at most as many characters as argument B says
 *   SA SA*B         the same for a wide string
 *   wA=sB wA=SB     writes to A as many characters as the string at B has, with its end; *C and .4 as above
 *   aA=sB aA=SB     the same behind the end of the string at A
 *   g gl            does what getopt, or getopt_long, does
 *   pA              reads the std::string at A
 *   v               writes signgam, if the program names that variable
 *   qA              uses the struct random_data at A and the state that it points to
 *   fA              uses the stream at A, which the library locks
 *   dA              uses the object at A, which nothing locks
 *   hX HX lX        reads, writes, or uses under a lock of the library the hidden state X (hidden.h);
 *                   HX!A does so only if argument A is null
 *   k               uses what threads share in the kernel (guest/entry/kernel)
 *   -               touches no memory that the program can see
 *
 * Effects that are announced include all that the function does; a buffer that it may fill is announced
 * whole. */
// clang-format on
#ifndef HEDDLE_ENTRY_LIBRARY_EFFECTS_H
#define HEDDLE_ENTRY_LIBRARY_EFFECTS_H
#include "base/common.h"

/* Announces what a call of NAME with these arguments (OPAQUE_ARGUMENTS of them) is about to do, and
 * takes the locks of hidden state. PC is in the program. */
void effects_before(const char *name, const char *effects, const uint64_t *arguments,
                    const void *pc);
/* The call has returned: gives the locks back. */
void effects_after(const char *name, const char *effects, const uint64_t *arguments,
                   const void *pc);
#endif
