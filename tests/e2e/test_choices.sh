#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
#
# Choices of the tool in a search: spurious wakeups are part of proofs unless --no-spurious is given;
# deadlocks are not escaped by them; which waiter a signal wakes, spurious wakeups and faults are
# records of the schedule, so that what needs them replays from the file alone; files of version 1
# still leave them to the seed.
. "$BURL_TEST_ROOT/tests/e2e/run_lib.inc"

programs=$BURL_TEST_ROOT/tests
# from SUITE NAME AS: builds a program of another suite.
from() {
    cp "$programs/$1/$2.c" "$3.c"
    build "$3"
}
# search CODE PROGRAM [options]
search() {
    run "$1" "$BURL" test --strategy=exhaustive --seed=1 --dir="$2.d" "${@:3}" "./$2"
}

# ---- proofs say what they are about, and one kind is not taken for the other
from must_find spurious_if bad
search 0 bad --no-spurious
has out "all 2 interleavings explored, none fails (without spurious wakeups)"
search 1 bad
has out "crash.abort"
has out "needs a spurious wakeup"
has out "spurious wakeup, reacquires mutex"
run 1 "$BURL" replay --dir=bad.d 1
has out "(same steps)"
search 0 bad --no-spurious # nor is its kept schedule run
from must_pass spurious_if good
search 0 good
has out "all 3 interleavings explored, none fails"
hasnt out "without spurious"
search 0 good --no-spurious
has out "all 2 interleavings explored, none fails (without spurious wakeups)"
search 0 good
hasnt out "without spurious"
run 0 "$BURL" test --strategy=exhaustive --fresh --seed=1 --dir=good.d --json ./good
[ "$(jq -r .search.spurious_wakeups out)" = true ] || fail "JSON: spurious_wakeups"
[ "$(jq -r .search.faults out)" = none ] || fail "JSON: faults"
run 1 "$BURL" test --strategy=exhaustive --fresh --seed=1 --dir=bad.d --json ./bad
[ "$(jq -r .execution.spurious_wakeups bad.d/findings/1/finding.json)" = 1 ] || fail "JSON: of the finding"
for engine in fibers threads; do # the same with real threads
    run 1 "$BURL" test --fresh --seed=1 --engine=$engine --runs=2000 --dir=e.d ./bad
    has out "needs a spurious wakeup"
done

# ---- the schedule file alone is enough, and the choice in it is what it takes
cp bad.d/findings/1/schedule.txt s.txt
has s.txt "burl-schedule 3"
has s.txt "= 1  spurious"
run 1 "$BURL" replay --schedule=s.txt ./bad
grep -v '^choice' s.txt | sed 's/^checksum .*/checksum none/' >without.txt
n=$(grep -c '^switch ' without.txt || true)
sed -i "s/^switches .*/switches $n/;s/^end .*/end $n/" without.txt
run 0 "$BURL" replay --schedule=without.txt ./bad

# ---- a wait that is never signaled is a deadlock, whatever wakes spuriously elsewhere
cat >stuck.c <<'END'
#include <pthread.h>
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t c = PTHREAD_COND_INITIALIZER;
static void *wait_once(void *arg) {
    pthread_mutex_lock(&m);
    pthread_cond_wait(&c, &m);
    pthread_mutex_unlock(&m);
    return arg;
}
int main(void) {
    pthread_t t;
    pthread_create(&t, 0, wait_once, 0);
    pthread_join(t, 0);
    return 0;
}
END
build stuck
search 1 stuck
has out "deadlock.stuck"
hasnt out "needs a spurious wakeup"

# ---- a failure that comes without a spurious wakeup too is not said to need one
from must_find if_not_while stolen
for seed in 1 2 3; do
    run 1 "$BURL" test --strategy=exhaustive --fresh --seed=$seed --dir=stolen.d ./stolen
    has out "crash.abort"
    hasnt out "needs a spurious wakeup"
done

