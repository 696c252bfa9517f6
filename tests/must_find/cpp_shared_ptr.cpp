/* SPDX-License-Identifier: Apache-2.0 */
/*
 * BURL-KIND: memory.use-after-free | memory.double-free | crash.signal
 * BURL-CFLAGS: -O1 -std=c++20
 * BURL-ARGS: --runs=1000
 * BURL-WHY: The reference count of a shared_ptr is thread-safe, the shared_ptr itself is not:
 *   one thread copies it while another assigns to it, and the copy gets an object that is
 *   already gone.
 */
#include <cassert>
#include <memory>
#include <mutex>
#include <thread>

struct Route {
    int hops;
    int cost;
};

class RouteTable {
public:
    RouteTable() : current_(std::make_shared<const Route>(Route{1, 10})) {}

    std::shared_ptr<const Route> get()
    {
        return current_;
    }

    void set(int hops)
    {
        auto fresh = std::make_shared<const Route>(Route{hops, 10 * hops});

        current_ = std::move(fresh);
    }

private:
    std::mutex mutex_; // guards current_
    std::shared_ptr<const Route> current_;
};

int
main()
{
    RouteTable table;
    std::thread reader([&table] {
        std::shared_ptr<const Route> route = table.get();

        assert(route->cost == 10 * route->hops);
    });
    std::thread writer([&table] { table.set(2); });

    reader.join();
    writer.join();
    assert(table.get()->hops == 2);
    return 0;
}
