#include <thread>
#include <cassert>
#include <iostream>
#include <atomic>
static std::atomic<int> n;
struct S { std::thread t; S() : t([] { n++; }) {} ~S() { t.join(); assert(n == 1); } } s;
int main() { std::cout << n << "\n"; }
