/* SPDX-License-Identifier: Apache-2.0 */
/*
 * BURL-KIND: pass
 * BURL-CFLAGS: -O1 -std=c++20
 * BURL-ARGS: --runs=1000
 * BURL-WHY: shared_mutex: readers share, the writer is alone; shared_timed_mutex gives up in
 *   time.
 */
#include <cassert>
#include <chrono>
#include <map>
#include <mutex>
#include <shared_mutex>
#include <string>
#include <thread>

class PhoneBook {
public:
    void add(const std::string &name, int number)
    {
        std::unique_lock<std::shared_mutex> lock(mutex_);

        numbers_[name] = number;
    }

    int find(const std::string &name)
    {
        std::shared_lock<std::shared_mutex> lock(mutex_);
        auto it = numbers_.find(name);

        return it == numbers_.end() ? -1 : it->second;
    }

private:
    std::shared_mutex mutex_; // guards numbers_
    std::map<std::string, int> numbers_;
};

int
main()
{
    PhoneBook book;
    std::shared_timed_mutex timed;
    std::thread writer([&book] {
        book.add("ada", 1);
        book.add("bob", 2);
    });
    std::thread reader([&book] {
        int bob = book.find("bob");

        assert(bob == -1 || bob == 2);
        assert(bob == -1 || book.find("ada") == 1);
    });

    writer.join();
    reader.join();
    assert(book.find("bob") == 2);

    timed.lock();
    std::thread late([&timed] {
        assert(!timed.try_lock_shared_for(std::chrono::milliseconds(1)));
        assert(!timed.try_lock());
    });
    late.join();
    timed.unlock();
    return 0;
}
