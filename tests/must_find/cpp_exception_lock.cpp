/* SPDX-License-Identifier: Apache-2.0 */
/*
 * BURL-KIND: misuse.exit-holding | deadlock.stuck | deadlock.cycle
 * BURL-CFLAGS: -O1 -std=c++20
 * BURL-ARGS: --runs=3000 --stop-at-first
 * BURL-ENGINES: both
 * BURL-WHY: An exception leaves the function between lock() and unlock(); the mutex stays locked
 *   and the next caller waits for ever.
 */
#include <cassert>
#include <mutex>
#include <stdexcept>
#include <thread>

class Account {
public:
    explicit Account(int balance) : balance_(balance) {}

    void withdraw(int amount)
    {
        mutex_.lock();
        if (balance_ < amount)
            throw std::runtime_error("not enough money");
        balance_ -= amount;
        mutex_.unlock();
    }

    void deposit(int amount)
    {
        std::lock_guard<std::mutex> guard(mutex_);

        balance_ += amount;
    }

    int balance()
    {
        std::lock_guard<std::mutex> guard(mutex_);

        return balance_;
    }

private:
    std::mutex mutex_; // guards balance_
    int balance_;
};

int
main()
{
    Account account(10);
    bool refused = false;
    std::thread earner([&account] { account.deposit(20); });
    std::thread spender([&account, &refused] {
        try {
            account.withdraw(25);
        } catch (const std::runtime_error &) {
            refused = true;
        }
    });

    earner.join();
    spender.join();
    assert(account.balance() == (refused ? 30 : 5));
    return 0;
}
