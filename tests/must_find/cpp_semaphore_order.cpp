/* SPDX-License-Identifier: Apache-2.0 */
/*
 * BURL-KIND: crash.abort | deadlock.stuck
 * BURL-ALSO: race.data
 * BURL-CFLAGS: -O1 -std=c++20
 * BURL-ARGS: --runs=3000
 * BURL-WHY: The two hand-over semaphores are released in the wrong order on the producer's side,
 *   so the consumer can take the slot before it is filled.
 */
#include <cassert>
#include <semaphore>
#include <thread>

class Slot {
public:
    void put(int value)
    {
        empty_.acquire();
        full_.release();
        value_ = value;
    }

    int take()
    {
        int value;

        full_.acquire();
        value = value_;
        empty_.release();
        return value;
    }

private:
    std::counting_semaphore<1> empty_{1};
    std::counting_semaphore<1> full_{0};
    int value_ = 0;
};

int
main()
{
    Slot slot;
    std::thread producer([&slot] {
        slot.put(1);
        slot.put(2);
    });
    std::thread consumer([&slot] {
        assert(slot.take() == 1);
        assert(slot.take() == 2);
    });

    producer.join();
    consumer.join();
    return 0;
}
