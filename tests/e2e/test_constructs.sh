#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
#
# BURL-TIMEOUT: 900
# BURL-WHY: every construct of LLVM that touches memory has a hook, or a search of all interleavings
#   claims nothing. Each program has a twin under a mutex, which must be clean.
. "$BURL_TEST_ROOT/tests/e2e/run_lib.inc"

cat >head.h <<'E'
#define _GNU_SOURCE
#include <assert.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#ifdef LOCKED
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
#define LOCK pthread_mutex_lock(&m)
#define UNLOCK pthread_mutex_unlock(&m)
#else
#define LOCK (void)0
#define UNLOCK (void)0
#endif
#define NOINLINE __attribute__((noinline))
#define AVX2 __attribute__((target("avx2")))
static volatile long one = 1;
struct conf { long a[4]; };
struct large { long a[40]; };
static void writer(void);
static int reader(void);
static void *thread(void *a) { LOCK; writer(); UNLOCK; return a; }
int main(void) { pthread_t t; pthread_create(&t, 0, thread, 0);
    LOCK; int r = reader(); UNLOCK; pthread_join(t, 0); assert(r); return 0; }
E

# make NAME LEVEL FLAGS: NAME.c or NAME.cpp, and its twin.
make_both() {
    cc=cc
    file=$1.c
    [ -e "$1.cpp" ] && { cc=c++; file=$1.cpp; }
    level=-$2
    [ "$2" = late ] && level='-O2 --late'
    # shellcheck disable=SC2086
    "$BURL" $cc -g -w $level $3 "$file" -o racy -lpthread -latomic || fail "cannot build $1 $2"
    # shellcheck disable=SC2086
    "$BURL" $cc -g -w $level $3 -DLOCKED "$file" -o locked -lpthread -latomic ||
        fail "cannot build $1 $2, locked"
}
search() { # PROGRAM
    "$BURL" test --strategy=exhaustive --seed=1 --runs=3000 --json --fresh --dir=d "./$1" >out 2>err
}
# The levels at which each program is built.
levels=${BURL_TEST_LEVELS:-O0 O2 late}

# found NAME FLAGS TEXT: a race without the lock, a proof with it.
found() {
    printf '#include "head.h"\n%s\n' "$3" >"$1.${4:-c}"
    for level in $levels; do
        echo "+ found $1 $level"
        make_both "$1" "$level" "$2"
        search racy
        [ "$(jq -r '[.findings[].kind] | index("race.data") != null' out)" = true ] ||
            fail "$1 $level: no race"
        search locked
        [ "$(jq -r '.findings | length' out)" = 0 ] || fail "$1 $level: a finding in the twin"
        [ "$(jq -r .search.complete out)" = true ] ||
            fail "$1 $level: the twin is not proven: $(jq -r .search.why out)"
    done
}
# doubted NAME FLAGS WHY TEXT: no proof, with or without the lock, and the reason.
doubted() {
    printf '#include "head.h"\n%s\n' "$4" >"$1.c"
    for level in $levels; do
        echo "+ doubted $1 $level"
        make_both "$1" "$level" "$2"
        for p in racy locked; do
            search $p
            [ "$(jq -r .search.complete out)" = false ] || fail "$1 $level $p: proven"
            jq -r .search.why out | grep -qF "$3" ||
                fail "$1 $level $p: $(jq -r .search.why out)"
        done
    done
}

pair='static struct conf g;
static void writer(void) { g.a[0] = one; g.a[3] = one; }'

# ---- arguments -----------------------------------------------------------------------------------
found byval '' "$pair"'
NOINLINE static int ok(struct conf c) { return c.a[0] == c.a[3]; }
static int reader(void) { return ok(g); }'
found byval_pointer '' "$pair"'
NOINLINE static int ok(struct conf c) { return c.a[0] == c.a[3]; }
static int (*volatile f)(struct conf) = ok;
static int reader(void) { return f(g); }'
found byval_varargs '' "$pair"'
NOINLINE static int ok(int n, ...) { va_list l; va_start(l, n); struct conf c = va_arg(l, struct conf);
    va_end(l); return c.a[0] == c.a[3]; }
