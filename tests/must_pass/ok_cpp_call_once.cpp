/* SPDX-License-Identifier: Apache-2.0 */
/*
 * BURL-KIND: pass
 * BURL-CFLAGS: -O1 -std=c++20
 * BURL-ARGS: --runs=1000
 * BURL-WHY: call_once tries again after an initialization that threw, and a static local is
 *   built once.
 */
#include <atomic>
#include <cassert>
#include <mutex>
#include <stdexcept>
#include <thread>

static std::once_flag once;
static std::atomic<int> n_tries{0};
static std::atomic<int> n_built{0};

struct Table {
    Table() { n_built.fetch_add(1); }
    int value = 3;
};

static Table &
table()
{
    static Table the_table;

    return the_table;
}

static void
use()
{
    for (bool done = false; !done;) {
        try {
            std::call_once(once, [] {
                if (n_tries.fetch_add(1) == 0)
                    throw std::runtime_error("not yet");
            });
            done = true;
        } catch (const std::runtime_error &) {
        }
    }
    assert(table().value == 3);
}

int
main()
{
    std::thread a(use);
    std::thread b(use);

    a.join();
    b.join();
    assert(n_tries.load() == 2);
    assert(n_built.load() == 1);
    return 0;
}
