/* SPDX-License-Identifier: Apache-2.0 */
/*
 * BURL-KIND: race.data|memory.use-after-free|memory.double-free|memory.overflow|crash.signal
 * BURL-CFLAGS: -O1 -std=c++20
 * BURL-ARGS: --runs=1000
 * BURL-WHY: Two threads append to one string.
 */
#include <string>
#include <thread>

int
main()
{
    std::string line = "a line that is too long for the small buffer";
    std::string mine[2];
    auto say = [&](int i) {
        line += '!';
        mine[i] = "x";
    };
    std::thread a(say, 0);
    std::thread b(say, 1);

    a.join();
    b.join();
    return mine[0] == mine[1] ? 0 : 1;
}