static int reader(void) { return ok(1, g); }'
found byval_many '' "$pair"'
static struct conf z;
#define S struct conf
NOINLINE static int ok(S a, S b, S c, S d, S e, S f, S h, S i, S j, S k, S l, S last)
{ return last.a[0] == last.a[3] && a.a[0] == l.a[1]; }
static int reader(void) { return ok(z, z, z, z, z, z, z, z, z, z, z, g); }'
found byval_invoke '' "$pair"'
NOINLINE static int ok(conf c) { if (c.a[0] < 0) throw 1; return c.a[0] == c.a[3]; }
static int reader(void) { try { return ok(g); } catch (int) { return 0; } }' cpp
found byval_forwarded '' 'static struct large g;
static void writer(void) { g.a[0] = one; g.a[39] = one; }
NOINLINE static int use(struct large *p) { p->a[1]++; return p->a[0] == p->a[39]; }
static int reader(void) { struct large c = g; struct large d = c; return use(&d); }'
found sret '' 'static struct conf g;
NOINLINE static struct conf make(long v) { struct conf c = { { v, v, v, v } }; return c; }
static void writer(void) { g = make(one); }
static int reader(void) { return g.a[0] == g.a[3]; }'
found va_start '' 'static va_list l;
NOINLINE static int first(int n, ...) { va_start(l, n); int r = va_arg(l, int); va_end(l); return r; }
static void writer(void) { first(1, 7); }
static int reader(void) { return first(1, 8) == 8; }'
found va_copy '' 'static va_list l;
NOINLINE static int first(int n, ...) { va_list k; va_start(k, n); va_copy(l, k);
    int r = va_arg(l, int); va_end(k); va_end(l); return r; }
static void writer(void) { first(1, 7); }
static int reader(void) { return first(1, 8) == 8; }'

# ---- plain accesses of all sizes -----------------------------------------------------------------
found vector '' 'typedef long v4 __attribute__((vector_size(32)));
static v4 g;
static void writer(void) { g = (v4){ one, one, one, one }; }
static int reader(void) { return g[0] == g[3]; }'
found int128 '' 'static __int128 g;
static void writer(void) { g = ((__int128)one << 64) | one; }
static int reader(void) { __int128 v = g; return (long)v == (long)(v >> 64); }'
found long_double '' 'static long double g;
static void writer(void) { g = one; }
static int reader(void) { return g != 7; }'
found unaligned '' 'static struct __attribute__((packed)) { char c; long v; } g;
static void writer(void) { g.v = -one; }
static int reader(void) { return g.v != 7; }'
found bitfield '' 'static struct { unsigned a : 3, b : 5; } g;
static void writer(void) { g.a = one; }
static int reader(void) { g.b = one; return 1; }'
found volatile '' 'static volatile int g;
static void writer(void) { g = 1; }
static int reader(void) { return g != 7; }'
found thread_local '' 'static __thread long x; static long *volatile p;
static void writer(void) { x = 1; if (p) *p = one; }
static int reader(void) { p = &x; return x != 7; }'

# ---- copies ----------------------------------------------------------------------------------------
found copy '' 'static struct large g, h;
static void writer(void) { g = h; }
static int reader(void) { return g.a[0] == g.a[39]; }'
found memcpy_inline '' 'static long g[4];
static void writer(void) { long v[4] = { one, one, one, one }; __builtin_memcpy_inline(g, v, 32); }
static int reader(void) { return g[0] == g[3]; }'
found memset_inline '' 'static long g[4];
static void writer(void) { __builtin_memset_inline(g, (int)one, 32); }
static int reader(void) { return g[0] == g[3]; }'

# ---- vectors with masks ----------------------------------------------------------------------------
ints='#include <immintrin.h>
static int g[8];'
if grep -qw avx2 /proc/cpuinfo; then
    found maskstore '' "$ints"'
AVX2 static void writer(void)
{ _mm256_maskstore_epi32(g, _mm256_setr_epi32(-1, 0, 0, 0, 0, 0, 0, -1), _mm256_set1_epi32(one)); }
static int reader(void) { return g[0] == g[7]; }'
    found maskload '' "$ints"'
static void writer(void) { g[0] = one; g[7] = one; }
AVX2 static int reader(void) { int o[8];
    _mm256_storeu_si256((void *)o, _mm256_maskload_epi32(g, _mm256_setr_epi32(-one, 0, 0, 0, 0, 0, 0, -1)));
    return o[0] == o[7]; }'
    found gather '' "$ints"'
static void writer(void) { g[0] = one; g[7] = one; }
AVX2 static int reader(void) { int o[8];
    _mm256_storeu_si256((void *)o, _mm256_i32gather_epi32(g, _mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7), 4));
    return o[0] == o[7]; }'
    # What the mask leaves out is not touched.
    printf '#include "head.h"\n%s\n' "$ints"'
AVX2 static void writer(void)
{ _mm256_maskstore_epi32(g, _mm256_setr_epi32(-1, 0, 0, 0, 0, 0, 0, 0), _mm256_set1_epi32(one)); }
static int reader(void) { return g[1] == g[7]; }' >masked_out.c
    make_both masked_out O1 ''
    search racy
    [ "$(jq -r .search.complete out)" = true ] || fail "lanes that the mask leaves out are accesses"
