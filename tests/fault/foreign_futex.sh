#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# BURL-WHY: a foreign library that blocks in a futex of its own, past every interposer (as the
#   OpenMP runtime does), is named soon, and is neither a finding nor "never stops".
set -eu

cat >foreign.c <<'EOF2'
#include <sys/syscall.h>
static long
futex(int *word, long op, long value)
{
    register long r10 __asm__("r10") = 0;
    long ret;

    __asm__ volatile("syscall"
                     : "=a"(ret)
                     : "a"((long)SYS_futex), "D"(word), "S"(op), "d"(value), "r"(r10)
                     : "rcx", "r11", "memory");
    return ret;
}
static int gate;
void
gate_open(void)
{
    __atomic_store_n(&gate, 1, __ATOMIC_RELEASE);
    futex(&gate, 1, 1);
}
void
gate_wait(void)
{
    while (__atomic_load_n(&gate, __ATOMIC_ACQUIRE) == 0)
        futex(&gate, 0, 0);
}
EOF2
cat >prog.c <<'EOF2'
#include <pthread.h>
void gate_open(void);
void gate_wait(void);
static void *
opener(void *arg)
{
    gate_open();
    return arg;
}
static void *
waiter(void *arg)
{
    gate_wait();
    return arg;
}
int
main(int argc, char **argv)
{
    pthread_t t[2];

    /* With an argument main itself is the one that blocks. */
    (void)argv;
    pthread_create(&t[1], NULL, argc > 1 ? opener : waiter, NULL);
    if (argc > 1)
        gate_wait();
    pthread_create(&t[0], NULL, opener, NULL);
    pthread_join(t[0], NULL);
    pthread_join(t[1], NULL);
    return 0;
}
EOF2
"${CC:-cc}" -O2 -fPIC -shared foreign.c -o libforeign.so
"$BURL" cc -g -O2 prog.c -o prog -L. -lforeign -Wl,-rpath,"$PWD"
timeout 20 ./prog
timeout 20 ./prog main

for engine in auto fibers threads; do
    for arg in '' main; do
        code=0
        timeout 300 "$BURL" test --time=60s --engine=$engine --dir=store.$engine$arg ./prog $arg \
            >out.txt 2>&1 </dev/null || code=$?
        if [ $code -ne 3 ] || ! grep -q 'futex.*libforeign\.so' out.txt; then
            echo "engine $engine, argument '$arg': exit code $code, want 3 and the library named"
            cat out.txt
            exit 1
        fi
    done
done
