/* SPDX-License-Identifier: Apache-2.0 */
/*
 * BURL-KIND: pass
 * BURL-CFLAGS: -O1 -std=c++20
 * BURL-ARGS: --runs=1000
 * BURL-ENGINES: both
 * BURL-WHY: atomic wait and notify: the value is compared again inside wait, so no notification
 *   is lost.
 */
#include <atomic>
#include <cassert>
#include <thread>

static std::atomic<int> stage{0};
static std::atomic_flag finished = ATOMIC_FLAG_INIT;
static int payload;

int
main()
{
    std::thread consumer([] {
        stage.wait(0);
        assert(payload == 7);
        stage.store(2);
        stage.notify_all();
        finished.wait(false);
    });
    std::thread producer([] {
        payload = 7;
        stage.store(1);
        stage.notify_all();
        stage.wait(1);
        assert(stage.load() == 2);
        finished.test_and_set();
        finished.notify_one();
    });

    consumer.join();
    producer.join();
    return 0;
}
