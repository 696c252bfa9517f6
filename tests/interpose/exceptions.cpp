/* SPDX-License-Identifier: Apache-2.0 */
/*
 * BURL-ROWS: __cxa_end_catch _ZNSt15__exception_ptr13exception_ptr10_M_releaseEv
 *   _ZNSt13runtime_errorD0Ev _ZNSt13runtime_errorD1Ev _ZNSt13runtime_errorD2Ev
 *   _ZNSt11logic_errorD0Ev _ZNSt11logic_errorD1Ev _ZNSt11logic_errorD2Ev
 *   _ZNSs4_Rep10_M_destroyERKSaIcE
 * BURL-CFLAGS: -O1 -std=c++20
 * An exception lives as long as a handler or an exception_ptr has it, and no longer. What the
 * threads did with it, and with the text that copies share, comes before its end: without the
 * wrappers each of these is a data race.
 */
#include <cassert>
#include <exception>
#include <stdexcept>
#include <string>
#include <thread>

static int alive;

struct Counted {
    int value = 3;

    Counted() { alive++; }
    Counted(const Counted &other) : value(other.value) { alive++; }
    ~Counted()
    {
        value = 0;
        alive--;
    }
};

static void
handle(std::exception_ptr error)
{
    try {
        std::rethrow_exception(std::move(error));
    } catch (const Counted &c) {
        assert(c.value == 3);
        try {
            throw;
        } catch (const Counted &again) {
            assert(&again == &c);
        }
        assert(c.value == 3);
    }
}

static void
nested()
{
    try {
        throw Counted();
    } catch (const Counted &outer) {
        try {
            throw Counted();
        } catch (const Counted &inner) {
            assert(alive == 2 && &inner != &outer);
        }
        assert(alive == 1 && outer.value == 3);
    }
    assert(alive == 0);
}

static void
handle_from_two()
{
    std::exception_ptr error = std::make_exception_ptr(Counted());
    std::thread other(handle, error);

    handle(std::move(error));
    other.join();
    assert(alive == 0);
}

/* Deleted by a pointer, destroyed in place, and destroyed as the base of another. */
template <class Error> static void
share_text()
{
    auto *first = new Error("a text on the heap, which copies share");
    auto read = [](const Error &e) { assert(std::string(e.what()).size() == 38); };
    std::thread by_value([read, copy = *first] { read(copy); });
    std::thread deleted([read, copy = new Error(*first)] {
        read(*copy);
        delete copy;
    });

    read(*first);
    delete first;
    by_value.join();
    deleted.join();
}

int
main()
{
    nested();
    handle_from_two();
    share_text<std::runtime_error>();
    share_text<std::logic_error>();
    share_text<std::range_error>();
    share_text<std::out_of_range>();
    return 0;
}
