#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# BURL-WHY: the guard of a C++ static variable, a once flag and the word of a futex are memory that the
#   program reads and writes beside the calls that wait there. A search of all interleavings has to try
#   these accesses before and after the calls of other threads: each outcome is one of its executions.
. "$BURL_TEST_ROOT/tests/support/lib.inc"

cat >first.cpp <<'SRC'
#include <atomic>
#include <cerrno>
#include <linux/futex.h>
#include <pthread.h>
#include <sys/syscall.h>
#include <unistd.h>

struct box {
    explicit box(int by) : v(by) { if (by == 0) throw 1; }
    int v;
};
static std::atomic<int> n_thrown;
static pthread_once_t once = PTHREAD_ONCE_INIT;
static int word;

static box &the_box(int by) { static box b(by); return b; }

static void *initializes(void *arg)
{
    try {
        the_box((int)(long)arg);
    } catch (int) {
        n_thrown++;
    }
    return nullptr;
}

static void nothing() { }
static void *calls_once(void *) { pthread_once(&once, nothing); return nullptr; }
static void *stores(void *) { word = 1; __atomic_thread_fence(__ATOMIC_SEQ_CST); word = 0; return nullptr; }

static void *wakes(void *)
{
    static int other;
    syscall(SYS_futex, &other, FUTEX_WAKE_OP, 1, 1, &word, FUTEX_OP(FUTEX_OP_SET, 1, FUTEX_OP_CMP_EQ, 5));
    return nullptr;
}

static int outcome(char program)
{
    int r = 0;
    pthread_t a, b;

    switch (program) {
    case 's': /* static variable: the one who initializes it */
    case 't': /* the same, when the first attempt throws */
        pthread_create(&a, nullptr, initializes, (void *)(program == 's' ? 2L : 0L));
        pthread_create(&b, nullptr, initializes, (void *)1L);
        pthread_join(a, nullptr);
        pthread_join(b, nullptr);
        return program == 's' ? the_box(3).v : n_thrown.load();
    case 'o': /* once flag, read without its function */
        pthread_create(&a, nullptr, calls_once, nullptr);
        r = __atomic_load_n(&once, __ATOMIC_ACQUIRE) != 0;
        break;
    case 'w': /* futex: the kernel changes a second word */
        pthread_create(&a, nullptr, wakes, nullptr);
        r = __atomic_load_n(&word, __ATOMIC_ACQUIRE);
        break;
    default: /* futex: does the word have the value to wait for? */
        pthread_create(&a, nullptr, stores, nullptr);
        r = syscall(SYS_futex, &word, FUTEX_WAIT, 1, 0, 0, 0) == 0 || errno != EAGAIN;
        break;
    }
    pthread_join(a, nullptr);
    return r;
}

int main(int, char **argv) { return outcome(argv[1][0]) == argv[2][0] - '0'; }
SRC
build first

# Each of two outcomes is reached by the search itself: it names failures that only others found.
for p in 's 1' 's 2' 't 0' 't 1' 'f 0' 'f 1' 'w 0' 'w 1'; do
    rm -rf .burl
    # shellcheck disable=SC2086
    "$BURL" test --strategy=exhaustive --detect=none ./first $p >out 2>err </dev/null
    has out 'exit.nonzero'
    hasnt out 'not complete'
done
# glibc's once flag says more while the routine runs than burl's: no proof of what a program reads there.
for p in 'o 0' 'o 1' 'o 2'; do
    rm -rf .burl
    # shellcheck disable=SC2086
    "$BURL" test --strategy=exhaustive --detect=none ./first $p >out 2>err </dev/null
    has out 'the memory of a lock, condition variable, barrier or semaphore is accessed directly'
done
# What cannot happen is proved, with all orders.
for p in 's 3' 't 2' 'w 2'; do
    rm -rf .burl
    # shellcheck disable=SC2086
    run 0 "$BURL" test --strategy=exhaustive --detect=none ./first $p
    has out 'interleavings explored, none fails'
done
