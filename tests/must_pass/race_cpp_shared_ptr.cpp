/* SPDX-License-Identifier: Apache-2.0 */
/*
 * BURL-KIND: pass
 * BURL-CFLAGS: -O1 -std=c++20
 * BURL-ARGS: --runs=500
 * BURL-WHY: Each thread has its own shared_ptr to the common object; the last one destroys it.
 */
#include <memory>
#include <thread>

struct Shape {
    explicit Shape(int n) : corners(n) {}

    int corners;
};

int
main()
{
    std::shared_ptr<Shape> shape = std::make_shared<Shape>(3);
    int seen = 0;
    std::thread reader([&seen, shape] {
        std::shared_ptr<Shape> mine = shape;

        seen = mine->corners;
    });

    shape = std::make_shared<Shape>(4);
    reader.join();
    return seen >= 3 ? 0 : 1;
}