fi
found maskmov '' '#include <emmintrin.h>
static char g[16];
static void writer(void) { _mm_maskmoveu_si128(_mm_set1_epi8(one), _mm_set1_epi8(-1), g); }
static int reader(void) { return g[0] == g[15]; }'
found stream '' '#include <emmintrin.h>
static __m128i g[1];
static void writer(void) { _mm_stream_si128(g, _mm_set1_epi8(one)); }
static int reader(void) { char *p = (char *)g; return p[0] == p[15]; }'
found matrix -fenable-matrix 'typedef float m4 __attribute__((matrix_type(4, 4)));
static float g[16];
static void writer(void) { g[0] = one; g[15] = one; }
static int reader(void) { m4 x = __builtin_matrix_column_major_load(g, 4, 4, 4); return x[0][0] == x[3][3]; }'

# ---- coroutines ------------------------------------------------------------------------------------
found coroutine -std=c++20 '#include <coroutine>
struct task { struct promise_type {
        task get_return_object() { return { std::coroutine_handle<promise_type>::from_promise(*this) }; }
        std::suspend_always initial_suspend() noexcept { return {}; }
        std::suspend_always final_suspend() noexcept { return {}; }
        void return_void() {}
        void unhandled_exception() { abort(); } };
    std::coroutine_handle<promise_type> h; };
static task co() { for (long n = 0;; n += one) co_await std::suspend_always{}; }
static task t0 = co();
static void writer(void) { t0.h.resume(); }
static int reader(void) { t0.h.resume(); return !t0.h.done(); }' cpp

# ---- atomics that are too large for the machine ----------------------------------------------------
printf '#include "head.h"
static _Atomic struct conf g;
static void writer(void) { struct conf b = { { 1, 1, 1, 1 } }; g = b; }
static int reader(void) { struct conf b = g; return b.a[0] == b.a[3]; }\n' >large_atomic.c
make_both large_atomic O2 ''
search racy
[ "$(jq -r .search.complete out)" = true ] || fail "atomics of 32 bytes: $(jq -r .search.why out)"
doubted atomic_result '' 'accesses of __atomic_load, library code' 'static struct conf g, out;
static void writer(void) { out.a[0] = one; }
static int reader(void) { __atomic_load(&g, &out, __ATOMIC_SEQ_CST); return out.a[0] != 7; }'

# ---- what no hook sees -----------------------------------------------------------------------------
doubted seg_fs '' 'segment registers' 'static __thread int x;
static void writer(void)
{ *(int __seg_fs *)((char *)&x - (char *)__builtin_thread_pointer()) = 1; }
static int reader(void) { return x != 7; }'
doubted seg_gs '' 'segment registers' 'static int g;
static void writer(void) { g = one; }
static int reader(void) { return *(volatile int __seg_gs *)(long)&g != 7; }'
doubted asm_goto '' 'inline assembly' 'static int g;
static void writer(void) { g = 0; }
static int reader(void)
{ __asm__ goto("cmpl $0, %0; jne %l1" : : "m"(g) : "cc" : out); return 1; out: return 0; }'
doubted setjmp '' 'llvm.eh.sjlj.setjmp' 'static void *g[5];
static void writer(void) { g[4] = 0; }
static int reader(void) { return !__builtin_setjmp(g); }'
doubted system_call '' 'the result of syscall may differ' '#include <sys/syscall.h>
#include <unistd.h>
static unsigned g;
static void writer(void) { g = one; }
static int reader(void) { syscall(SYS_getcpu, &g, 0L, 0L); return 1; }'
doubted mapped_early '' 'MAP_SHARED' '#include <sys/mman.h>
#include <unistd.h>
static int *a, *b;
__attribute__((constructor)) static void map(void) { int fd = memfd_create("x", 0);
    if (ftruncate(fd, 4096) != 0) abort();
    a = (int *)mmap(0, 4096, 3, MAP_SHARED, fd, 0); b = (int *)mmap(0, 4096, 3, MAP_SHARED, fd, 0); }
static void writer(void) { *a = one; }
static int reader(void) { return *b != 7; }'
doubted mapped_raw '' 'MAP_SHARED' '#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>
static int *volatile b;
static void writer(void) { }
static int reader(void) { b = (int *)syscall(SYS_mmap, 0L, 4096L, 3L, (long)(MAP_SHARED | MAP_ANONYMOUS), -1L, 0L);
    return *b == 0; }'

# ---- copies are not one step ----------------------------------------------------------------------
# Without the detectors the race is not reported, but nothing is proven either.
printf '#include "head.h"
static struct large g, h;
static void writer(void) { h.a[0] = h.a[39] = one; g = h; }
static int reader(void) { struct large c = g; return memcmp(&c.a[0], &c.a[39], 8) == 0; }\n' >torn.c
for level in $levels; do
    echo "+ torn $level"
    make_both torn "$level" ''
    "$BURL" test --strategy=exhaustive --detect=none --json --fresh --dir=d ./racy >out 2>err
    [ "$(jq -r .search.complete out)" = false ] || fail "torn $level: proven"
    "$BURL" test --strategy=exhaustive --detect=none --json --fresh --dir=d ./locked >out 2>err
    [ "$(jq -r .search.complete out)" = true ] || fail "torn $level, locked: $(jq -r .search.why out)"
done
echo ok
