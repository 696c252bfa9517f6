/* SPDX-License-Identifier: Apache-2.0 */
/*
 * BURL-KIND: race.data
 * BURL-CFLAGS: -O1 -std=c++20
 * BURL-ARGS: --runs=1000 --stop-at-first
 * BURL-WHY: The workers count the latch down before they write their result.
 */
#include <latch>
#include <thread>

int
main()
{
    std::latch done(2);
    int parts[2] = {};
    auto work = [&](int i) {
        done.count_down();
        parts[i] = i + 1;
    };
    std::thread a(work, 0);
    std::thread b(work, 1);
    int sum;

    done.wait();
    sum = parts[0] + parts[1];
    a.join();
    b.join();
    return sum <= 3 ? 0 : 1;
}
