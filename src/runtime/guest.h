/* guest.h: symbols that enter the user's program. */
#ifndef HEDDLE_RUNTIME_GUEST_H
#define HEDDLE_RUNTIME_GUEST_H
#define GUEST __attribute__((visibility("default")))
#define GUEST_PC __builtin_return_address(0)
#endif
