#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
#
# The order of a library call against a call of another thread: initializers, destroyers, keys, exit
# handlers, attributes, names, clocks, mappings, and what the kernel keeps. Each program below has two
# outcomes that differ in the order of two calls alone. An exhaustive search finds both, or says that
# it is not complete; a proof is a failure of this test. One program at least per kind of row in
# src/rt/interpose/*.def.
# BURL-TIMEOUT: 300
. "$BURL_TEST_ROOT/tests/e2e/run_lib.inc"

head='#define _GNU_SOURCE
#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <semaphore.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <sys/eventfd.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <threads.h>
#include <time.h>
#include <unistd.h>
atomic_int a, b;
#define MAIN(before, mine, after) int main(void) { pthread_t t; before; \
    pthread_create(&t, 0, th, 0); mine; pthread_join(t, 0); after; return 0; }
#define TH(...) void *th(void *arg) { __VA_ARGS__; return 0; }
'
# search NAME TEXT: into out, with the exit code in code.
search() {
    printf '%s%s\n' "$head" "$2" >"$1.c"
    build "$1" -w
    "$BURL" test --strategy=exhaustive --seed=1 --json --dir="$1.d" "./$1" >out 2>err
    code=$?
    echo "+ $1: $code"
    [ $code -le 1 ] || [ $code -eq 4 ] || fail "$1: exit code $code"
}
# found NAME KIND TEXT: the search finds it.
found() {
    search "$1" "$3"
    jq -e --arg k "$2" '[.findings[].kind] | index($k) != null' out >/dev/null || fail "$1: no $2"
}
# unsure NAME TEXT: the search finds a failure or claims nothing.
unsure() {
    search "$1" "$2"
    [ $code -eq 1 ] || [ "$(jq -r .search.complete out)" = false ] || fail "$1: proven"
}
# proven NAME N TEXT: nothing to find in N interleavings.
proven() {
    search "$1" "$3"
    [ $code -eq 0 ] && [ "$(jq -r .search.complete out)" = true ] || fail "$1: not proven"
    n=$(jq '.search.executions - .search.pruned' out)
    [ "$n" -eq "$2" ] || fail "$1: $n interleavings, expected $2"
}

# ---- initializers and destroyers
found sem_init crash.abort 'sem_t s; TH(sem_post(&s))
MAIN(, sem_init(&s, 0, 0), int r = sem_trywait(&s); assert(r == 0))'
found mutex_init misuse.reinit 'pthread_mutex_t m; TH(pthread_mutex_lock(&m); a = 1; pthread_mutex_unlock(&m))
MAIN(, pthread_mutex_init(&m, 0), )'
found mutex_type crash.abort 'pthread_mutex_t m; int r;
TH(pthread_mutex_trylock(&m); r = pthread_mutex_trylock(&m); pthread_mutex_unlock(&m);
    if (!r) pthread_mutex_unlock(&m))
MAIN(pthread_mutexattr_t A; pthread_mutexattr_init(&A);
    pthread_mutexattr_settype(&A, PTHREAD_MUTEX_RECURSIVE), pthread_mutex_init(&m, &A), assert(r == 0))'
