// expect: violated race
// args: -std=c++17
// As correct/cxx_shared_ptr_functions.cpp, but one of the stores is an assignment.
#define STORE(pointer, value) (*(pointer) = (value))
#include "../correct/cxx_shared_ptr_functions.cpp"
