/* SPDX-License-Identifier: Apache-2.0 */
/*
 * BURL-ROWS: pthread_once
 * std::call_once is made of pthread_once: a function that throws has not been run.
 */
#include <cassert>
#include <mutex>
#include <stdexcept>
#include <thread>

static std::once_flag flag;
static int attempts;
static int done;

static void
set_up()
{
    if (++attempts < 3)
        throw std::runtime_error("not yet");
    done++;
}

static void
use()
{
    for (;;) {
        try {
            std::call_once(flag, set_up);
            break;
        } catch (const std::runtime_error &) {
        }
    }
    assert(done == 1 && attempts == 3);
}

int
main()
{
    std::thread a(use);
    std::thread b(use);

    use();
    a.join();
    b.join();
    assert(done == 1 && attempts == 3);
    return 0;
}
