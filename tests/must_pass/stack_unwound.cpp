/* SPDX-License-Identifier: Apache-2.0 */
/*
 * BURL-KIND: pass
 * BURL-CFLAGS: -O1
 * BURL-ARGS: --runs=300
 * BURL-ENGINES: both
 * BURL-WHY: Exceptions and longjmp leave frames, destructors use variables of frames that are being
 *   left, a thread uses memory that alloca gave another, and a signal handler runs on the stack.
 */
#include <alloca.h>
#include <csignal>
#include <csetjmp>

#include <cassert>
#include <mutex>
#include <stdexcept>
#include <thread>

static std::mutex lock;
static int total;
static jmp_buf *place;
static volatile int *handled;

struct adder {
    int *value;
    ~adder()
    {
        std::lock_guard<std::mutex> hold(lock);
        total += *value;
    }
};

[[gnu::noinline]] static void
deep(int n, int *out)
{
    int local = n;
    adder a{ &local };

    if (n == 0)
        throw std::runtime_error("deep enough");
    deep(n - 1, &local);
    *out += local;
}

[[gnu::noinline]] static void
jump(int n, int *p)
{
    int q = *p + n;

    if (n == 0)
        longjmp(*place, 1);
    jump(n - 1, &q);
    *p = q;
}

static void
on_signal(int)
{
    volatile int here = 1;

    *handled += here;
}

static void
work()
{
    int rest = 0;
    char *bytes = static_cast<char *>(alloca(1000));

    try {
        deep(5, &rest);
    } catch (const std::exception &) {
        std::lock_guard<std::mutex> hold(lock);
        total += rest;
    }
    bytes[3] = 4;
    std::thread([bytes] { bytes[3]++; }).join();
    assert(bytes[3] == 5);
}

int
main()
{
    jmp_buf here;
    int k = 1;
    volatile int signals = 0;

    place = &here;
    handled = &signals;
    std::signal(SIGUSR1, on_signal);
    std::thread a(work), b(work);
    a.join();
    b.join();
    assert(total == 30);
    if (setjmp(here) == 0)
        jump(4, &k);
    std::thread([&k] { k++; }).join();
    std::raise(SIGUSR1);
    assert(signals == 1);
    return 0;
}
