/* SPDX-License-Identifier: Apache-2.0 */
/*
 * BURL-KIND: race.data
 * BURL-CFLAGS: -O1 -std=c++20
 * BURL-ARGS: --runs=1000 --stop-at-first
 * BURL-WHY: The flag that std::call_once made superfluous is still there, and read outside it.
 */
#include <mutex>
#include <thread>

static std::once_flag once;
static bool connected;
static int handle;

static int
connection()
{
    if (!connected)
        std::call_once(once, [] {
            handle = 17;
            connected = true;
        });
    return handle;
}

int
main()
{
    int got[2];
    std::thread a([&] { got[0] = connection(); });
    std::thread b([&] { got[1] = connection(); });

    a.join();
    b.join();
    return got[0] == 17 && got[1] == 17 ? 0 : 1;
}
