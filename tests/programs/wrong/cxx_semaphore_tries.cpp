// expect: violated assertion
// args: -std=c++20
// only if: _GLIBCXX_RELEASE == 12
// As correct/cxx_semaphore_tries.cpp with 16 changes: try_acquire of libstdc++ 12 tries 16 times, and each of them may
// fail because the count changed between its read and its compare-exchange.
#define CHANGES 16
#include "../correct/cxx_semaphore_tries.cpp"
