/* SPDX-License-Identifier: Apache-2.0 */
/*
 * BURL-KIND: pass
 * BURL-CFLAGS: -O1 -std=c++20
 * BURL-ARGS: --runs=500
 * BURL-WHY: release() orders what was done before it in front of the acquire() that takes it.
 */
#include <semaphore>
#include <thread>

int
main()
{
    std::counting_semaphore<4> filled(0);
    std::binary_semaphore lock(1);
    int slot = 0;
    int uses = 0;
    int got;
    std::thread producer([&] {
        slot = 5;
        filled.release();
        lock.acquire();
        uses++;
        lock.release();
    });

    filled.acquire();
    got = slot;
    lock.acquire();
    uses++;
    lock.release();
    producer.join();
    return (got == 5 || got == 0) && uses == 2 ? 0 : 1;
}
