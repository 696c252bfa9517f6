/* SPDX-License-Identifier: Apache-2.0 */
/*
 * BURL-KIND: race.data|memory.use-after-free|memory.double-free|crash.signal
 * BURL-CFLAGS: -O1 -std=c++20
 * BURL-ARGS: --runs=1000
 * BURL-WHY: Two threads use one and the same shared_ptr object, one of them assigns to it: the
 *   count inside is safe, the pointer object is not.
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
    std::thread reader([&seen, &shape] {
        std::shared_ptr<Shape> mine = shape;

        seen = mine->corners;
    });

    shape = std::make_shared<Shape>(4);
    reader.join();
    return seen >= 3 ? 0 : 1;
}
