/* peers.c: heddle_assume of <heddle.h>, and what programs of SV-COMP and of GenMC's suite call: the
 * same names mean the same here. Values that a program leaves open (__VERIFIER_nondet_int) are
 * explored as far as --rand=N says, never drawn. Sections that are atomic among all accesses
 * (__VERIFIER_atomic_begin) are refused. */
#include "guest/entry/guest.h"
#include "guest/explore/graph/graph.h"

GUEST void heddle_assume(int holds);
GUEST void __VERIFIER_assume(int holds);
GUEST NORETURN void __VERIFIER_error(void);
GUEST NORETURN void __VERIFIER_atomic_begin(void);
GUEST NORETURN void __VERIFIER_atomic_end(void);

static void assume(bool holds, const void *pc)
{
    if (holds)
        return;
    if (!op_active())
        die("an assumption of the program fails before its main begins");
    if (options.check.enabled)
        op_unsupported_at(pc, "heddle_assume is for whole programs (heddle run)");
    op_assumption_fails(pc);
}

void heddle_assume(int holds)
{
    assume(holds, GUEST_PC);
}

void __VERIFIER_assume(int holds)
{
    assume(holds, GUEST_PC);
}

void __VERIFIER_error(void)
{
    op_violation(VIOLATION_ASSERTION, GUEST_PC, "__VERIFIER_error is called");
}

void __VERIFIER_atomic_begin(void)
{
    op_unsupported_at(GUEST_PC, "the program has sections that nothing interrupts "
                                "(__VERIFIER_atomic_begin)");
}

void __VERIFIER_atomic_end(void)
{
    op_unsupported_at(GUEST_PC, "the program has sections that nothing interrupts "
                                "(__VERIFIER_atomic_end)");
}

static unsigned any(unsigned most, const void *pc)
{
    unsigned values = guest_options.rand_values;
    if (!op_active())
        die("the program asks for any value before its main begins");
    if (most)
        return op_choose(most, pc);
    if (!values)
        op_unsupported_at(pc, "the program asks for any number (__VERIFIER_nondet_...): --rand=N "
                              "explores 0 to N-1");
    op_warning("numbers that the program leaves open are 0 to %u only", values - 1);
    return op_choose(values, pc);
}

/* ANY(name, type, number of values, or 0: those of --rand) */
#define ANY(name, type, most)                                                                      \
    GUEST type __VERIFIER_nondet_##name(void);                                                     \
    type __VERIFIER_nondet_##name(void)                                                            \
    {                                                                                              \
        return (type)any(most, GUEST_PC);                                                          \
    }
ANY(bool, bool, 2)
ANY(char, char, 0)
ANY(uchar, unsigned char, 0)
ANY(short, short, 0)
ANY(ushort, unsigned short, 0)
ANY(int, int, 0)
ANY(uint, unsigned, 0)
ANY(long, long, 0)
ANY(ulong, unsigned long, 0)
