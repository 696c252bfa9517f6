/* SPDX-License-Identifier: Apache-2.0 */
/*
 * BURL-KIND: pass
 * BURL-CFLAGS: -O1 -std=c++20
 * BURL-ARGS: --runs=500
 * BURL-WHY: The threads only read the common string and build their own.
 */
#include <string>
#include <thread>

int
main()
{
    std::string line = "a line that is too long for the small buffer";
    std::string mine[2];
    auto say = [&](int i) {
        mine[i] = line + '!';
    };
    std::thread a(say, 0);
    std::thread b(say, 1);

    a.join();
    b.join();
    return mine[0] == mine[1] ? 0 : 1;
}
