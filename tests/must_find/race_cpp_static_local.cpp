/* SPDX-License-Identifier: Apache-2.0 */
/*
 * BURL-KIND: race.data
 * BURL-CFLAGS: -O1 -std=c++20
 * BURL-ARGS: --runs=1000
 * BURL-WHY: A hand-made lazy singleton: two threads may both find the pointer null, and a third
 *   read it half published.
 */
#include <thread>

class Registry {
public:
    static Registry &instance()
    {
        if (instance_ == nullptr)
            instance_ = new Registry;
        return *instance_;
    }

    int size() const { return size_; }

private:
    Registry() : size_(4) {}

    int size_;
    static Registry *instance_;
};

Registry *Registry::instance_;

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
