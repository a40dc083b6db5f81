// expect: violated assertion
// args: -DWORDS=2 -DCONSTRUCTOR
#include "fresh_structure.cpp"
