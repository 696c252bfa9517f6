#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# BURL-TIMEOUT: 300
#
# tests/e2e/cc_alone.sh - a program built with `burl cc` and started by itself runs the copies of its
# functions without hooks (instr/alone.c); watched for races in free mode, those with the hooks that
# the optimizer leaves (instr/free.c); else the functions with all hooks. All do what the plain
# program does.
. "$(dirname "$0")/cc_lib.inc"

# Plain code: the addresses that it was called from.
cat >here.c <<'EOF'
#include <stdio.h>
void here(void) { printf("at %lx\n", (unsigned long)__builtin_return_address(0) - 1); }
EOF
cat >place.c <<'EOF'
void here(void);
int shared;
static void inner(void) { shared++; here(); }
void outer(void) { inner(); shared++; }
void (*volatile by_pointer)(void) = inner;
/* Tables of labels and labels for the assembler exist once. */
__attribute__((noinline)) int labels(int k)
{
    static void *const table[] = { &&one, &&two };
    goto *table[k];
one:
    shared++;
    here();
    return 1;
two:
    return 2;
}
__attribute__((noinline)) void assembler(void)
{
    __asm__ volatile("burl_test_label: nop" ::: "memory");
    shared++;
    here();
}
int main(void)
{
    outer();
    by_pointer();
    labels(0);
    assembler();
    return 0;
}
EOF
# names PROGRAM [COMMAND...]: the functions that called here()
names() {
    p=$1
    shift
    nm -n "$p" | grep -i ' [tw] ' >symbols
    "$@" "./$p" 2>said | sed -n 's/^at //p' | while read -r at; do
        awk -v at="$at" 'function pad(s) { while (length(s) < 16) s = "0" s; return s }
            pad($1) "" <= pad(at) "" { name = $3 } END { print name }' symbols
    done | tr '\n' ' '
}
"$CLANG" -O1 -fno-pie -c here.c
mkdir history
for flags in -O0 "-O2 -g" "-O2 --fast-run" "-O2 --late" "-O1 --blocks --fast-run"; do
    # shellcheck disable=SC2086
    "$BURL" cc $flags -fno-pie -no-pie -fno-inline \
        -fno-optimize-sibling-calls place.c here.o -o place
    check "$flags: alone, the copies run" \
        test "$(names place)" = "inner.burl_alone inner.burl_alone labels burl_test_label "
    case $flags in
        *--fast-run*) watched="inner.burl_free inner.burl_free labels burl_test_label " ;;
        *) watched="inner inner labels burl_test_label " ;;
    esac
    check "$flags: watched for races, the copies for that run" \
        test "$(names place "$BURL" run --dir=store --)" = "$watched"
    check "$flags: watched for more, the functions run" test "$(names place "$BURL" run \
        --detect=race,lockset --dir=store --)" = "inner inner labels burl_test_label "
    check "$flags: recorded, the functions run" \
        test "$(BURL_HISTORY=$work/history names place)" = "inner inner labels burl_test_label "
done

