/* The counters of Line-Up's section 2.2 and Figure 4, as printed; Counter0 is what Figure 3 specifies.
 *     -DCounter=Counter1   inc is not atomic: two calls may count once
 *     -DCounter=Counter2   Figure 4: get never gives its lock back, so that the next call waits for ever */
#include <heddle.h>
#include <mutex>

struct Lock { /* of the paper's language */
    std::mutex mutex;
    void acquire() { mutex.lock(); }
    void release() { mutex.unlock(); }
};

class Counter0
{
    int count = 0;
    Lock lock;

  public:
    void inc()
    {
        lock.acquire();
        count = count + 1;
        lock.release();
    }
    int get()
    {
        lock.acquire();
        int seen = count;
        lock.release();
        return seen;
    }
};

class Counter1
{
    int count = 0;

  public:
    void inc() { count = count + 1; }
    int get() { return count; }
};

class Counter2
{
    int count = 0;
    Lock lock;

  public:
    void inc()
    {
        lock.acquire();
        count = count + 1;
        lock.release();
    }
    int get()
    {
        lock.acquire();
        return count;
    }
};

#ifndef Counter
#define Counter Counter0
#endif
static Counter *c;
HD_INIT { c = new Counter; }
HD_OP(inc) { c->inc(); return HD_VOID; }
HD_OP(get) { return HD_INT(c->get()); }
/* What Figure 3 specifies: nothing ever waits. */
static int specified;
HD_GOLDEN_INIT { specified = 0; }
HD_GOLDEN(inc) { specified++; return HD_VOID; }
HD_GOLDEN(get) { return HD_INT(specified); }
