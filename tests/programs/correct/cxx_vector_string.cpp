// expect: holds
// Containers under a lock, and private ones without.
#include <cassert>
#include <mutex>
#include <string>
#include <thread>
#include <vector>
static std::mutex m;
static std::vector<std::string> words;
int main()
{
    auto work = [](const char *word) {
        std::string mine(word);
        mine += " is longer than the small string buffer";
        std::vector<int> own(3, 1);
        own.push_back(2);
        std::lock_guard<std::mutex> guard(m);
        words.push_back(mine);
    };
    std::thread t(work, "one"), u(work, "two");
    t.join();
    u.join();
    assert(words.size() == 2 && words[0].size() == words[1].size());
}
