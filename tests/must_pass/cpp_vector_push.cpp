/* SPDX-License-Identifier: Apache-2.0 */
/*
 * BURL-KIND: pass
 * BURL-CFLAGS: -O1 -std=c++20
 * BURL-ARGS: --runs=1000
 * BURL-ENGINES: both
 * BURL-WHY: A mutex guards the vector.
 */
#include <cassert>
#include <mutex>
#include <thread>
#include <vector>

class Journal {
public:
    void add(long entry)
    {
        std::lock_guard<std::mutex> guard(mutex_);

        entries_.push_back(entry);
    }

    std::size_t size()
    {
        std::lock_guard<std::mutex> guard(mutex_);

        return entries_.size();
    }

private:
    std::mutex mutex_; // guards entries_
    std::vector<long> entries_;
};

int
main()
{
    Journal journal;
    auto fill = [&journal] {
        for (long i = 0; i < 3; i++)
            journal.add(i);
    };
    std::thread a(fill);
    std::thread b(fill);

    a.join();
    b.join();
    assert(journal.size() == 6);
    return 0;
}
