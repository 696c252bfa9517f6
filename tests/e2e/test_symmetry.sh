#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
#
# `burl test --strategy=exhaustive`: symmetric threads. Each program below tells two threads of one
# routine and argument apart in a different way, and its assertion fails only in an interleaving in
# which the higher-numbered thread comes first. The last ones do not tell them apart and stay cheap.
# BURL-TIMEOUT: 240
. "$BURL_TEST_ROOT/tests/e2e/run_lib.inc"

head='#define _GNU_SOURCE
#include <assert.h>
#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <threads.h>
#include <time.h>
#include <unistd.h>
static atomic_int a, b, first, n;
static pthread_t t[3];
static void *_Atomic slot[2];
#define T(name) static void *name(void *arg)
#define MAKE(f) for (int i = 0; i < 2; i++) pthread_create(&t[i], 0, f, 0)
#define JOIN for (int i = 0; i < 2; i++) pthread_join(t[i], 0)
'
search() { # CODE PROGRAM
    run "$1" "$BURL" test --strategy=exhaustive --seed=1 --json --dir="$2.d" "./$2"
    jq .search out >search.json
}
broken() { # NAME TEXT: the failure is found
    prog "$@"
    search 1 "$1"
    jq -e '[.findings[].kind] | index("crash.abort") != null' out >/dev/null || fail "$1: no abort"
}
clean() { # NAME INTERLEAVINGS TEXT
    prog "$1" "$3"
    search 0 "$1"
    [ "$(jq -r .complete search.json)" = true ] ||
        fail "$1: not complete: $(jq -r .why search.json)"
    [ "$(jq '.executions - .pruned' search.json)" -eq "$2" ] ||
        fail "$1: $(jq '.executions - .pruned' search.json) interleavings, expected $2"
}

# ---- joins
broken second_joiner 'T(w) { a += 2; b = 3; return 0; }
T(last) { pthread_join(t[1], 0); a = 0; return 0; }
int main(void) { pthread_t q; MAKE(w); pthread_create(&q, 0, last, 0); b++;
    pthread_join(t[0], 0); pthread_join(q, 0); int x = a * 10 + b; assert(x != 24); return 0; }'
broken joiner_each 'T(w) { if (n++ == 0) { b = 1; b = 2; } return 0; }
T(j0) { pthread_join(t[0], 0); a = b; return 0; } T(j1) { pthread_join(t[1], 0); return 0; }
int main(void) { pthread_t q, r; MAKE(w); pthread_create(&q, 0, j0, 0); pthread_create(&r, 0, j1, 0);
    pthread_join(q, 0); pthread_join(r, 0); assert(a == 2); return 0; }'
broken joins_split 'T(w) { if (n++ == 0) b = 1; return 0; }
int main(void) { MAKE(w); pthread_join(t[0], 0); int x = b; pthread_join(t[1], 0);
    assert(x == 1); return 0; }'
broken joins_one 'T(w) { if (n++ == 0) b = 1; return 0; }
int main(void) { MAKE(w); pthread_join(t[0], 0); assert(b == 1); pthread_exit(0); }'
broken results 'T(w) { return (void *)(long)n++; }
int main(void) { void *r[2]; MAKE(w); for (int i = 0; i < 2; i++) pthread_join(t[i], &r[i]);
    assert(r[0] == 0); return 0; }'
broken results_c11 'static int w(void *arg) { return n++; }
int main(void) { thrd_t q[2]; int r[2]; for (int i = 0; i < 2; i++) thrd_create(&q[i], w, 0);
    for (int i = 0; i < 2; i++) thrd_join(q[i], &r[i]); assert(r[0] == 0); return 0; }'
broken tryjoin 'T(w) { if (n++ == 0) b = 1; return 0; }
int main(void) { MAKE(w); int r = pthread_tryjoin_np(t[0], 0), x = b;
    if (r != 0) pthread_join(t[0], 0); pthread_join(t[1], 0); assert(r != 0 || x == 1); return 0; }'

# ---- calls that are given the handle of one
broken timed_join 'T(w) { if (n++ == 0) b = 1; return 0; }
int main(void) { struct timespec bad = { .tv_nsec = -1 }; MAKE(w);
    int r = pthread_timedjoin_np(t[0], 0, &bad), x = b;
    if (r != 0) pthread_join(t[0], 0); pthread_join(t[1], 0); assert(r != 0 || x == 1); return 0; }'
broken join_self 'T(w) { int me = n++; if (pthread_join(t[0], 0) == EDEADLK) first = me + 1; return 0; }
int main(void) { MAKE(w); pthread_join(t[1], 0); assert(first != 2); return 0; }'
broken cancel 'T(w) { if (n++ == 0) pthread_testcancel(); b++; return 0; }
int main(void) { MAKE(w); pthread_cancel(t[1]); JOIN; assert(b == 2); return 0; }'

# ---- identity that a thread reads: in one of the two orders the first has the lower one
both_orders() { # NAME EXPRESSION
    for op in '<' '>'; do
        broken "$1" "static long id[2];
T(w) { int me = n++; id[me] = (long)$2; return 0; }
int main(void) { MAKE(w); JOIN; assert(id[0] $op id[1]); return 0; }"
        rm -rf "$1.d"
    done
}
both_orders self 'pthread_self()'
both_orders current 'thrd_current()'
both_orders tid 'gettid()'
both_orders tid_by_number 'syscall(SYS_gettid)'
broken equal 'T(w) { int me = n++; if (pthread_equal(t[0], pthread_self())) first = me; return 0; }
int main(void) { MAKE(w); JOIN; assert(first == 0); return 0; }'
for address in 'char here; slot[n++] = &here' \
    'static _Thread_local int mine; slot[n++] = &mine' \
    'int here; int me = n++; atomic_exchange(&slot[me], (void *)&here)'; do
    for op in '<' '>'; do
        broken addresses "T(w) { $address; return 0; }
int main(void) { MAKE(w); JOIN; assert(slot[0] $op slot[1]); return 0; }"
        rm -rf addresses.d
    done
done

# ---- what the creator does differently
broken mask 'static int blocked[2];
T(w) { sigset_t s; int me = n++; pthread_sigmask(SIG_BLOCK, 0, &s);
    blocked[me] = sigismember(&s, SIGUSR1); return 0; }
int main(void) { sigset_t s; sigemptyset(&s); sigaddset(&s, SIGUSR1);
    pthread_create(&t[0], 0, w, 0); pthread_sigmask(SIG_BLOCK, &s, 0);
    pthread_create(&t[1], 0, w, 0); JOIN; assert(!blocked[0]); return 0; }'

# ---- symmetric: one of the two orders is enough
clean joined_in_a_row 1 'T(w) { n++; return 0; }
int main(void) { MAKE(w); JOIN; assert(n == 2); return 0; }'
clean equal_attributes 1 'T(w) { n++; return 0; }
int main(void) { pthread_attr_t at; pthread_attr_init(&at); pthread_attr_setstacksize(&at, 1 << 20);
    for (int i = 0; i < 2; i++) pthread_create(&t[i], &at, w, 0); JOIN; assert(n == 2); return 0; }'
clean other_attributes 2 'T(w) { n++; return 0; }
int main(void) { pthread_attr_t at; pthread_attr_init(&at); pthread_attr_setstacksize(&at, 1 << 20);
    for (int i = 0; i < 2; i++) pthread_create(&t[i], i ? &at : 0, w, 0); JOIN; assert(n == 2);
    return 0; }'
