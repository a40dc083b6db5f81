#include <gtest/gtest.h>
#include <thread>
#include <atomic>
static std::atomic<int> x;
static int y;
TEST(Queue, Put) { std::thread a([] { x++; }), b([] { x++; }); a.join(); b.join(); EXPECT_EQ(x, 2); }
TEST(Queue, Race) { std::thread a([] { y++; }), b([] { y++; }); a.join(); b.join(); EXPECT_EQ(y, 2); }
