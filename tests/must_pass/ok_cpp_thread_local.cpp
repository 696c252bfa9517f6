/* SPDX-License-Identifier: Apache-2.0 */
/*
 * BURL-KIND: pass
 * BURL-CFLAGS: -O1 -std=c++20
 * BURL-ARGS: --runs=1000
 * BURL-ENGINES: both
 * BURL-WHY: thread_local objects are built and destroyed in their own thread, once each.
 */
#include <atomic>
#include <cassert>
#include <string>
#include <thread>

static std::atomic<int> n_built{0};
static std::atomic<int> n_destroyed{0};

class Buffer {
public:
    Buffer() { n_built.fetch_add(1); }
    ~Buffer() { n_destroyed.fetch_add(1); }

    std::string text;
};

static thread_local Buffer buffer;

static void
write_name(char c)
{
    for (int i = 0; i < 40; i++)
        buffer.text += c;
    assert(buffer.text == std::string(40, c));
}

int
main()
{
    std::thread a(write_name, 'a');
    std::thread b(write_name, 'b');

    a.join();
    b.join();
    assert(n_built.load() == 2);
    assert(n_destroyed.load() == 2);
    return 0;
}
