// A registry that is read while another thread changes it: the nodes of the library's containers have names.
#include <list>
#include <map>
#include <thread>
#include <unordered_map>
struct Job {
    int id, cost;
};
#if defined LIST
static std::list<Job> jobs{{1, 2}};
static void change() { jobs.push_back({2, 3}); }
static int look() { return jobs.front().cost + (++jobs.begin() == jobs.end()); }
#else
#if defined HASH
static std::unordered_map<int, Job> jobs{{1, {1, 2}}};
#else
static std::map<int, Job> jobs{{1, {1, 2}}, {5, {5, 6}}};
#endif
static void change() { jobs.find(1)->second.cost = 7; }
static int look() { return jobs.find(1)->second.cost; }
#endif
int main()
{
    std::thread other(change);
    int seen = look();
    other.join();
    return seen < 0;
}