found mtx_init crash.abort 'mtx_t m; int r;
TH(mtx_trylock(&m); r = mtx_trylock(&m); mtx_unlock(&m); if (!r) mtx_unlock(&m))
MAIN(, mtx_init(&m, mtx_plain | mtx_recursive), assert(r == thrd_success))'
found cond_init misuse.use-destroyed 'pthread_cond_t c; TH(pthread_cond_signal(&c))
MAIN(pthread_cond_init(&c, 0); pthread_cond_destroy(&c), pthread_cond_init(&c, 0), )'
found cnd_init misuse.use-destroyed 'cnd_t c; TH(cnd_signal(&c))
MAIN(cnd_init(&c); cnd_destroy(&c), cnd_init(&c), )'
found rwlock_init misuse.reinit 'pthread_rwlock_t r;
TH(pthread_rwlock_rdlock(&r); a = 1; pthread_rwlock_unlock(&r)) MAIN(, pthread_rwlock_init(&r, 0), )'
found spin_init misuse.other 'pthread_spinlock_t s; TH(pthread_spin_lock(&s); pthread_spin_unlock(&s))
MAIN(, pthread_spin_init(&s, 0), )'
found barrier_init misuse.other 'pthread_barrier_t r; TH(pthread_barrier_wait(&r))
MAIN(, pthread_barrier_init(&r, 0, 1), )'
found barrier_again deadlock.stuck 'pthread_barrier_t r; TH(pthread_barrier_wait(&r))
MAIN(pthread_barrier_init(&r, 0, 1), pthread_barrier_init(&r, 0, 2), )'
for o in 'pthread_mutex_t|pthread_mutex_init(&x, 0)|pthread_mutex_destroy|pthread_mutex_trylock' \
    'pthread_cond_t|pthread_cond_init(&x, 0)|pthread_cond_destroy|pthread_cond_signal' \
    'pthread_rwlock_t|pthread_rwlock_init(&x, 0)|pthread_rwlock_destroy|pthread_rwlock_tryrdlock' \
    'pthread_spinlock_t|pthread_spin_init(&x, 0)|pthread_spin_destroy|pthread_spin_trylock' \
    'pthread_barrier_t|pthread_barrier_init(&x, 0, 1)|pthread_barrier_destroy|pthread_barrier_wait' \
    'sem_t|sem_init(&x, 0, 0)|sem_destroy|sem_post' \
    'mtx_t|mtx_init(&x, 0)|mtx_destroy|mtx_trylock' 'cnd_t|cnd_init(&x)|cnd_destroy|cnd_signal'; do
    IFS='|' read -r type init destroy use <<<"$o"
    found "$destroy" misuse.use-destroyed "$type x; TH($use(&x)) MAIN($init, $destroy(&x), )"
done
found sem_close misuse.use-destroyed 'sem_t *s; TH(sem_post(s))
MAIN(s = sem_open("/x", O_CREAT, 0600, 0), sem_close(s), )'
found sem_unlink crash.abort 'sem_t *q; TH(q = sem_open("/x", 0))
MAIN(sem_open("/x", O_CREAT, 0600, 0), sem_unlink("/x"), assert(q != SEM_FAILED))'

# ---- attributes
found mutexattr crash.abort 'pthread_mutexattr_t A; int r; pthread_mutex_t m;
TH(pthread_mutex_init(&m, &A); pthread_mutex_lock(&m); r = pthread_mutex_trylock(&m);
    if (!r) pthread_mutex_unlock(&m); pthread_mutex_unlock(&m))
MAIN(pthread_mutexattr_init(&A), pthread_mutexattr_settype(&A, PTHREAD_MUTEX_RECURSIVE), assert(r == 0))'
found attr race.data 'pthread_attr_t A; int d; TH(pthread_attr_getdetachstate(&A, &d))
MAIN(pthread_attr_init(&A), pthread_attr_setdetachstate(&A, 1), assert(d == 1))'

