/* SPDX-License-Identifier: Apache-2.0 */
/*
 * BURL-KIND: pass
 * BURL-CFLAGS: -O1 -std=c++20
 * BURL-ARGS: --runs=1000
 * BURL-WHY: std::call_once lets no thread pass before the catalog is complete.
 */
#include <atomic>
#include <cassert>
#include <mutex>
#include <thread>

class Catalog {
public:
    int price(int item)
    {
        std::call_once(built_, [this] { build(); });
        return prices_[item].load();
    }

private:
    void build()
    {
        for (int i = 0; i < n_items; i++)
            prices_[i].store(100 + i);
    }

    static constexpr int n_items = 3;
    std::once_flag built_;
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
