#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# tests/e2e/crash_line.sh - a crash is shown at the line and in the function that failed, whether the
# instruction has a hook or not, and a frame of a library has its name: in burl test and burl run, C and C++.
. "$BURL_TEST_ROOT/tests/support/lib.inc"

cat >fault.c <<'SRC'
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
static int g;
static int mode;
static char *volatile null;
void lib_crash(void);
__attribute__((noinline)) static int
returned(int x)
{
    g += x;
    return g;
}
static inline __attribute__((always_inline)) void
inlined(void)
{
    __asm__ volatile("ud2"); /* inlined */
}
__attribute__((noinline)) static void
plain(void)
{
    returned(1);
    __asm__ volatile("xorl %%eax, %%eax\n\t" /* plain */
                     "movl %%eax, (%%rax)" : : : "rax", "memory");
    g = 2;
}
__attribute__((noinline)) static int
compare(const void *a, const void *b)
{
    (void)b;
    returned(*(const int *)a);
    __asm__ volatile("ud2"); /* compare */
    return 0;
}
static void
handler(int sig)
{
    returned(sig);
    __asm__ volatile("ud2"); /* handler */
}
__attribute__((noinline)) static int
deep(int n)
{
    volatile char room[4096];
    room[n % 4096] = (char)n;
    return n == 0 ? 0 : deep(n + 1) + room[0]; /* deep */
}
__attribute__((noinline)) static void
fail(void)
{
    int v[2] = { 2, 1 };
    void (*volatile nowhere)(void) = NULL;
    switch (mode) {
    case 0:
        plain();
        break;
    case 1:
        returned(1);
        inlined();
        break;
    case 2:
        returned(1);
        g = (int)strlen(null); /* strlen */
        break;
    case 3:
        returned(1);
        memcpy(null, &v, sizeof v); /* memcpy */
        break;
    case 4:
        returned(1);
        lib_crash(); /* library */
        break;
    case 5:
        qsort(v, 2, sizeof v[0], compare);
        break;
    case 6:
        signal(SIGUSR1, handler);
        raise(SIGUSR1);
        break;
    case 7:
        g = deep(1);
        break;
    case 8:
        returned(1);
        nowhere(); /* nowhere */
        break;
    case 9:
        returned(1);
        abort(); /* abort */
        break;
    }
    g = 3;
}
static void *
work(void *arg)
{
    fail();
    g++;
    return arg;
}
int
main(int argc, char **argv)
{
    pthread_t t;
    mode = argc > 1 ? atoi(argv[1]) : 0;
    pthread_create(&t, NULL, work, NULL);
    pthread_join(t, NULL);
    return 0;
}
SRC
cat >lib.c <<'SRC'
void lib_inner(int *p);
__attribute__((noinline)) void
lib_inner(int *p)
{
    *p = 1;
}
void lib_crash(void);
void
lib_crash(void)
{
    lib_inner((int *)0);
    __asm__ volatile("");
}
SRC
cat >throw.cc <<'SRC'
#include <stdexcept>
#include <thread>
namespace app {
static int g;
struct Worker {
    __attribute__((noinline)) int
    helper(int x)
    {
        g += x;
        return g;
    }
    __attribute__((noinline)) void
    trap()
    {
        helper(1);
        __asm__ volatile("ud2"); /* trap */
        g = 2;
    }
    __attribute__((noinline)) void
    raise()
    {
        helper(1);
        throw std::runtime_error("x"); /* raise */
    }
};
}
int
main(int argc, char **)
{
    app::Worker w;
    std::thread t([&] {
        if (argc > 1)
            w.raise();
        else
            w.trap();
    });
    t.join();
}
SRC
gcc -O1 -shared -fPIC lib.c -o libplain.so || fail "lib.c"

# FILE MARK FUNCTION: the finding in out is at the line with the mark, and its innermost frame is FUNCTION.
at() {
    line=$(grep -n "/\* $2 \*/" "$1" | cut -d: -f1)
    jq -e --argjson line "$line" --arg f "$3" '.findings[0] | (.detail // .finding) |
        .where.line == $line and (.threads[] | select(.state == "failed") | .stack[0].function | test($f))' \
        out >/dev/null || fail "$1 $2: $(jq -c '.findings[0] | (.detail // .finding) |
        [.title, .where, [.threads[] | select(.state == "failed") | .stack]]' out)"
}

for opt in -O0 -O2; do
    "$BURL" cc -g $opt fault.c -L. -lplain "-Wl,-rpath,$PWD" -o fault || fail "fault.c $opt"
    "$BURL" c++ -g $opt throw.cc -o throw || fail "throw.cc $opt"
    while read -r mode mark function; do
        rm -rf .burl
        run 1 "$BURL" test --runs=3 --json ./fault $mode
        at fault.c $mark "$function"
    done <<'MODES'
0 plain ^plain$
1 inlined ^fail$
2 strlen libc
3 memcpy ^fail$
4 library ^lib_inner .libplain.so.$
5 compare ^compare$
6 handler ^handler$
8 nowhere ^fail$
9 abort ^fail$
MODES
    rm -rf .burl
    run 1 "$BURL" test --runs=3 --json ./fault 7
    jq -e '.findings[0].detail | (.title | contains("stack overflow")) and
        (.threads[] | select(.state == "failed") | .stack[0].function == "deep")' out >/dev/null ||
        fail "stack overflow: $(jq -c '.findings[0].detail.title' out)"
    rm -rf .burl
    run 1 "$BURL" test --runs=3 --json ./throw
    at throw.cc trap trap
    rm -rf .burl
    run 1 "$BURL" test --runs=3 --json ./throw raise
    at throw.cc raise raise
done

# The text has the same, in a replay too, and a free run.
rm -rf .burl
run 1 "$BURL" test --runs=3 ./fault 4
has out '#0  lib_inner (libplain.so)'
run 1 "$BURL" replay 1
has out '#0  lib_inner (libplain.so)'
for mode in 0 4 8; do
    rm -rf .burl
    "$BURL" run --json ./fault $mode >out 2>err
    case $mode in
    0) at fault.c plain '^plain$' ;;
    4) at fault.c library '^lib_inner' ;;
    8) at fault.c nowhere '^fail$' ;;
    esac
done
exit 0
