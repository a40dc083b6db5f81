// A logger whose thread writes what has come every 100 ms, or when it is told to stop.
#include <cassert>
#include <chrono>
#include <condition_variable>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

class Logger
{
  public:
    Logger() : writer([this] { write(); })
    {
    }
    ~Logger()
    {
        {
            std::lock_guard<std::mutex> hold(lock);
            done = true;
        }
        told.notify_one();
        writer.join();
        assert(written == 2);
    }
    void log(std::string line)
    {
        std::lock_guard<std::mutex> hold(lock);
        lines.push_back(std::move(line));
    }

  private:
    void write()
    {
        std::unique_lock<std::mutex> hold(lock);
        for (;;) {
            told.wait_for(hold, std::chrono::milliseconds(100), [this] { return done; });
            std::vector<std::string> batch;
            batch.swap(lines);
            bool last = done;
            hold.unlock();
            written += (int)batch.size();
            if (last)
                return;
            hold.lock();
        }
    }
    std::mutex lock;
    std::condition_variable told;
    std::vector<std::string> lines;
    bool done = false;
    int written = 0;
    std::thread writer;
};

int main()
{
    Logger logger;
    std::thread client([&] { logger.log("a line that is too long to be kept inside"); });
    logger.log("short");
    client.join();
}
