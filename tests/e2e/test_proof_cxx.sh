#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
#
# Small C++ tests are proven clean although the C++ library was not built by burl: what it does is
# seen, or there is no other thread. What is not seen is named, and then nothing is claimed.
. "$BURL_TEST_ROOT/tests/e2e/run_lib.inc"

# prog NAME FLAGS TEXT: builds it.
prog() {
    printf '#include <cassert>\n#include <mutex>\n#include <thread>\nstatic std::mutex m;
#define LOCKED std::lock_guard<std::mutex> hold(m)\n%s\n' "$3" >"$1.cpp"
    # shellcheck disable=SC2086
    "$BURL" c++ -g $2 "$1.cpp" -o "$1" || fail "cannot build $1"
}
search() { # CODE NAME
    run "$1" "$BURL" test --strategy=exhaustive --seed=1 --runs=3000 --json --fresh --dir="$2.d" "./$2"
}
proven() {
    search 0 "$1"
    [ "$(jq -r .search.complete out)" = true ] || fail "$1: not complete: $(jq -r .search.why out)"
}
# unproven NAME WHY CODE
unproven() {
    search "${3:-4}" "$1"
    [ "$(jq -r .search.complete out)" = false ] || fail "$1: proven"
    jq -r .search.why out | grep -qF "$2" || fail "$1: $(jq -r .search.why out)"
}

containers='#include <list>
#include <map>
#include <memory>
#include <string>
#include <unordered_map>
#include <vector>
static std::map<int, int> t; static std::list<int> l; static std::vector<int> v;
static std::unordered_map<int, int> h; static std::unique_ptr<int> p; static std::once_flag once;
static int n;
static void f(int i) { std::call_once(once, [] { n++; }); LOCKED;
    t[i] = i; l.push_back(i); v.push_back(i); h[i] = i; if (!p) p = std::make_unique<int>(i); }
int main() { std::string before = "a text that is not short, " + std::to_string(1);
    std::thread a(f, 1), b(f, 2); a.join(); b.join();
    assert(t.size() + l.size() + v.size() + h.size() == 8 && n == 1 && before.size() > 9); }'
prog containers "-O0 -std=c++17" "$containers"
proven containers
# The same without the lock has races.
prog unlocked "-O2 -std=c++17" "${containers/LOCKED;/}"
search 1 unlocked

prog futures "-O2 -std=c++17" '#include <condition_variable>
#include <future>
#include <stdexcept>
static std::condition_variable cv; static bool ready;
int main() { std::promise<int> p; auto f = p.get_future();
    std::thread a([&] { { LOCKED; ready = true; } cv.notify_one(); p.set_value(3); });
    { std::unique_lock<std::mutex> l(m); cv.wait(l, [] { return ready; }); }
    try { if (f.get() == 3) throw std::runtime_error("x"); } catch (std::exception &) { }
    a.join(); }'
proven futures

# Code of the library on memory of the program, while another thread is there: no proof, and its name.
prog texts "-O0 -std=c++17" '#include <string>
static std::string s;
static void f(char c) { LOCKED; s += c; }
int main() { std::thread a(f, 1), b(f, 2); a.join(); b.join(); assert(s.size() == 2); }'
unproven texts "accesses of std::string::operator+=, library code"
# Virtual functions of it are not called by name.
prog virtuals "-O2 -std=c++17" '#include <sstream>
static std::stringbuf b;
int main() { std::streambuf *x = &b; std::thread a([&] { LOCKED; x->sputc(1); }); { LOCKED; x->sputc(2); }
    a.join(); assert(b.str().size() == 2); }'
unproven virtuals "not instrumented"
