#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# burl run: a lock that a guard of the C++ library takes has the name of the member, as in burl test. A free run
# has no trace that leads through the library to it.
. "$BURL_TEST_ROOT/tests/support/lib.inc"

cat >half.cpp <<'SRC'
#include <mutex>
#include <shared_mutex>
#include <thread>
class Counter {
    std::shared_mutex mutex_, other_;
    int value_ = 0;
  public:
    void add(int how)
    {
        if (how == 0) {
            std::lock_guard<std::shared_mutex> guard(mutex_);
            value_++;
        } else if (how == 1) {
            std::unique_lock<std::shared_mutex> guard(mutex_);
            value_++;
        } else if (how == 2) {
            std::scoped_lock guard(mutex_);
            value_++;
        } else if (how == 3) {
            std::shared_lock<std::shared_mutex> guard(mutex_);
            value_++;
        } else if (how == 4) {
            mutex_.lock();
            value_++;
            mutex_.unlock();
        } else {
            std::scoped_lock both(other_, mutex_);
            value_++;
        }
    }
    int get() const { return value_; }
};
int main(int argc, char **)
{
    Counter *c = new Counter;
    int n = 0;
    std::thread t([=] { c->add(argc - 1); });
    n += c->get();
    t.join();
    n += c->get();
    delete c;
    return n > 2;
}
SRC
for o in -O0 -O2; do
    "$BURL" c++ -std=c++17 -g $o half.cpp -o half || fail "half.cpp $o"
    set --
    for how in lock_guard unique_lock scoped_lock shared_lock lock; do
        run 1 "$BURL" run --dir=store ./half "$@"
        cat out err >all
        has all 'holds Counter::mutex_'
        set -- "$@" x
    done
    # Two locks in one call: it is not known which of them is which.
    run 1 "$BURL" run --dir=store ./half "$@"
    cat out err >all
    [ "$(grep -c 'holds Counter::mutex_' all)" -le 1 ] || fail "two locks have one name: $(grep holds all)"
done
