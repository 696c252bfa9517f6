#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# tests/e2e/run_many.sh - burl test --engine=free; C++; many threads; more observers.
. "$(dirname "$0")/run_lib.inc"

write_counter
build counter
build careful

# Many runs, merged: one finding, counted over all; the program's output is not shown.
run 1 "$BURL" test --engine=free --runs=5 ./counter
! grep -qx 'done' out || fail "the program's output is shown"
count out 'finding 1: race.data' 1
has out '5 free runs'
run 1 "$BURL" test --engine=free --runs=3 --json ./counter
jq -e '.command == "test" and .engine == "free" and .executions == 3 and .failures == 3 and
       .end == "runs" and (.findings | length) == 1 and .findings[0].count >= 3' out >/dev/null ||
    fail "the document"
run 0 "$BURL" test --engine=free --runs=5 ./careful
has out 'nothing found'
run 1 "$BURL" test --engine=free --stop-at-first --runs=50 --json ./counter
jq -e '.executions == 1 and .end == "first finding"' out >/dev/null || fail "--stop-at-first"
start=$(date +%s)
run 0 "$BURL" test --engine=free --time=2s ./careful
[ $(($(date +%s) - start)) -lt 20 ] || fail "--time is not kept"
run 2 "$BURL" test --engine=free --strategy=pct ./careful
has err 'cannot be combined with'
run 2 "$BURL" test --engine=free --check-determinism ./careful
run 3 "$BURL" test --engine=free --runs=2 /bin/true

# A crash in some runs is a finding, with what it printed.
cat >crash.c <<'SRC'
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
static void *
work(void *arg)
{
    fprintf(stderr, "last words\n");
    abort();
    return arg;
}
int
main(void)
{
    pthread_t t;
    pthread_create(&t, NULL, work, NULL);
    pthread_join(t, NULL);
    return 0;
}
SRC
build crash
run 1 "$BURL" test --engine=free --runs=2 ./crash
has out 'crash.abort'
has out 'last words'

# C++: threads, lambdas, containers, exceptions, statics; a race in a member, and the correct twin.
cat >cxx.cpp <<'SRC'
#include <atomic>
#include <condition_variable>
#include <mutex>
#include <stdexcept>
#include <thread>
#include <vector>
struct Stats {
    std::mutex m;
    long hits = 0;
    long sum = 0;
    void add(long x)
    {
        {
            std::lock_guard<std::mutex> g(m);
            sum += x;
        }
        LOCK
        hits++;
    }
};
static Stats &
stats()
{
    static Stats s;
    return s;
}
static std::atomic<int> ready;
static void
work(int n)
{
    ready++;
    while (ready.load() < 4)
        std::this_thread::yield();
    for (int i = 0; i < 100; i++) {
        try {
            if (i % 10 == 0)
                throw std::runtime_error("ten");
            stats().add(i * n);
        } catch (const std::exception &) {
        }
    }
}
int
main()
{
    std::vector<std::thread> t;
    for (int i = 0; i < 4; i++)
        t.emplace_back([i] { work(i); });
    for (auto &x : t)
        x.join();
    return stats().sum < 0;
}
SRC
sed 's/LOCK$/std::lock_guard<std::mutex> g(m);/' cxx.cpp >cxxok.cpp
sed -i 's/LOCK$//' cxx.cpp
build cxx
build cxxok
run 1 "$BURL" run ./cxx
has err 'hits'
has err 'Stats::add'
count err 'race.data' 1
run 0 "$BURL" run ./cxxok

# Two hundred threads, and a thousand one after the other.
cat >crowd.c <<'SRC'
#include <pthread.h>
#include <stdlib.h>
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static long sum;
static void *
add(void *arg)
{
    pthread_mutex_lock(&m);
    sum += (long)arg;
    pthread_mutex_unlock(&m);
    return NULL;
}
int
main(int argc, char **argv)
{
    const long n = argc > 1 ? atol(argv[1]) : 200;
    pthread_t *t = calloc((size_t)n, sizeof *t);
    for (long i = 0; i < n; i++)
        pthread_create(&t[i], NULL, add, (void *)i);
    for (long i = 0; i < n; i++)
        pthread_join(t[i], NULL);
    for (long i = 0; i < 1000; i++) {
        pthread_create(&t[0], NULL, add, (void *)i);
        pthread_join(t[0], NULL);
    }
    free(t);
    return sum != n * (n - 1) / 2 + 499500;
}
SRC
build crowd
run 0 "$BURL" run ./crowd 200
has err 'nothing found'
# More than can be told apart at once: said, and not taken for a clean run.
cat >parade.c <<'SRC'
#include <pthread.h>
static pthread_t t[300];
static pthread_barrier_t all;
static void *
stand(void *arg)
{
    pthread_barrier_wait(&all);
    return arg;
}
int
main(void)
{
    pthread_barrier_init(&all, NULL, 300);
    for (int i = 0; i < 300; i++)
        pthread_create(&t[i], NULL, stand, NULL);
    for (int i = 0; i < 300; i++)
        pthread_join(t[i], NULL);
    return 0;
}
SRC
build parade
run 4 "$BURL" run ./parade
has err 'not observed to the end: more than 255 threads'
# No address space for the shadow: the program runs, unobserved, and that is said.
printf '#!/bin/sh\nulimit -v 4000000\nexec ./careful\n' >cramped
chmod +x cramped
run 4 "$BURL" run ./cramped
has out 'done'
has err 'unobserved'

# More observers: a lock cycle that did not close is a suspect, apart from findings.
cat >abba.c <<'SRC'
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
static pthread_mutex_t a = PTHREAD_MUTEX_INITIALIZER;
static pthread_mutex_t b = PTHREAD_MUTEX_INITIALIZER;
static atomic_int done;
static void *
ab(void *p)
{
    pthread_mutex_lock(&a);
    pthread_mutex_lock(&b);
    pthread_mutex_unlock(&b);
    pthread_mutex_unlock(&a);
    atomic_store_explicit(&done, 1, memory_order_relaxed);
    return p;
}
static void *
ba(void *p)
{
    pthread_mutex_lock(&b);
    pthread_mutex_lock(&a);
    pthread_mutex_unlock(&a);
    pthread_mutex_unlock(&b);
    return p;
}
static void *
nap(void *p)
{
    return p;
}
int
main(void)
{
    pthread_t t, u, v;
    pthread_create(&v, NULL, nap, NULL);
    pthread_create(&t, NULL, ab, NULL);
    /* Relaxed: one after the other, and no edge between the two. */
    while (atomic_load_explicit(&done, memory_order_relaxed) == 0)
        sched_yield();
    pthread_create(&u, NULL, ba, NULL);
    pthread_join(t, NULL);
    pthread_join(u, NULL);
    pthread_join(v, NULL);
    return 0;
}
SRC
build abba
run 0 "$BURL" run --detect=race,lockorder ./abba
has err 'Suspects'
has err 'abba.c'
has err 'nothing found'
run 1 "$BURL" run --strict --detect=race,lockorder ./abba
echo 'deadlock:ab' >d.supp
run 0 "$BURL" run --strict --detect=race,lockorder --suppressions=d.supp ./abba
has err '1 suspect'
run 1 "$BURL" run --detect=race,lockset,triple,lockorder,signals ./counter
has err 'data race on counter'
run 2 "$BURL" run --detect=race,goldilocks ./counter
has err 'not "goldilocks"'
run 0 "$BURL" run --detect=none ./counter
exit 0
