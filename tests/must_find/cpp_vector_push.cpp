/* SPDX-License-Identifier: Apache-2.0 */
/*
 * BURL-KIND: memory.use-after-free | memory.double-free | memory.overflow | crash.abort
 * BURL-CFLAGS: -O1 -std=c++20
 * BURL-ARGS: --runs=1000
 * BURL-ENGINES: both
 * BURL-WHY: Two threads push into the same vector; one uses the old array while the other moves
 *   to a bigger one and frees it, or a push is lost.
 */
#include <cassert>
#include <mutex>
#include <thread>
#include <vector>

class Journal {
public:
    void add(long entry)
    {
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
