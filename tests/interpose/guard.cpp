/* SPDX-License-Identifier: Apache-2.0 */
/*
 * BURL-ROWS: __cxa_guard_acquire __cxa_guard_release __cxa_guard_abort
 * A static local variable is made once, the others wait until it is; a constructor that throws
 * lets the next one try. Under fibers the C++ library's own waiting would stop the carrier.
 */
#include <cassert>
#include <sched.h>
#include <stdexcept>
#include <thread>

static int attempts;
static int made;

struct Thing {
    int value;

    Thing()
    {
        if (++attempts < 2)
            throw std::runtime_error("not yet");
        sched_yield();
        value = 42;
        sched_yield();
        made++;
    }
};

static Thing &
thing()
{
    static Thing t;

    return t;
}

static void
use()
{
    for (;;) {
        try {
            assert(thing().value == 42);
            break;
        } catch (const std::runtime_error &) {
        }
    }
    assert(made == 1);
}

int
main()
{
    std::thread a(use);
    std::thread b(use);

    use();
    a.join();
    b.join();
    assert(made == 1 && attempts == 2);
    return 0;
}
