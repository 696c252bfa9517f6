/* SPDX-License-Identifier: Apache-2.0 */
/*
 * BURL-KIND: pass
 * BURL-ENGINES: both
 * BURL-CFLAGS: -O1 -std=c++20
 * BURL-ARGS: --runs=1500
 * BURL-WHY: Two threads handle one exception, and whichever gives it up last destroys it: the C++
 *   library counts. Copies of std::runtime_error share their text in the same way.
 */
#include <cassert>
#include <exception>
#include <future>
#include <stdexcept>
#include <string>
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

static int
code_of(std::exception_ptr error)
{
    try {
        std::rethrow_exception(std::move(error));
    } catch (const Failure &f) {
        return *f.code;
    }
}

static std::size_t
length_of(std::runtime_error error)
{
    return std::string(error.what()).size();
}

int
main()
{
    std::exception_ptr error = std::make_exception_ptr(Failure(5));
    auto text = new std::runtime_error("the disk is full again");
    std::packaged_task<int()> task([]() -> int { throw Failure(7); });
    std::future<int> result = task.get_future();
    std::thread a([error] { assert(code_of(error) == 5); });
    std::thread b([copy = *text] { assert(length_of(copy) == 22); });
    std::thread c(std::move(task));

    assert(code_of(std::move(error)) == 5);
    delete text;
    try {
        result.get();
    } catch (const Failure &f) {
        assert(*f.code == 7);
    }
    a.join();
    b.join();
    c.join();
    return 0;
}
