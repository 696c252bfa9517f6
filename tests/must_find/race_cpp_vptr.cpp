/* SPDX-License-Identifier: Apache-2.0 */
/*
 * BURL-KIND: race.data|crash.abort|crash.signal
 * BURL-CFLAGS: -O1 -std=c++20
 * BURL-ARGS: --runs=1000
 * BURL-WHY: The base class joins its thread in its destructor; by then the derived part is gone
 *   and the object's virtual table pointer has been changed under the thread.
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
    ~Counter() override { steps_ += 10; }

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
