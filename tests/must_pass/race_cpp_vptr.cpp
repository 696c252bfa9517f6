/* SPDX-License-Identifier: Apache-2.0 */
/*
 * BURL-KIND: pass
 * BURL-CFLAGS: -O1 -std=c++20
 * BURL-ARGS: --runs=500
 * BURL-WHY: The derived class joins before anything of it is destroyed.
 */
#include <atomic>
#include <thread>

class Worker {
public:
    virtual ~Worker() { finish(); }

    void start()
    {
        thread_ = std::thread([this] { step(); });
    }

protected:
    void finish()
    {
        if (thread_.joinable())
            thread_.join();
    }

    virtual void step() { steps_ += 1; }

    std::atomic<int> steps_{0};

private:
    std::thread thread_;
};

class Counter : public Worker {
public:
    ~Counter() override
    {
        finish();
        steps_ += 10;
    }

protected:
    void step() override { steps_ += 2; }
};

int
main()
{
    Counter counter;

    counter.start();
    return 0;
}
