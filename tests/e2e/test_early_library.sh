#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# BURL-WHY: a library that is not instrumented is initialized before the runtime; the keys, signal
#   handlers and semaphores that its constructors make (as GLib's do) work in every execution.
set -eu

cat >early.c <<'EOF2'
#include <pthread.h>
#include <semaphore.h>
#include <fcntl.h>
#include <signal.h>
#include <threads.h>
#include <unistd.h>
pthread_key_t early_key;
tss_t early_tss;
sem_t *early_sem;
volatile sig_atomic_t early_caught;
static void
caught(int sig)
{
    (void)sig;
    early_caught++;
}
__attribute__((constructor)) static void
setup(void)
{
    static int seven = 7;
    struct sigaction act = { .sa_handler = caught };

    pthread_key_create(&early_key, NULL);
    tss_create(&early_tss, NULL);
    pthread_setspecific(early_key, &seven);
    sigaction(SIGUSR1, &act, NULL);
    signal(SIGUSR2, caught);
    early_sem = sem_open("/early-sem", O_CREAT, 0600, 1);
}
EOF2
cat >prog.c <<'EOF2'
#include <assert.h>
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <threads.h>
extern pthread_key_t early_key;
extern tss_t early_tss;
extern sem_t *early_sem;
extern volatile sig_atomic_t early_caught;
static void *
work(void *arg)
{
    assert(pthread_getspecific(early_key) == NULL);
    assert(pthread_setspecific(early_key, arg) == 0);
    assert(tss_set(early_tss, arg) == thrd_success);
    assert(sem_wait(early_sem) == 0);
    assert(sem_post(early_sem) == 0);
    assert(pthread_getspecific(early_key) == arg && tss_get(early_tss) == arg);
    return arg;
}
int
main(void)
{
    pthread_t t[2];
    int x[2];

    assert(*(int *)pthread_getspecific(early_key) == 7);
    for (int i = 0; i < 2; i++)
        assert(pthread_create(&t[i], NULL, work, &x[i]) == 0);
    for (int i = 0; i < 2; i++)
        assert(pthread_join(t[i], NULL) == 0);
    raise(SIGUSR1);
    raise(SIGUSR2);
    assert(early_caught == 2);
    return 0;
}
EOF2
${CC:-cc} -w -fPIC -shared early.c -o libearly.so
"$BURL" cc -w -g prog.c -L. -learly -Wl,-rpath,"$PWD" -o prog
# The test is about this order; were it another, it would show nothing.
LD_DEBUG=files ./prog 2>&1 | grep 'calling init' >order.txt
awk '/libearly/ { e = NR } /libburl_rt/ { r = NR } END { exit !(e > 0 && e < r) }' order.txt || {
    echo "the library is not initialized before the runtime:"
    cat order.txt
    exit 1
}
for engine in fibers threads; do
    "$BURL" test --runs=100 --engine=$engine ./prog >out.txt 2>&1 </dev/null || {
        echo "engine $engine: a correct program fails"
        cat out.txt
        exit 1
    }
done
"$BURL" run ./prog >out.txt 2>&1 </dev/null || { echo 'burl run fails'; cat out.txt; exit 1; }
