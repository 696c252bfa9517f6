/* SPDX-License-Identifier: Apache-2.0 */
/*
 * BURL-KIND: pass
 * BURL-CFLAGS: -O1 -std=c++20
 * BURL-ARGS: --runs=500
 * BURL-WHY: std::call_once alone decides.
 */
#include <mutex>
#include <thread>

static std::once_flag once;
static int handle;

static int
connection()
{
    std::call_once(once, [] { handle = 17; });
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
