// expect: violated use-after-free
// A pointer to what was thrown does not own it: the thread reads it while main may have let it go.
#include <exception>
#include <thread>

int main()
{
    std::exception_ptr owner;
    int *thrown = nullptr;
    try {
        throw 5;
    } catch (int &e) {
        owner = std::current_exception();
        thrown = &e;
    }
    std::thread reader([thrown] { return *thrown; });
    owner = nullptr;
    reader.join();
    return 0;
}
