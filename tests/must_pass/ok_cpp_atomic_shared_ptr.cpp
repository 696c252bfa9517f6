// SPDX-License-Identifier: Apache-2.0
/*
 * BURL-KIND: pass
 * BURL-CFLAGS: -std=c++20 -O1
 * BURL-ARGS: --runs=500
 * BURL-WHY: std::atomic<std::shared_ptr>: a writer replaces the configuration while a reader loads
 *   it, and both push to a list. How the library protects its own pointer is no race.
 */
#include <atomic>
#include <cassert>
#include <memory>
#include <thread>
#include <utility>

struct config {
    int low, high;
};

struct node {
    int value;
    std::shared_ptr<node> next;
};

static std::atomic<std::shared_ptr<const config>> current;
static std::atomic<std::shared_ptr<node>> head;

static void
push(int value)
{
    auto n = std::make_shared<node>(value, head.load());

    while (!head.compare_exchange_weak(n->next, n))
        ;
}

int
main()
{
    current.store(std::make_shared<const config>(1, 1));
    std::thread writer([] {
        current.store(std::make_shared<const config>(2, 2));
        push(1);
    });
    const auto seen = current.load();
    push(2);
    assert(seen->low == seen->high);
    writer.join();

    int sum = 0;
    for (auto n = head.load(); n != nullptr; n = n->next)
        sum += n->value;
    assert(sum == 3);
    head.store(nullptr);
    return 0;
}
