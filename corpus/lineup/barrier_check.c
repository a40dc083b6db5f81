/* Barrier: SignalAndWait, ParticipantsRemaining, RemoveParticipant, CancelToken, CurrentPhaseNumber,
 * ParticipantCount, AddParticipant; PARTICIPANTS (one) at the start. -DWITHOUT_ADD leaves out
 * AddParticipant, and nobody ever waits. */
#include <heddle.h>
#include "barrier.h"

static struct barrier barrier;

#ifndef PARTICIPANTS
#define PARTICIPANTS 1
#endif
HD_INIT { barrier_init(&barrier, PARTICIPANTS); }
HD_OP(SignalAndWait)
{
    enum barrier_answer a = barrier_signal_and_wait(&barrier);
    return a == BARRIER_PASSED ? HD_VOID : HD_STR(a == BARRIER_CANCELLED ? "cancelled" : "error");
}
HD_OP(ParticipantsRemaining) { return HD_INT(barrier_remaining(&barrier)); }
HD_OP(RemoveParticipant) { return barrier_remove_participant(&barrier) ? HD_VOID : HD_STR("error"); }
HD_OP(CancelToken) { barrier_cancel(&barrier); return HD_VOID; }
HD_OP(CurrentPhaseNumber) { return HD_INT(barrier_phase(&barrier)); }
HD_OP(ParticipantCount) { return HD_INT(barrier_participants(&barrier)); }
#ifndef WITHOUT_ADD
HD_OP(AddParticipant) { return HD_INT(barrier_add_participant(&barrier)); }
#endif
