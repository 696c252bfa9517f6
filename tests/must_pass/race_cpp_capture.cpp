/* SPDX-License-Identifier: Apache-2.0 */
/*
 * BURL-KIND: pass
 * BURL-CFLAGS: -O1 -std=c++20
 * BURL-ARGS: --runs=500
 * BURL-WHY: The lambda captures the loop variable by value.
 */
#include <thread>
#include <vector>

int
main()
{
    std::vector<std::thread> threads;
    int results[3] = {};
    int i;

    for (i = 0; i < 3; i++)
        threads.emplace_back([&results, i] {
            int me = i;

            if (me < 3)
                results[me] = me + 1;
        });
    for (auto &t : threads)
        t.join();
    return results[0] <= 1 ? 0 : 1;
}
