/* SPDX-License-Identifier: Apache-2.0 */
/*
 * BURL-KIND: pass
 * BURL-CFLAGS: -O1 -std=c++20
 * BURL-ARGS: --runs=500
 * BURL-WHY: The std::jthread is gone, and with it the thread, when the result is read.
 */
#include <stop_token>
#include <thread>

int
main()
{
    int rounds = 0;
    int seen;

    {
        std::jthread worker([&](std::stop_token stop) {
            for (int i = 0; i < 3 && !stop.stop_requested(); i++)
                rounds++;
        });

        worker.request_stop();
    }
    seen = rounds;
    return seen <= 3 ? 0 : 1;
}
