// expect: violated assertion
// A joinable std::thread is destroyed: std::terminate.
#include <thread>
int main()
{
    std::thread t([] {});
}
