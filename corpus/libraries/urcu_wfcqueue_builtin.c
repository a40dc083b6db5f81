// package: liburcu-dev
// options: --scenario=put(1)|get()
// expect: rc11 violated race
// The same queue with liburcu's generic atomics in place of its inline assembly. Links are volatile stores and
// loads, which order nothing in C11: the reader of a link goes on to the node's own link, which its writer has
// initialised plainly. (On every machine that liburcu supports the address dependency orders the two; from
// version 0.15 on liburcu has C11 orders there.)
#define _URCU_ARCH_X86_H
#define _URCU_ARCH_UATOMIC_X86_H
#include <urcu/arch/gcc.h>
#include <urcu/uatomic/gcc.h>
#include "urcu_wfcqueue.c"
