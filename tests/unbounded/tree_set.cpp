/* std::map under a lock, as a set of two keys. Its trees are rebalanced inside libstdc++.so, whose writes are
 * put back and made again in sight. M1: contains takes no lock, and reads a node that remove frees. M2: the same
 * with one key, which is never removed. It is published by one pointer, so it holds, as long as nothing of an
 * insertion is seen before its turn. */
// run: => holds
// run: -DM1 => violated use-after-free
// run: -DM2 => holds
// run: HEDDLE_DEBUG=symmetry=never -DM2 -O2 => holds
#include <heddle.h>
#include <map>
#include <mutex>
#ifdef M2
#define KEYS 1
#else
#define KEYS 1, 2
#endif
static std::mutex lock;
static std::map<int, int> tree;
HD_OP(insert, int, key, KEYS)
{
    std::lock_guard<std::mutex> held(lock);
    return HD_BOOL(tree.emplace(key, key).second);
}
#ifndef M2
HD_OP(remove, int, key, KEYS)
{
    std::lock_guard<std::mutex> held(lock);
    return HD_BOOL(tree.erase(key) != 0);
}
#endif
HD_OP(contains, int, key, KEYS)
{
#if !defined M1 && !defined M2
    std::lock_guard<std::mutex> held(lock);
#endif
    return HD_BOOL(tree.count(key) != 0);
}
