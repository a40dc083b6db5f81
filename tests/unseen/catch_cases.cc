// Test cases of Catch2, each to be explored by itself.
#ifndef MAIN_IN_LIBRARY
#define CATCH_CONFIG_MAIN
#endif
#define CATCH_CONFIG_NO_POSIX_SIGNALS
#include <catch2/catch.hpp>
#include <atomic>
#include <thread>

static std::atomic<int> order;
static int plain;

TEST_CASE("put, then look", "[queue]")
{
    std::thread other([] { order.store(1); });
    order.load();
    other.join();
    REQUIRE(order.load() == 1);
}

TEST_CASE("a race", "[queue]")
{
    std::thread other([] { plain = 1; });
    plain = 2;
    other.join();
}

TEST_CASE("fails in some orders", "[order]")
{
    order = 0;
    std::thread other([] { order.store(1); });
    int seen = order.load();
    other.join();
    REQUIRE(seen == 0);
}

TEST_CASE("hidden", "[.]")
{
    REQUIRE(false);
}
