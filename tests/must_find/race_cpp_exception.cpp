/* SPDX-License-Identifier: Apache-2.0 */
/*
 * BURL-KIND: race.data | memory.use-after-free
 * BURL-ENGINES: both
 * BURL-CFLAGS: -O1 -std=c++20
 * BURL-ARGS: --runs=1500
 * BURL-WHY: A thread keeps a pointer into an exception beyond its handler. The other thread that
 *   has the exception may be the last, and destroys it meanwhile.
 */
#include <cassert>
#include <exception>
#include <stdexcept>
#include <thread>

struct Failure {
    int *code;

    explicit Failure(int n) : code(new int(n)) {}
    Failure(const Failure &other) : code(new int(*other.code)) {}
    ~Failure()
    {
        *code = 0;
        delete code;
    }
};

static const int *
code_of(std::exception_ptr error)
{
    try {
        std::rethrow_exception(std::move(error));
    } catch (const Failure &f) {
        return f.code;
    }
}

int
main()
{
    std::exception_ptr error = std::make_exception_ptr(Failure(5));
    std::thread a([error]() mutable { code_of(std::move(error)); });
    const int *code = code_of(std::move(error));

    if (*code > 5)
        return 1;
    a.join();
    return 0;
}
