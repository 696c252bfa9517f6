/* SPDX-License-Identifier: Apache-2.0 */
/*
 * BURL-KIND: pass
 * BURL-CFLAGS: -O1 -std=c++20
 * BURL-ARGS: --runs=500
 * BURL-WHY: release() orders what was done before it in front of the acquire() that takes it. Each
 *   count goes up once only: in libstdc++ of GCC 12 one that goes down and up again while a thread
 *   is about to sleep leaves it asleep for ever, which is a finding.
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
        slot = 5;
        filled.release();
        emptied.acquire();
        uses++;
    });

    filled.acquire();
    got = slot;
    uses++;
    emptied.release();
    producer.join();
    return got == 5 && uses == 2 ? 0 : 1;
}
