#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
#
# BURL-WHY: a crash in a library function is placed at the call that is on the stack, also when that
#   call has no hook and an earlier one had; in callbacks of libraries too. Names are readable.
set -u
. "$BURL_TEST_ROOT/tests/support/lib.inc"

cat >p.cpp <<'EOF2'
#include <cstdlib>
#include <cstring>
#include <functional>
#include <string>
#include <thread>

static char *volatile nothing;

__attribute__((noinline)) static int
helper(int x)
{
    volatile int y = x;
    return y + 1;
}

static int
compare(const void *, const void *)
{
    helper(1);
    return (int)strlen(nothing); /* in callback */
}

struct base {
    base() { call(); }
    void call()
    {
        helper(1);
        pure(); /* pure virtual */
    }
    virtual void pure() = 0;
};
struct derived : base {
    void pure() override {}
};

static std::function<void(int)> empty;

static void
notify(int n)
{
    helper(n);
    empty(n); /* empty function */
}

/* The compiler joins the calls of all cases. */
struct ops {
    int (*open)(int), (*close)(int), (*read)(int), (*write)(int);
};
static ops *volatile table;

__attribute__((noinline)) static int
step(ops *p, int which, int n)
{
    int r = 0;

    helper(n);
    switch (which) {
    case 0:
        r = p->open(n);
        break;
    case 1:
        r = p->close(n); /* wild 1 */
        break;
    case 2:
        r = p->read(n); /* wild 2 */
        break;
    case 3:
        r = p->write(n); /* wild 3 */
        break;
    }
    helper(r);
    return r;
}

static void
worker(int how)
{
    helper(0);
    switch (how) {
    case 1: helper((int)strlen(nothing)); break; /* strlen */
    case 2: { int a[3] = { 3, 1, 2 }; qsort(a, 3, sizeof a[0], compare); break; }
    case 3: free((void *)0x10); break; /* bad free */
    case 4: { std::string s; s.at(5); break; } /* string */
    case 5: { derived d; break; }
    case 6: notify(4); break;
    case 11:
    case 12:
    case 13: step(table, how - 10, 4); break;
    }
    helper(99);
}

int
main(int, char **argv)
{
    static ops wild = { helper, (int (*)(int))0x1000, (int (*)(int))0x2000, (int (*)(int)) & wild };

    table = &wild;
    std::thread t(worker, atoi(argv[1]));

    t.join();
    return 0;
}
EOF2

# at MARK HOW: burl test and burl run place the crash at the line with the comment.
at() {
    local line command
    line=$(grep -n "/\\* $1 \\*/" p.cpp | cut -d: -f1)
    for command in "test --fresh --runs=10 --engine=fibers" "test --fresh --runs=10 --engine=threads" run; do
        rm -rf .burl
        "$BURL" $command ./p "$2" >out 2>&1 </dev/null
        [ $? -eq 1 ] || fail "burl $command ./p $2: no finding"
        # The title: up to the first empty line.
        sed '/^finding/,/^$/!d' out | tr '\n' ' ' | grep -q " at p.cpp:$line\\( \\|$\\)" ||
            fail "burl $command ./p $2: not at line $line"
        ! grep -q '#0  \(_Z\|\*\)' out || fail "burl $command ./p $2: no readable name"
    done
}

for o in -O0 -O2; do
    "$BURL" c++ -g $o p.cpp -o p -w -lpthread || fail "cannot build"
    at strlen 1
    at "in callback" 2
    at "bad free" 3
    at string 4
    at "pure virtual" 5
    at "empty function" 6
    at "wild 1" 11
    at "wild 2" 12
    at "wild 3" 13
done
