#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
#
# BURL-WHY: what is said of a fatal signal is true: of one that the processor raised, with an address
#   or without one (general protection), and of one that the program sent itself, by every call.
set -u
. "$BURL_TEST_ROOT/tests/support/lib.inc"

cat >s.c <<'EOF2'
#define _GNU_SOURCE
#include <pthread.h>
#include <signal.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <unistd.h>

static int how, sig;
static volatile uintptr_t wild = 0xdeadbeefdeadbeef;
static volatile int zero;
static char bytes[64] __attribute__((aligned(16)));

static void *
worker(void *arg)
{
    switch (how) {
    case 0: raise(sig); break;
    case 1: pthread_kill(pthread_self(), sig); break;
    case 2: syscall(SYS_tgkill, getpid(), syscall(SYS_gettid), sig); break;
    case 3: kill(getpid(), sig); break;
    case 4: abort();
    case 10: *(volatile int *)wild = 1; break;
    case 11: __asm__ volatile("movaps (%0), %%xmm0" : : "r"(bytes + 1) : "xmm0"); break;
    case 12:
        __asm__ volatile("push %%rbp\n mov %0, %%rbp\n mov (%%rbp), %%rax\n pop %%rbp"
                         : : "r"(wild) : "rax");
        break;
    case 13: *(volatile int *)(wild & 0xff) = 1; break;
    case 14: *(volatile int *)(wild & 0xffffff) = 1; break;
    case 15: how = 5 / zero; break;
    case 16: __builtin_trap();
    case 17: __asm__ volatile("int3"); break;
    }
    return arg;
}

int
main(int argc, char **argv)
{
    pthread_t t;

    how = atoi(argv[1]);
    sig = argc > 2 ? atoi(argv[2]) : 0;
    pthread_create(&t, NULL, worker, NULL);
    pthread_join(t, NULL);
    return 0;
}
EOF2
build s

# says TEXT ARGUMENT...: burl test and burl run say so of the crash, and one of them alone is not enough.
says() {
    local text=$1 command
    shift
    for command in "test --fresh --runs=10 --engine=fibers" "test --fresh --runs=10 --engine=threads" run; do
        rm -rf .burl
        "$BURL" $command ./s "$@" >out 2>&1 </dev/null
        [ $? -eq 1 ] || fail "burl $command ./s $*: no finding"
        tr '\n' ' ' <out | tr -s ' ' >line
        has line "T1 worker $text"
    done
}

says "crashes: general protection fault, as by a non-canonical address or a misaligned vector (SIGSEGV)" 10
says "crashes: general protection fault, as by a non-canonical address or a misaligned vector (SIGSEGV)" 11
says "crashes: general protection fault, as by a non-canonical address or a misaligned vector (SIGBUS)" 12
says "dereferences a null pointer (SIGSEGV)" 13
says "accesses invalid memory at 0xadbeef (SIGSEGV)" 14
says "causes an arithmetic error (SIGFPE)" 15
says "is killed by a signal (SIGILL)" 16
says "is killed by a signal (SIGTRAP)" 17
for sig in SEGV BUS FPE ILL TRAP; do
    n=$(kill -l $sig)
    for how in 0 1 2; do
        says "crashes: a signal the program sent to itself (SIG$sig)" $how "$n"
    done
done
# SIGABRT that the program sends itself is no call of abort(). The kernel chooses the thread for kill().
n=$(kill -l ABRT)
for how in 0 1 2; do
    says "aborts: the program sent itself SIGABRT" $how "$n"
done
run 1 "$BURL" run ./s 3 "$n"
has err "aborts: the program sent itself SIGABRT"
run 1 "$BURL" run ./s 3 "$(kill -l SEGV)"
has err "crashes: a signal the program sent to itself (SIGSEGV)"
run 1 "$BURL" run ./s 4
has err "T1 worker aborts at s.c:"
