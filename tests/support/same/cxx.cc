// SPDX-License-Identifier: Apache-2.0
// Threads, locks, atomics and containers of C++, in a fixed order.
#include <atomic>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

namespace {

struct account {
    std::mutex lock;
    long balance = 0;
    std::string owner;
};

std::vector<int> numbers;
std::map<int, std::string> names;
std::atomic<int> counter;
account shared;

void deposit(long n)
{
    std::lock_guard<std::mutex> hold(shared.lock);

    shared.balance += n;
    shared.owner += "x";
}

void fill(int from)
{
    for (int i = 0; i < 20; i++)
        numbers.push_back(from + i);
    names[from] = "a name that does not fit into the string itself";
    counter++;
}

void alone(void (*f)(int), int arg)
{
    std::thread t(f, arg);

    t.join();
}

} // namespace

int main()
{
    auto kept = std::make_shared<account>();

    alone(fill, 1);
    alone(fill, 2);
    for (int i = 0; i < 3; i++) {
        std::thread t(deposit, i);

        t.join();
    }
    std::thread own([kept] { kept->balance++; });
    own.join();
    kept->balance++;
    return numbers.size() + names.size() + shared.balance + kept->balance + counter == 0;
}
