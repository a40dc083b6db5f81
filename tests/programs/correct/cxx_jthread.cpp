// expect: holds
// args: -std=c++20
// std::jthread joins by itself; a stop token ends the loop.
#include <atomic>
#include <cassert>
#include <stop_token>
#include <thread>
static std::atomic<int> ended{0};
int main()
{
    {
        std::jthread t([](std::stop_token stop) {
            while (!stop.stop_requested())
                ;
            ended = 1;
        });
        t.request_stop();
    }
    assert(ended == 1);
}
