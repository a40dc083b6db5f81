// expect: violated race
// Two threads append to one string, whose members libstdc++.so contains as well.
#include <string>
#include <thread>
static std::string text = "long enough to live on the heap";
int main()
{
    std::thread t([] { text += "x"; });
    text += "y";
    t.join();
    return 0;
}