# ---- keys, handlers, names
found keys crash.abort 'pthread_key_t k, q; TH(pthread_key_create(&q, 0))
MAIN(, pthread_key_create(&k, 0), assert(k < q))'
found key_use crash.abort 'pthread_key_t k; int r; TH(r = pthread_setspecific(0, &k))
MAIN(, pthread_key_create(&k, 0), assert(r == 0))'
found tss crash.abort 'tss_t k, q; TH(tss_create(&q, 0)) MAIN(, tss_create(&k, 0), assert(k < q))'
unsure key_delete 'pthread_key_t k; int r; TH(r = pthread_setspecific(k, &k))
MAIN(pthread_key_create(&k, 0), pthread_key_delete(k), assert(r != 0))'
handlers='int o; void x(ARGS) { o = o * 10 + 1; } void y(ARGS) { o = o * 10 + 2; }
void z(ARGS) { assert(o != WRONG); } TH(SET(x)) MAIN(SET(z), SET(y), END)'
for wrong in 12 21; do
    text=${handlers//WRONG/$wrong}
    t2=${text//SET(/atexit(} t2=${t2//ARGS/void}
    found atexit_$wrong crash.abort "${t2/END/}"
    t2=${text//SET(/at_quick_exit(} t2=${t2//ARGS/void}
    found quick_exit_$wrong crash.abort "${t2/END/quick_exit(0)}"
    t2=$(printf '%s' "$text" | sed 's/SET(\(.\))/on_exit(\1, 0)/g; s/ARGS/int c, void *v/g; s/END//')
    found on_exit_$wrong crash.abort "$t2"
done
found name crash.abort 'char n[16]; TH(pthread_setname_np(pthread_self(), "z"))
MAIN(, pthread_getname_np(t, n, 16), assert(n[0] != 122))'

# ---- mappings
map='q = mmap(0, 4096, 3, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0)'
found munmap crash.signal "char *q; TH(q[5] = 1) MAIN($map, munmap(q, 4096), )"
found mprotect crash.signal "char *q; TH(q[5] = 1) MAIN($map, mprotect(q, 4096, 1), )"
found mmap_fixed crash.abort "char *q; TH(q[5] = 1) MAIN($map,
    mmap(q, 4096, 3, MAP_FIXED | MAP_PRIVATE | MAP_ANONYMOUS, -1, 0), assert(q[5] == 1))"

# ---- clocks: no proof, and every strategy that chooses at random finds both orders
clock='long x, y; TH(x = NOW) MAIN(, y = NOW, assert(y < x))'
ns='({ struct timespec s; clock_gettime(CLOCK_MONOTONIC, &s); s.tv_sec * 1000000000l + s.tv_nsec; })'
us='({ struct timeval s; gettimeofday(&s, 0); s.tv_sec * 1000000l + s.tv_usec; })'
utc='({ struct timespec s; timespec_get(&s, TIME_UTC); s.tv_sec * 1000000000l + s.tv_nsec; })'
i=0
for now in "$ns" "$us" "$utc" 'clock()'; do
    name=clock_$((++i))
    text=${clock//NOW/"$now"} # quoted: & stands for NOW otherwise
    unsure $name "$text"
    for strategy in random pos mix; do
        run 1 "$BURL" test --strategy=$strategy --runs=300 --seed=1 --fresh --dir=$name.e ./$name
        has out "assertion \`y < x' failed"
    done
done

# ---- what the library or the kernel keeps
unsure chdir 'char n[99]; TH(chdir("/")) MAIN(, getcwd(n, 99), assert(n[1] == 0))'
unsure umask 'int m; TH(umask(077)) MAIN(umask(022), m = umask(0), assert(m != 022))'
unsure nice 'int m; TH(nice(1)) MAIN(, m = getpriority(PRIO_PROCESS, 0), assert(m != 0))'
unsure affinity 'cpu_set_t c; TH(cpu_set_t d; CPU_ZERO(&d); CPU_SET(0, &d);
    sched_setaffinity(0, sizeof d, &d)) MAIN(, sched_getaffinity(0, sizeof c, &c), )'
unsure rlimit 'struct rlimit l; TH(struct rlimit q = { 0, 0 }; setrlimit(RLIMIT_CORE, &q))
MAIN(, getrlimit(RLIMIT_CORE, &l), )'
unsure alarm 'unsigned r; TH(alarm(100)) MAIN(, r = alarm(0), assert(r != 0))'
unsure itimer 'TH(struct itimerval w = { { 0, 0 }, { 100, 0 } }; setitimer(ITIMER_REAL, &w, 0))
MAIN(, struct itimerval v; getitimer(ITIMER_REAL, &v), assert(v.it_value.tv_sec != 0))'
unsure dup 'int x, y; TH(x = dup(0)) MAIN(, y = dup(0), assert(y > x))'
unsure eventfd 'int x, y; TH(x = eventfd(0, 0)) MAIN(, y = eventfd(0, 0), assert(y > x))'
unsure sbrk 'char *x, *y; TH(x = sbrk(16)) MAIN(, y = sbrk(16), assert(y > x))'
unsure raw 'int m; TH(syscall(SYS_umask, 077))
MAIN(umask(022), m = syscall(SYS_umask, 0), assert(m != 022))'
unsure signal 'TH(signal(SIGUSR1, SIG_IGN))
MAIN(, struct sigaction s; sigaction(SIGUSR1, 0, &s), assert(s.sa_handler == SIG_IGN))'
unsure raise 'TH(raise(SIGURG)) MAIN(, signal(SIGURG, SIG_IGN), )'
unsure fork 'TH(if (fork() == 0) _exit(0)) MAIN(, a = 1, )'

# ---- private: the order cannot be told, and one interleaving is enough
proven own_keys 1 'pthread_key_t k; TH(pthread_setspecific(k, &k))
MAIN(pthread_key_create(&k, 0), pthread_setspecific(k, &k), assert(pthread_getspecific(k)))'
proven own_objects 1 'TH(sem_t s; sem_init(&s, 0, 1); sem_wait(&s); sem_destroy(&s))
MAIN(, sem_t s; sem_init(&s, 0, 1); sem_wait(&s); sem_destroy(&s), )'
proven initialized_first 1 'sem_t s; TH(sem_post(&s)) MAIN(sem_init(&s, 0, 0), a = 1, sem_wait(&s))'
