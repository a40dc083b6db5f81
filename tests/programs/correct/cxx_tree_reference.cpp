// expect: holds
// executions: 1
// Random insertions and erasures in a std::map agree with a vector at every step.
#include <algorithm>
#include <cassert>
#include <map>
#include <vector>
static unsigned state = 12345;
static unsigned next(unsigned below)
{
    state = state * 1103515245u + 12345u;
    return (state >> 16) % below;
}
int main()
{
    std::map<int, int> map;
    std::vector<int> reference;
    for (int i = 0; i < 150; i++) {
        int key = (int)next(30);
        auto found = std::find(reference.begin(), reference.end(), key);
        if (next(3)) {
            map[key] = i;
            if (found == reference.end())
                reference.push_back(key);
        } else {
            map.erase(key);
            if (found != reference.end())
                reference.erase(found);
        }
        assert(map.size() == reference.size());
        int last = -1;
        for (auto &pair : map) {
            assert(pair.first > last);
            last = pair.first;
            assert(std::find(reference.begin(), reference.end(), last) != reference.end());
        }
        auto back = map.end();
        for (size_t k = 0; k < map.size(); k++)
            --back;
        assert(back == map.begin());
    }
    return 0;
}