# What a copy of a function could get wrong. The library is loaded while the program runs, and
# interposes nothing; `replaced` is the program's own in place of the library's.
cat >lib.c <<'EOF'
#include <stdio.h>
volatile int one = 1;
__attribute__((noinline)) int replaced(void) { return one; }
int from_library(int n) { static int calls; calls += n; return calls * 10 + replaced(); }
EOF
cat >twin.cpp <<'EOF'
#include "shape.h"
int twin(int n) { return counted<int>(n) + Shape(n).area(); }
EOF
cat >shape.h <<'EOF'
#include <stdexcept>
template <class T> inline T counted(T n) { static T calls; calls += n; return calls; }
struct Shape {
    int n;
    explicit Shape(int k) : n(k) {}
    virtual ~Shape() {}
    virtual int area() const { if (n > 3) throw std::runtime_error("large"); return n * n; }
};
EOF
cat >many.cpp <<'EOF'
#include <dlfcn.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <thread>
#include "shape.h"
int twin(int n);
struct Big { long v[9]; };
static int state;
static thread_local int own = 3;
static int local(int x) { state += x; return state; }
extern "C" {
int weak(int x) __attribute__((weak));
int weak(int x) { state++; return x * 2; }
int aliased(int x) { state += 2; return x + state; }
int alias(int x) __attribute__((alias("aliased")));
int replaced(void) { return 2; }
long by_value(Big b, Big *p) { b.v[0]++; for (int i = 0; i < 9; i++) p->v[i] += b.v[i]; return p->v[8]; }
Big returned(int x) { Big b; for (int i = 0; i < 9; i++) b.v[i] = x + i + state; return b; }
long variadic(int n, ...) {
    va_list ap;
    long s = state;
    va_start(ap, n);
    for (int i = 0; i < n; i++)
        s += i % 2 ? (long)(va_arg(ap, double) * 2) : va_arg(ap, long);
    Big b = va_arg(ap, Big);
    va_end(ap);
    return s + b.v[3];
}
}
static jmp_buf back;
__attribute__((noinline)) void leap(int n) { state++; longjmp(back, n); }
int jumps() { volatile int k = 0; int r = setjmp(back); if (r < 3) { k = k + 1; leap(r + 1); } return k * 10 + r; }
int vla(int n) { char buf[n + 1]; memset(buf, 'x', n); buf[n] = 0; state += (int)strlen(buf); return state; }
int last(int n) { state++; return n == 0 ? state : 0; }
int tail(int n) { state++; [[clang::musttail]] return last(n); }
static int early = local(7);
int main() {
    int (*p)(int) = local, (*q)(int) = weak;
    Big b = returned(1);
    void *lib = dlopen("./lib.so", RTLD_NOW);
    int (*f)(int) = (int (*)(int))dlsym(lib, "from_library");
    std::thread t([&] { own = local(4); state += own; });
    t.join();
    printf("%d %d %d %d %d\n", early, local(1), weak(2), alias(3), own);
    printf("%d %d %ld\n", p == local, q == weak, by_value(b, &b));
    printf("%ld %d %d %d\n", variadic(4, 1L, 2.5, 3L, 4.5, b), jumps(), vla(9), tail(2) + tail(0));
    int a = twin(2), c = counted<int>(5), caught = 0;
    try { twin(4); } catch (const std::runtime_error &) { caught = 1; }
    printf("%d %d %d %d %d\n", a, c, caught, f(2), f(3));
}
EOF
"$CLANG" -O1 -fPIC -shared lib.c -o lib.so
"$CLANG" --driver-mode=g++ -w -O1 -rdynamic many.cpp twin.cpp -o plain -ldl -lpthread
./plain >expected
for flags in -O0 "-O2 --late -g" "-O1 -fPIC" "-O2 -g --fast-run" "-O2 -flto"; do
    # shellcheck disable=SC2086
    "$BURL" cc $flags -fPIC -shared lib.c -o lib.so
    # shellcheck disable=SC2086
    "$BURL" c++ -w $flags -rdynamic many.cpp twin.cpp -o many -ldl -lpthread
    ./many >alone
    "$BURL" run --dir=store -- ./many >watched 2>/dev/null || :
    check "$flags: alone, the same as plain" cmp expected alone
    check "$flags: watched, the same as plain" cmp expected watched
done

# Tools that count functions count each once.
cat >calls.c <<'EOF'
#include <stdio.h>
static int n;
__attribute__((no_instrument_function)) void __cyg_profile_func_enter(void *f, void *c) { (void)f, (void)c; n++; }
__attribute__((no_instrument_function)) void __cyg_profile_func_exit(void *f, void *c) { (void)f, (void)c; }
int state;
__attribute__((noinline)) void work(void) { state++; }
int main(void) { work(); work(); printf("%d\n", n); return 0; }
EOF
"$BURL" cc -O1 -finstrument-functions calls.c -o calls
check "-finstrument-functions" test "$(./calls)" = 3
"$BURL" cc -O1 --coverage calls.c -o calls && ./calls >out
check "--coverage" test -s calls.gcno -a -s calls.gcda
finish
