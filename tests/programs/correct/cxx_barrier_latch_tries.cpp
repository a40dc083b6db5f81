// expect: holds
// args: -std=c++20 --no-reductions
// As cxx_barrier_latch.cpp, but the library tries 16 times before it sleeps: main's rounds of that loop are followed to
// their end, though other threads write into its stack.
#include "cxx_barrier_latch.cpp"
