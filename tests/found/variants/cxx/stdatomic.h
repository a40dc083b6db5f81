/* stdatomic.h for C++ before C++23, so that the variants are programs of both languages. */
#pragma once
#include <atomic>
using namespace std;
#define _Atomic(type) std::atomic<type>
