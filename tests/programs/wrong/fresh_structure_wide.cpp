// expect: violated assertion
// args: -DWORDS=3
#include "fresh_structure.cpp"