# ---- which waiter a signal wakes is a choice of the schedule
cat >waiter.c <<'END'
#include <assert.h>
#include <pthread.h>
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t c = PTHREAD_COND_INITIALIZER;
static int waiting, token, first;
static void *waiter(void *arg) {
    pthread_mutex_lock(&m);
    waiting++;
    while (!token)
        pthread_cond_wait(&c, &m);
    token--;
    if (!first)
        first = (int)(long)arg;
    pthread_mutex_unlock(&m);
    return 0;
}
int main(void) {
    pthread_t t[3];
    for (long i = 0; i < 3; i++)
        pthread_create(&t[i], 0, waiter, (void *)(i + 1));
    for (int ready = 0; !ready;) {
        pthread_mutex_lock(&m);
        if (waiting == 3)
            ready = token = 1, pthread_cond_signal(&c);
        pthread_mutex_unlock(&m);
    }
    for (int go = 1; go;) { /* the others follow one by one */
        pthread_mutex_lock(&m);
        go = !first;
        pthread_mutex_unlock(&m);
    }
    pthread_mutex_lock(&m);
    token += 2;
    pthread_cond_broadcast(&c);
    pthread_mutex_unlock(&m);
    for (int i = 0; i < 3; i++)
        pthread_join(t[i], 0);
    assert(first != 3);
    return 0;
}
END
build waiter
run 1 "$BURL" test --seed=1 --strategy=random --no-minimize --no-spurious --stop-at-first --runs=3000 \
    --dir=waiter.d ./waiter
has out "crash.abort"
run 1 "$BURL" replay --dir=waiter.d 1
has out "(same steps)"

# ---- files of version 1 have no choices: the seed decides, as it did
cp waiter.d/findings/1/schedule.txt s.txt
grep -v '^choice' s.txt | sed 's/^burl-schedule .*/burl-schedule 1/;s/^checksum .*/checksum none/
    s/^trace-hash .*/trace-hash 0000000000000000/' >old.txt
n=$(grep -c '^switch ' old.txt)
sed -i "s/^switches .*/switches $n/;s/^end .*/end $n/" old.txt
run 1 "$BURL" replay --schedule=old.txt ./waiter
has out "crash.abort"

# ---- faults
from must_find fault_malloc_unchecked nomem
search 0 nomem
search 1 nomem --faults=malloc
has out "needs an injected fault: malloc fails"
has out "malloc(16) fails (injected)"
run 1 "$BURL" replay --dir=nomem.d 1
search 0 nomem --faults=create
has out "none fails (with at most 1 injected fault: create)"
from must_pass fault_lock_leak checked
search 0 checked --faults=create,malloc
has out "none fails (with at most 1 injected fault: create,malloc)"
run 2 "$BURL" test --faults=malloc,disk ./checked
has err 'not "disk"'
run 2 "$BURL" test --faults= ./checked

# a program without threads has faults to try
cat >single.c <<'END'
#include <stdlib.h>
int main(void) {
    int *p = calloc(4, sizeof *p);
    p[0] = 1;
    free(p);
    return 0;
}
END
build single
run 1 "$BURL" test --faults=malloc --runs=500 --dir=single.d ./single
has out "calloc fails"

# every function of the family fails as it says it does
cat >family.c <<'END'
#define _GNU_SOURCE
#include <assert.h>
#include <errno.h>
#include <malloc.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <threads.h>
static int failed;
static void *check(void *p) {
    if (p == NULL) {
        assert(errno == ENOMEM);
        failed++;
    }
    errno = 0;
    return p;
}
static int nothing(void *arg) { (void)arg; return 0; }
static void *none(void *arg) { return arg; }
int main(void) {
    void *p[9], *q = NULL;
    thrd_t c;
    pthread_t t;
    int r;
    p[0] = check(malloc(1));
    p[1] = check(calloc(1, 1));
    p[2] = check(realloc(NULL, 1));
    p[3] = check(aligned_alloc(64, 64));
    p[4] = check(memalign(64, 64));
    p[5] = check(valloc(1));
    p[6] = check(strdup("x"));
    p[7] = check(reallocarray(NULL, 1, 1));
    r = posix_memalign(&q, 64, 1);
    assert(r == 0 || r == ENOMEM);
    failed += r != 0;
    p[8] = r == 0 ? q : NULL;
    q = realloc(p[0], 100); /* a failure leaves the block */
    if (q == NULL && p[0] != NULL)
        ((char *)p[0])[0] = 1;
    else
        p[0] = q;
    for (int i = 0; i < 9; i++)
        free(p[i]);
    r = thrd_create(&c, nothing, NULL);
    assert(r == thrd_success || r == thrd_error || r == thrd_nomem);
    if (r == thrd_success)
        thrd_join(c, NULL);
    r = pthread_create(&t, NULL, none, NULL);
    assert(r == 0 || r == EAGAIN);
    if (r == 0)
        pthread_join(t, NULL);
    assert(failed <= 1);
    return failed;
}
END
build family
search 1 family --faults=malloc,create
has out "exit.nonzero"
hasnt out "crash"
