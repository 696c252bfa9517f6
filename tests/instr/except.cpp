// SPDX-License-Identifier: Apache-2.0
// The shadow stack must be right again after an exception was caught and after a longjmp:
// the depth at which probe() is entered is what the test looks at.
#include <csetjmp>
#include <cstdio>
#include <stdexcept>

static std::jmp_buf env;
volatile int sink;

extern "C" __attribute__((noinline)) void probe(int) { sink = sink + 1; }

struct Guard {
    ~Guard() { sink = sink + 1; }
};

__attribute__((noinline)) static void thrower(int n)
{
    Guard g;
    if (n == 0)
        throw std::runtime_error("x");
    thrower(n - 1);
    sink = sink + 1;
}

__attribute__((noinline)) static void jumper(int n)
{
    if (n == 0)
        std::longjmp(env, 1);
    jumper(n - 1);
    sink = sink + 1;
}

int main()
{
    probe(1);
    try {
        thrower(5);
    } catch (const std::exception &) {
        probe(2);
    }
    probe(3);
    if (setjmp(env) == 0)
        jumper(4);
    probe(4);
    return 0;
}
