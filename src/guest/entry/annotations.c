/* annotations.c: what libraries tell ThreadSanitizer. They are compiled with its instrumentation
 * here, so they call these (libcds, Abseil, Boost). Race detectors that do not know the C++ memory
 * model need to be told which synchronisation there is, and which races to be silent about. We do
 * know it: a program is judged by what it does, not by what it claims, so all of this means nothing
 * here. */
#include "guest/entry/guest.h"

/* Called with arguments, which the calling convention allows to be ignored. */
#define MEANS_NOTHING(name)                                                                        \
    GUEST void *name(void);                                                                        \
    void *name(void)                                                                               \
    {                                                                                              \
        return NULL;                                                                               \
    }

/* <dynamic_annotations.h> */
MEANS_NOTHING(AnnotateBenignRace)
MEANS_NOTHING(AnnotateBenignRaceSized)
MEANS_NOTHING(AnnotateCondVarSignal)
MEANS_NOTHING(AnnotateCondVarSignalAll)
MEANS_NOTHING(AnnotateCondVarWait)
MEANS_NOTHING(AnnotateEnableRaceDetection)
MEANS_NOTHING(AnnotateExpectRace)
MEANS_NOTHING(AnnotateFlushExpectedRaces)
MEANS_NOTHING(AnnotateFlushState)
MEANS_NOTHING(AnnotateHappensAfter)
MEANS_NOTHING(AnnotateHappensBefore)
MEANS_NOTHING(AnnotateIgnoreReadsBegin)
MEANS_NOTHING(AnnotateIgnoreReadsEnd)
MEANS_NOTHING(AnnotateIgnoreSyncBegin)
MEANS_NOTHING(AnnotateIgnoreSyncEnd)
MEANS_NOTHING(AnnotateIgnoreWritesBegin)
MEANS_NOTHING(AnnotateIgnoreWritesEnd)
MEANS_NOTHING(AnnotateMemoryIsInitialized)
MEANS_NOTHING(AnnotateMemoryIsUninitialized)
MEANS_NOTHING(AnnotateMutexIsNotPHB)
MEANS_NOTHING(AnnotateMutexIsUsedAsCondVar)
MEANS_NOTHING(AnnotateNewMemory)
MEANS_NOTHING(AnnotateNoOp)
MEANS_NOTHING(AnnotatePCQCreate)
MEANS_NOTHING(AnnotatePCQDestroy)
MEANS_NOTHING(AnnotatePCQGet)
MEANS_NOTHING(AnnotatePCQPut)
MEANS_NOTHING(AnnotatePublishMemoryRange)
MEANS_NOTHING(AnnotateRWLockAcquired)
MEANS_NOTHING(AnnotateRWLockCreate)
MEANS_NOTHING(AnnotateRWLockCreateStatic)
MEANS_NOTHING(AnnotateRWLockDestroy)
MEANS_NOTHING(AnnotateRWLockReleased)
MEANS_NOTHING(AnnotateThreadName)
MEANS_NOTHING(AnnotateTraceMemory)
MEANS_NOTHING(AnnotateUnpublishMemoryRange)
/* <sanitizer/tsan_interface.h> */
MEANS_NOTHING(__tsan_acquire)
MEANS_NOTHING(__tsan_create_fiber)
MEANS_NOTHING(__tsan_destroy_fiber)
MEANS_NOTHING(__tsan_external_assign_tag)
MEANS_NOTHING(__tsan_external_register_header)
MEANS_NOTHING(__tsan_external_register_tag)
MEANS_NOTHING(__tsan_flush_memory)
MEANS_NOTHING(__tsan_get_current_fiber)
MEANS_NOTHING(__tsan_ignore_thread_begin)
MEANS_NOTHING(__tsan_ignore_thread_end)
MEANS_NOTHING(__tsan_mutex_create)
MEANS_NOTHING(__tsan_mutex_destroy)
MEANS_NOTHING(__tsan_mutex_post_divert)
MEANS_NOTHING(__tsan_mutex_post_lock)
MEANS_NOTHING(__tsan_mutex_post_signal)
MEANS_NOTHING(__tsan_mutex_post_unlock)
MEANS_NOTHING(__tsan_mutex_pre_divert)
MEANS_NOTHING(__tsan_mutex_pre_lock)
MEANS_NOTHING(__tsan_mutex_pre_signal)
MEANS_NOTHING(__tsan_mutex_pre_unlock) /* how deep a recursive lock is held */
MEANS_NOTHING(__tsan_release)
MEANS_NOTHING(__tsan_set_fiber_name)
MEANS_NOTHING(__tsan_switch_to_fiber)
