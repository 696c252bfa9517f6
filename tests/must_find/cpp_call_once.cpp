/* SPDX-License-Identifier: Apache-2.0 */
/*
 * BURL-KIND: crash.abort
 * BURL-CFLAGS: -O1 -std=c++20
 * BURL-ARGS: --runs=3000 --stop-at-first
 * BURL-WHY: A flag of its own says that the catalog is built and is set before the building is
 *   complete; the second thread takes a half-built catalog.
 */
#include <atomic>
#include <cassert>
#include <mutex>
#include <thread>

class Catalog {
public:
    int price(int item)
    {
        if (!built_.exchange(true))
            build();
        return prices_[item].load();
    }

private:
    void build()
    {
        for (int i = 0; i < n_items; i++)
            prices_[i].store(100 + i);
    }

    static constexpr int n_items = 3;
    std::atomic<bool> built_{false};
    std::atomic<int> prices_[n_items] = {};
};

int
main()
{
    Catalog catalog;
    auto check = [&catalog] { assert(catalog.price(2) == 102); };
    std::thread a(check);
    std::thread b(check);

    a.join();
    b.join();
    return 0;
}
