// expect: violated deadlock
// args: -std=c++20
// only if: _GLIBCXX_RELEASE == 12
// Two threads compete for a std::binary_semaphore. The program is right, but libstdc++ 12 has a flaw that can let it
// sleep for ever: a thread reads the count as 1, loses the race for it, and asks the kernel to sleep while the count is
// 1; it does, when the other has released in between. futex_semaphore.c and correct/futex_semaphore.c are the flaw and
// its repair.
#include "../correct/cxx_semaphore_contended.cpp"
