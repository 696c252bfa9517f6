/* SPDX-License-Identifier: Apache-2.0 */
/*
 * BURL-KIND: pass
 * BURL-CFLAGS: -O1 -std=c++20
 * BURL-ARGS: --runs=500
 * BURL-WHY: A static local variable: the language initializes it once and orders that before
 *   every use.
 */
#include <thread>

class Registry {
public:
    static Registry &instance()
    {
        static Registry registry;

        return registry;
    }

    int size() const { return size_; }

private:
    Registry() : size_(4) {}

    int size_;
};

int
main()
{
    int sizes[2];
    std::thread a([&] { sizes[0] = Registry::instance().size(); });
    std::thread b([&] { sizes[1] = Registry::instance().size(); });

    a.join();
    b.join();
    return sizes[0] == sizes[1] ? 0 : 1;
}
