#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# BURL-TIMEOUT: 300
#
# An object has one name in a report and in a campaign: a mutex that is locked through guards and
# released by a condition variable, the condition variable in a wait that blocks, the member that a
# sentence is about. Types are spelled as in the source also where an order of a race ends with one.
set -u

. "$BURL_TEST_ROOT/tests/support/lib.inc"

cat >queue.cpp <<'SRC'
#include <condition_variable>
#include <deque>
#include <memory>
#include <mutex>
#include <thread>

namespace bank {
template <class T> class Queue {
    std::mutex mutex_;
    std::condition_variable cv_;
    std::deque<T> items_;
    bool closed_ = false;

public:
    void push(T item)
    {
        std::unique_lock<std::mutex> lock(mutex_);
        items_.push_back(std::move(item));
        cv_.notify_one();
    }
    bool pop(T &out)
    {
        std::unique_lock<std::mutex> lock(mutex_);
        while (items_.empty() && !closed_)
            cv_.wait(lock);
        if (items_.empty())
            return false;
        out = std::move(items_.front());
        items_.pop_front();
        return true;
    }
    void close() // wrong: without the mutex
    {
        closed_ = true;
        cv_.notify_all();
    }
};
}

int main()
{
    bank::Queue<std::shared_ptr<int>> q;
    std::thread c([&] { std::shared_ptr<int> p; while (q.pop(p)) {} });
    std::thread d([&] { q.push(std::make_shared<int>(7)); q.close(); });
    c.join();
    d.join();
}
SRC
for level in 0 2; do
    "$BURL" c++ -g -O$level queue.cpp -o queue$level -lpthread || fail "cannot build queue at -O$level"
    run 1 "$BURL" test --seed=1 --strategy=exhaustive --time=120s --dir=queue$level.d ./queue$level
    has out ': deadlock.stuck'
    has out 'lock q.mutex_'
    has out 'wait(q.cv_)'
    has out 'wait q.cv_: forever'
    # No other names of the two: as a member of its class, or as the source line has it.
    hasnt out '::mutex_'
    hasnt out 'wait(cv_)'
    hasnt out 'lock mutex_'
    hasnt out 'wait cv_'
done

# The lock of a deadlock is data of the thread library: its construction is no step.
cat >accounts.cpp <<'SRC'
#include <mutex>
#include <stdexcept>
#include <thread>
class Account {
public:
    explicit Account(int n) : balance(n) {}
    int balance;
    std::mutex m;
};
static void transfer(Account &from, Account &to)
{
    std::lock_guard<std::mutex> g(from.m);
    std::lock_guard<std::mutex> h(to.m);
    from.balance--;
    to.balance++;
}
int main()
{
    Account a(10), b(20);
    std::thread t([&] { transfer(a, b); });
    std::thread u([&] { transfer(b, a); });
    t.join();
    u.join();
}
SRC
"$BURL" c++ -g -O0 accounts.cpp -o accounts -lpthread || fail "cannot build accounts"
run 1 "$BURL" test --seed=1 --strategy=exhaustive --time=120s --dir=accounts.d ./accounts
has out "wait for each other's locks: T1 holds a.m, T2 holds b.m"
hasnt out 'write a.m'
hasnt out 'write b.m'
# A narrow table leaves out the operation, and not the thread that runs next.
run 0 env COLUMNS=40 "$BURL" show --dir=accounts.d 1
grep -q 'preempt T[12]; run T[12] ' out || fail "no switch: $(cat out)"

cat >hits.cpp <<'SRC'
#include <stdexcept>
#include <thread>
struct Page {
    int hits = 0;
    void hit() { hits++; }
};
int main()
{
    Page page;
    std::thread t([&] { page.hit(); });
    std::thread u([&] { page.hit(); });
    t.join();
    u.join();
    if (page.hits != 2)
        throw std::runtime_error("lost a hit");
}
SRC
"$BURL" c++ -g -O1 hits.cpp -o hits -lpthread || fail "cannot build hits"
run 1 "$BURL" test --seed=1 --strategy=exhaustive --time=120s --dir=hits.d ./hits
has out 'writes page.hits at line 5 between'
has out 'exception of type std::runtime_error'
hasnt out 'St13runtime_error'

