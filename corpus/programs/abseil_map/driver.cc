// abseil's flat_hash_map under abseil's Mutex: a writer adds an entry and looks one up as a reader while main, another
// reader, looks one up, too. Readers may meet each other, never a writer.
#include <cassert>
#include <thread>
#include "absl/container/flat_hash_map.h"
#include "absl/synchronization/mutex.h"

static absl::Mutex mutex;

int main()
{
    absl::flat_hash_map<int, int> map;
    map[1] = 10;
    std::thread writer([&map] {
        {
            absl::MutexLock lock(&mutex);
            map[2] = 20;
        }
        absl::ReaderMutexLock lock(&mutex);
        assert(map.find(2)->second == 20);
    });
    {
        absl::ReaderMutexLock lock(&mutex);
        auto found = map.find(1);
        assert(found != map.end() && found->second == 10);
    }
    writer.join();
    assert(map.size() == 2);
    return 0;
}
