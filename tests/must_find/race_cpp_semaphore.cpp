/* SPDX-License-Identifier: Apache-2.0 */
/*
 * BURL-KIND: race.data
 * BURL-CFLAGS: -O1 -std=c++20
 * BURL-ARGS: --runs=1000 --stop-at-first
 * BURL-WHY: The slot is filled after the semaphore that announces it was released.
 */
#include <semaphore>
#include <thread>

int
main()
{
    std::counting_semaphore<4> filled(0);
    std::binary_semaphore emptied(0);
    int slot = 0;
    int uses = 0;
    int got;
    std::thread producer([&] {
        filled.release();
        slot = 5;
        emptied.acquire();
        uses++;
    });

    filled.acquire();
    got = slot;
    uses++;
    emptied.release();
    producer.join();
    return (got == 5 || got == 0) && uses == 2 ? 0 : 1;
}
