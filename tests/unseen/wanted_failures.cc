// Test cases of GoogleTest that want failures, and that skip: no failure of the program. The last one is.
#include <gtest/gtest-spi.h>
#include <gtest/gtest.h>

TEST(Wanted, Failure)
{
    EXPECT_NONFATAL_FAILURE(EXPECT_EQ(1, 2), "equality");
    SUCCEED() << "went on";
}

TEST(Wanted, Skip)
{
    GTEST_SKIP() << "not here";
}

TEST(Unwanted, Failure)
{
    int v = 3;
    ASSERT_TRUE(v < 3) << "v is " << v;
}
