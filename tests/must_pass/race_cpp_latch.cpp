/* SPDX-License-Identifier: Apache-2.0 */
/*
 * BURL-KIND: pass
 * BURL-CFLAGS: -O1 -std=c++20
 * BURL-ARGS: --runs=500
 * BURL-WHY: What was done before count_down() happens before wait() returns.
 */
#include <latch>
#include <thread>

int
main()
{
    std::latch done(2);
    int parts[2] = {};
    auto work = [&](int i) {
        parts[i] = i + 1;
        done.count_down();
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
