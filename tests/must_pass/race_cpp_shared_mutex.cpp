/* SPDX-License-Identifier: Apache-2.0 */
/*
 * BURL-KIND: pass
 * BURL-CFLAGS: -O1 -std=c++20
 * BURL-ARGS: --runs=500
 * BURL-WHY: A missing entry is computed under the exclusive lock.
 */
#include <mutex>
#include <shared_mutex>
#include <thread>

class Squares {
public:
    int of(int n)
    {
        {
            std::shared_lock<std::shared_mutex> lock(mutex_);

            if (known_[n])
                return value_[n];
        }
        std::unique_lock<std::shared_mutex> lock(mutex_);

        value_[n] = n * n;
        known_[n] = true;
        return value_[n];
    }

private:
    std::shared_mutex mutex_; // guards both
    bool known_[4] = {};
    int value_[4] = {};
};

int
main()
{
    Squares squares;
    int r[2];
    std::thread a([&] { r[0] = squares.of(3); });
    std::thread b([&] { r[1] = squares.of(3); });

    a.join();
    b.join();
    return r[0] == 9 && r[1] == 9 ? 0 : 1;
}
