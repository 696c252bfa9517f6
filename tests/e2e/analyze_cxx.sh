#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# BURL-TIMEOUT: 480
#
# tests/e2e/analyze_cxx.sh - what the static target knows of C++: threads that containers hold and
# when they have ended, locks for many readers, several locks at once.
set -eu
analyze=${BURL%/*}/burl-analyze
. "$BURL_TEST_ROOT/tests/support/lib.inc"

# Main reads x when all threads have ended: that read can only be the later one of a pair. Each case
# in both forms of the code that the compiler has for it.
# The headers are read once for each form: they take longer than all the rest.
printf '#include <%s>\n' array thread vector >std.hpp
"$BURL" c++ -std=c++17 -O2 -g -x c++-header std.hpp -o 17.pch
"$BURL" c++ -std=c++20 -O0 -g -x c++-header std.hpp -o 20.pch
joined() { # EXPECTED-READS NAME BODY
    printf '%s\n' '#include "std.hpp"' 'static int x;' \
        'static void work(int n) { x += n; }' "int main() { $3 }" >"$2.cpp"
    for flags in "-std=c++17 -O2 -include-pch 17.pch" "-std=c++20 -O0 -include-pch 20.pch"; do
        # shellcheck disable=SC2086
        "$BURL" c++ $flags -g "$2.cpp" -o prog -lpthread || fail "$2 does not build"
        "$analyze" prog -o t
        got=$(grep -c '^site [0-9a-f]* [0-9]* re roots 0 locks -$' t) || :
        [ "$got" = "$1" ] || fail "$2 $flags: $got reads after all threads, not $1"
    done
}
vector='std::vector<std::thread> ts; ts.emplace_back(work, 1);'
all='for (auto &t : ts) t.join();'

joined 1 emplaced "std::vector<std::thread> ts; for (int i = 0; i < 2; i++) ts.emplace_back(work, i);
    $all return x;"
joined 1 pushed 'std::vector<std::thread> ts; ts.reserve(2); ts.push_back(std::thread(work, 1));
    ts.push_back(std::thread([] { work(2); })); for (size_t i = 0; i < ts.size(); i++) ts[i].join();
    return x;'
joined 1 array "std::thread ts[2]; for (int i = 0; i < 2; i++) ts[i] = std::thread(work, i);
    $all return x;"
joined 1 std_array "std::array<std::thread, 2> ts; for (auto &t : ts) t = std::thread(work, 1);
    $all return x;"
joined 1 joinable "$vector for (auto &t : ts) if (t.joinable()) t.join(); return x;"
joined 1 destroyed "{ $vector $all } return x;"
joined 1 one 'std::thread t; t = std::thread(work, 1); t.join(); return x;'

# Not certain, so not said: one may run on, was moved elsewhere, or is not there yet.
joined 0 detached "$vector for (auto &t : ts) if (x < 7) t.join(); else t.detach(); return x;"
joined 0 first_only "$vector ts.emplace_back(work, 2); ts[0].join(); int r = x; ts[1].join();
    return r;"
joined 0 moved "std::vector<std::thread> us; $vector us = std::move(ts); $all int r = x;
    for (auto &t : us) t.join(); return r;"
joined 0 not_yet_there "$vector std::thread tmp(work, 2); $all int r = x; ts.clear();
    ts.push_back(std::move(tmp)); ts[0].join(); return r;"
joined 0 cut_short "$vector for (auto &t : ts) { t.join(); if (x) break; } return x;"
joined 0 caught "$vector for (auto &t : ts) { try { t.join(); } catch (...) { } } return x;"
joined 0 from_second "$vector auto it = ts.begin(); if (x > 3) ++it;
    for (; it != ts.end(); ++it) it->join(); return 0;"

# Three kinds of threads, each started once, whatever way the vector takes to make room.
cat >kinds.cpp <<'SRC'
#include <thread>
#include <vector>
static int x, y, z;
int main(int argc, char **)
{
    std::vector<std::thread> ts;
    ts.emplace_back([] { x++; });
    ts.emplace_back([] { y++; });
    for (int i = 0; i < argc; i++)
        ts.emplace_back([] { z++; });
    for (auto &t : ts)
        t.join();
    return x + y + z;
}
SRC
"$BURL" c++ -std=c++17 -g kinds.cpp -o prog -lpthread
"$analyze" prog -o t
[ "$(grep -c '^root .* one$' t)" = 3 ] && [ "$(grep -c '^root .* many$' t)" = 1 ] || fail "kinds of threads"

# A jthread is joined where it is destroyed.
cat >jthread.cpp <<'SRC'
#include <thread>
#include <vector>
static int x, y;
int main()
{
    {
        std::jthread t([] { x++; });
        y = x;
    }
    y += x;
    return y;
}
SRC
"$BURL" c++ -std=c++20 -g jthread.cpp -o prog -lpthread
"$analyze" prog -o t
[ "$(grep -c '^site [0-9a-f]* [0-9]* re roots 0 locks -$' t)" = 1 ] || fail "~jthread joins no thread"

# One lock, for one or for many, taken in five ways. Which of them exclude each other?
cat >shared.cpp <<'SRC'
#include <mutex>
#include <shared_mutex>
#include <thread>
struct box {
    int pad = 0;
    mutable std::shared_mutex m;
    long v = 0;
    void guard(long x) { std::lock_guard<std::shared_mutex> g(m); v = v + x; }
    void unique(long x) { std::unique_lock<std::shared_mutex> g(m); v = v + x; }
    void scoped(long x) { std::scoped_lock g(m); v = v + x; }
    long get() const { std::shared_lock<std::shared_mutex> g(m); return v; }
    long twice() const { std::shared_lock g(m); long a = v; return a + v; }
};
static box b;
static std::mutex left, right;
static int both;
static void take()
{
    std::scoped_lock g(left, right);
    both++;
}
static void work()
{
    b.guard(1);
    b.unique(2);
    b.scoped(3);
    b.get();
    b.twice();
    take();
}
int main()
{
    std::thread t(work);
    work();
    t.join();
    return 0;
}
SRC
for flags in -O0 -O2; do
    "$BURL" c++ -std=c++17 $flags -g shared.cpp -o shared -lpthread
    "$analyze" shared -o t
    grep -q '^lock "m of struct box" exclusive$' t || fail "the lock held alone"
    grep -q '^lock "m of struct box" shared [0-9]*$' t || fail "the lock held for reading"
    grep -q '^lock "left" exclusive$' t || fail "the first of two locks"
    grep -q '^lock "right" exclusive$' t || fail "the second of two locks"
    # guard, unique, scoped and take read and write; twice reads two times.
    [ "$(grep -c '^fact never-last' t)" -ge 5 ] || fail "too few accesses that are never last"
    [ "$(grep -c '^fact never-first' t)" -ge 5 ] || fail "too few accesses that are never first"
done
# The line of two accesses of that function whose pair is proposed, in this order.
rm -rf .burl
"$BURL" cover --runs=20 --seed=1 --metrics=LP --json --gaps=0 ./shared >out.json 2>err || { cat err; fail cover; }
proposed() { # FROM TO COUNT
    got=$(jq -r --arg a "$1" --arg b "$2" '. as $m | [.pairs[] | select(.state == "proposed") |
        select(($m.sites[.a] | "\(.function | split("::") | last) \(if .writes then "w" else "r" end)") == $a and
            ($m.sites[.b] | "\(.function | split("::") | last) \(if .writes then "w" else "r" end)") == $b)] | length' out.json)
    [ "$got" = "$3" ] || fail "$got pairs $1 -> $2 are proposed, not $3"
}
proposed "get r" "guard w" 1   # its own read comes first
proposed "guard r" "unique w" 1
proposed "twice r" "guard w" 2 # by what guard does; for the first read also by what twice does
proposed "guard w" "get r" 0   # this one can be
[ "$(jq .states.outside out.json)" = 0 ] || fail "a covered pair is not in the target"
