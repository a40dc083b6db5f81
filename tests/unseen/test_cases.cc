// Test cases of GoogleTest, each to be explored by itself: the first holds, the second races, the third fails in some
// orders only, the fourth is disabled.
#include <gtest/gtest.h>
#include <atomic>
#include <thread>

static std::atomic<int> order;
static int plain;

TEST(Queue, Put)
{
    std::thread other([] { order.store(1); });
    order.load();
    other.join();
    EXPECT_EQ(1, order.load());
}

TEST(Queue, Race)
{
    std::thread other([] { plain = 1; });
    plain = 2;
    other.join();
}

TEST(Order, Fails)
{
    order = 0;
    std::thread other([] { order.store(1); });
    EXPECT_EQ(0, order.load());
    other.join();
}

TEST(Order, DISABLED_Never)
{
    FAIL();
}