# What is inside a container is called by the variable that the container is in, wherever the code is.
cat >words.cpp <<'SRC'
#include <map>
#include <mutex>
#include <string>
#include <thread>
class Words {
    mutable std::mutex mutex_;
    std::map<std::string, int> counts_;

public:
    void add(const std::string &word)
    {
        std::lock_guard<std::mutex> guard(mutex_);
        counts_[word]++;
    }
    int of(const std::string &word) const
    {
        std::lock_guard<std::mutex> guard(mutex_);
        auto it = counts_.find(word);
        return it == counts_.end() ? 0 : it->second;
    }
};
static void count(Words *words) { words->add("one"); }
int main()
{
    Words words;
    std::thread t(count, &words);
    words.add("two");
    t.join();
    return words.of("three") + 7; // fails in every execution
}
SRC
"$BURL" c++ -g -O1 words.cpp -o words -lpthread || fail "cannot build words"
run 1 "$BURL" test --seed=1 --runs=20 --dir=words.d ./words
run 1 "$BURL" replay --trace --dir=words.d 1
has out 'write words.counts_ (inside std::map::operator[])'
has out 'lock words.mutex_'
hasnt out 'Words::mutex_'
hasnt out 'Words::counts_ (inside'

# Two locks in variables of one name are told apart.
cat >boxes.cpp <<'SRC'
#include <mutex>
#include <thread>
struct Box {
    std::mutex m;
    int n = 0;
    void add() { std::lock_guard<std::mutex> g(m); n++; }
};
static void work(int) { Box box; box.add(); }
int main()
{
    std::thread t(work, 1), u(work, 2);
    t.join();
    u.join();
    return 7;
}
SRC
"$BURL" c++ -g -O0 boxes.cpp -o boxes -lpthread || fail "cannot build boxes"
run 1 "$BURL" test --seed=1 --runs=20 --dir=boxes.d ./boxes
run 1 "$BURL" replay --trace --dir=boxes.d 1
grep -o ' lock [^ ]*m#[0-9] ' out | sort -u >names
[ "$(wc -l <names)" -eq 2 ] || fail "names: $(cat names)"

# An element of an array is that element everywhere; a function keeps its own name where the template
# arguments of its class leave no room.
cat >slots.cpp <<'SRC'
#include <string>
#include <thread>
namespace app { namespace configuration {
template <class K, class V> class Registry {
    int slots_[4] = {};

public:
    void hit() { slots_[2]++; }
};
} }
static int table[3];
static app::configuration::Registry<std::string, std::string> registry;
static void work()
{
    table[1]++;
    registry.hit();
}
int main()
{
    std::thread t(work), u(work);
    t.join();
    u.join();
}
SRC
"$BURL" c++ -g -O1 slots.cpp -o slots -lpthread || fail "cannot build slots"
run 1 "$BURL" test --seed=1 --strategy=exhaustive --time=120s --dir=slots.d ./slots
has out 'data race on table[1] (global'
hasnt out 'table[]'
has out 'data race on registry.slots_[2] (global'
has out '#0  app::configuration::Registry::hit  '

# A thread-local variable of C++ is reached through a function that the compiler adds. And no two lines
# about the places of a race are equal.
cat >local.cpp <<'SRC'
#include <thread>
struct Parser {
    int depth;
    int limit = 10;
};
static thread_local Parser parser;
static Parser *other;
static void give(std::thread *reader)
{
    parser.depth = 3;
    other = &parser;
    std::thread t([] { if (other->depth > 0 && other->depth < other->limit) other->depth = 0; });
    parser.depth = 4;
    t.join();
    *reader = std::thread();
}
int main()
{
    std::thread reader;
    std::thread t(give, &reader);
    t.join();
}
SRC
"$BURL" c++ -g -O0 local.cpp -o local -lpthread || fail "cannot build local"
run 1 "$BURL" test --seed=1 --strategy=exhaustive --time=120s --dir=local.d ./local
has out 'data race on parser'
hasnt out '_ZTW'
sed -n '/^  also on this variable/,/^$/p' out | sort | uniq -d | grep ':' >twice
[ ! -s twice ] || fail "the same line twice: $(cat twice)"
