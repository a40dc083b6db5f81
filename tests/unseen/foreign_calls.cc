// Virtual functions and tables of functions in an object that heddle did not compile. RACE: one of them races.
#include <cassert>
#include <thread>
long run_shapes(long *p);
long run_table(int i, long *p);
long choose(int i);
long theirs, ours;
int main()
{
    std::thread other([] {
        run_shapes(&theirs);
        run_table(0, &theirs);
    });
    long sum = run_shapes(&ours);
    other.join();
    assert(sum == 11 && theirs == 9 && ours == 8);
    assert(run_table(1, &ours) == 7);
    assert(choose(4) == 99 && choose(9) == -1 && choose(5) == 15);
#ifdef RACE
    std::thread late([] { run_table(0, &ours); });
    long seen = ours;
    late.join();
    assert(seen == 7);
#endif
}
