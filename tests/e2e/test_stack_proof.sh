#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
#
# BURL-WHY: a function that returns and a thread that exits take their memory away from the others:
#   the search of all interleavings tries both orders, and claims nothing where the memory may have
#   been used by a later call. Workers that use variables of a function that waits for them are
#   no obstacle to a proof.
set -u

. "$BURL_TEST_ROOT/tests/support/lib.inc"

# search CODE NAME: the source comes from the input.
search() {
    cat >"$2.c"
    "$BURL" cc -g -O1 "$2.c" -o "$2" -lpthread || fail "cannot build $2"
    for engine in fibers threads; do
        rm -rf .burl
        "$BURL" test --strategy=exhaustive --engine=$engine --runs=2000 "./$2" >out 2>&1
        got=$?
        [ $got -eq "$1" ] || fail "$2, $engine: exit code $got, expected $1"
    done
}

# The first schedule passes in both.
search 1 exits <<'EOF'
#include <pthread.h>
#include <semaphore.h>
static sem_t s, go;
static int *p;
static void *w(void *a) { int local = 42; p = &local; sem_post(&s); sem_wait(&go); return a; }
int main(void)
{
    pthread_t t;
    int *q, v;
    sem_init(&s, 0, 0); sem_init(&go, 0, 0);
    pthread_create(&t, 0, w, 0);
    sem_wait(&s); q = p; sem_post(&go);
    v = *q;
    pthread_join(t, 0);
    return v != 42;
}
EOF
grep -q "memory.use-after-exit" out || fail "exits: not found"

search 1 returns <<'EOF'
#include <pthread.h>
#include <semaphore.h>
static sem_t s, go, end;
static int *p;
__attribute__((noinline)) static void f(void) { int local = 42; p = &local; sem_post(&s); sem_wait(&go); }
static void *w(void *a) { f(); sem_wait(&end); return a; }
int main(void)
{
    pthread_t t;
    int *q, v;
    sem_init(&s, 0, 0); sem_init(&go, 0, 0); sem_init(&end, 0, 0);
    pthread_create(&t, 0, w, 0);
    sem_wait(&s); q = p; sem_post(&go);
    v = *q;
    sem_post(&end);
    pthread_join(t, 0);
    return v != 42;
}
EOF
grep -q "memory.use-after-return" out || fail "returns: not found"

# The memory is in use again whenever the worker runs: it cannot be seen, and nothing is proven.
search 4 reused <<'EOF'
#include <pthread.h>
static pthread_t t;
static int sink;
static void *w(void *a) { sink = *(int *)a; return 0; }
__attribute__((noinline)) static void start(void)
{
    int local[64];
    local[40] = 42;
    pthread_create(&t, 0, w, &local[40]);
}
__attribute__((noinline)) static int finish(void)
{
    int x[256];
    x[3] = 0;
    __asm__ volatile("" : : "r"(x) : "memory");
    pthread_join(t, 0);
    return x[3];
}
int main(void) { start(); return finish(); }
EOF
grep -q "none fails\|only interleaving passes" out && fail "reused: a proof"
grep -q "not complete: a thread accesses local variables" out || fail "reused: the doubt is not named"

search 0 waits <<'EOF'
#include <pthread.h>
struct job { int in, out; };
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static int g;
int n = 2;
static void *w(void *a)
{
    struct job *j = a;
    j->out = j->in + 1;
    pthread_mutex_lock(&m); g += j->out; pthread_mutex_unlock(&m);
    return 0;
}
__attribute__((noinline)) static int run(void)
{
    struct job j[n];
    pthread_t t[2];
    for (int i = 0; i < 2; i++) {
        j[i] = (struct job){ i + 1, 0 };
        pthread_create(&t[i], 0, w, &j[i]);
    }
    for (int i = 0; i < 2; i++)
        pthread_join(t[i], 0);
    return j[0].out + j[1].out;
}
int main(void) { return run() != 5 || g != 5; }
EOF
grep -q "all .* interleavings explored, none fails" out || fail "waits: no proof"
exit 0
