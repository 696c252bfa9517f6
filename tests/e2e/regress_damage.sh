#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
#
# `burl regress` on a store that has lost something, and on options that contradict each other: nothing is
# claimed that is not known, and recording again repairs the store.
. "$BURL_TEST_ROOT/tests/e2e/regress_lib.inc"

pair prog -O2 -g
printf 'pass: ./prog\nfails: ./prog 3\n' >burl.tests
run 0 "$BURL" regress record
cp -r .burl kept
cp prog base
sed -i '/pthread_mutex_/d' prog.c
build prog -O2 -g
cp prog edited

# Without the base's bitcode nothing is known of the change: a race is not called one of the base.
rm .burl/regress/*.bc
run 0 "$BURL" regress select
has out 'not judged: the change of prog is not known: the store has lost .burl/regress/'
has out 'run `burl regress record` again'
run 1 "$BURL" regress run --only=pass
has out 'new finding'
hasnt out 'the program is that of the base'

# Recording the same build again brings it back, also where it is damaged.
for harm in 'rm' 'truncate -s 100'; do
    rm -rf .burl
    cp -r kept .burl
    $harm .burl/regress/*.bc
    cp base prog
    run 0 "$BURL" regress record
    has out '2 of 2 tests recorded already'
    diff -r kept/regress .burl/regress || fail "$harm: not repaired"
done

# A test that failed before fails by itself: not a consequence of the new race that it has as well.
cp edited prog
run 1 "$BURL" regress run --only=fails
has out 'race.data  prog.c:7'
grep -A1 'exit.nonzero' out | grep -q 'known: the test failed when the base was recorded' ||
    fail "a failure of the base is called new"

# A mistyped directory is not made a store.
for sub in select run show experiment; do
    run 2 "$BURL" regress $sub --dir=nosuch
    has err 'there is no store in nosuch'
    [ ! -e nosuch ] || fail "$sub made a store"
done

run 2 "$BURL" regress record --suite=burl.tests --ctest=.
has err '--suite and --ctest name two suites; give one'
run 0 "$BURL" regress select
for sub in select show; do
    run 2 "$BURL" regress $sub --json --explain=nosuch
    has out 'the suite has no such test'
done

# A test that leaves a process behind: what that executes is not known, and the test is selected. A
# test whose processes have all exited is complete.
cat >leave.cc <<'SRC'
#include <fcntl.h>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>
static int n;
static void add() { n++; }
static bool wait_for(const char *fifo)
{
    char c;
    return read(open(fifo, O_RDONLY), &c, 1) == 1;
}
int main(int argc, char **argv)
{
    pid_t p = fork();
    if (p == 0) {
        if (argc > 1 && (setsid(), fork() != 0))
            _exit(0);
        if (argc > 1 && !wait_for(argv[1]))
            _exit(1);
        std::thread t([] { add(); });
        std::thread u(add);
        t.join();
        u.join();
        _exit(0);
    }
    waitpid(p, nullptr, 0);
    return 0;
}
SRC
"$BURL" c++ -O2 -g leave.cc -o leave -pthread || fail "leave.cc"
mkfifo fifo
printf 'all exit: ./leave\nstays: ./leave fifo\n' >burl.tests
run 0 "$BURL" regress record --as=leave
has out '1 recorded in part: stays (a process of it was still running when it ended)'
echo x >fifo
sed -i 's/n++/n += 2/' leave.cc
"$BURL" c++ -O2 -g leave.cc -o leave -pthread || fail "leave.cc"
run 0 "$BURL" regress select
has out 'not judged: its history of leave is incomplete (a process of it was still running when it ended)'
# The two threads of std::thread by what is known of them.
grep -q 'in lambda:20; leave.cc:6 [a-z]* it in std::thread' out || fail "roles"

# The failure of a test that always fails confirms no triple; what is left is listed in part.
cat >twice.c <<'SRC'
#include <pthread.h>
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static int n;
static void add(void) { pthread_mutex_lock(&m); n++; pthread_mutex_unlock(&m); }
static void *work(void *arg) { for (int i = 0; i < 5; i++) add(); return arg; }
int main(void)
{
    pthread_t t;
    pthread_create(&t, 0, work, 0);
    add();
    pthread_join(t, 0);
    return 3;
}
SRC
build twice -O2 -g
for i in 1 2 3 4 5 6 7 8; do echo "t$i: ./twice"; done >burl.tests
run 0 "$BURL" regress record --as=twice
run 0 "$BURL" regress run --all-tests --only=t1 --json
mv out out.json
holds '.suspects | length > 0' 'no triple is potential'
holds '[.suspects[] | select(.confirmed)] == []' 'a triple is confirmed by an ordinary failure'
run 4 "$BURL" regress run --all-tests --time=1ms
has out ', and 3 more (see --verbose)'

# A process that ends before its thread has begun: nothing is known of that thread. Whether it has begun is
# up to the kernel, so this is tried until it has not; a thread that is joined has always begun.
cat >early.c <<'SRC'
#include <pthread.h>
#include <unistd.h>
static int n;
static void *work(void *arg) { n++; return arg; }
int main(int argc, char **argv)
{
    pthread_t t;
    (void)argv;
    pthread_create(&t, 0, work, 0);
    if (argc > 1)
        pthread_join(t, 0);
    work(0);
    _exit(0);
}
SRC
build early -O2 -g
printf 'early: ./early\njoins: ./early 1\n' >burl.tests
for i in $(seq 200); do
    run 0 "$BURL" regress record --as=early --fresh 2>/dev/null
    hasnt out joins
    ! grep -q 'it ended before a thread had begun' out || break
done
has out '1 recorded in part: early ('
sed -i 's/n++/n += 2/' early.c
build early -O2 -g
run 0 "$BURL" regress select
has out 'not judged: its history of early is incomplete ('

# A tool that a script started and that is gone: its test is not judged. The command of a test that is
# gone has to be built.
pair tool -O2 -g
pair main -O2 -g
printf 'script: sh -c "test ! -x tool || ./tool"\nmain: ./main\n' >burl.tests
run 0 "$BURL" regress record --as=tool
rm tool
run 0 "$BURL" regress select
has out '1 of 2 tests selected'
has out 'tool, which it ran, does not exist'
rm main
run 2 "$BURL" regress select
has err 'main does not exist; build it first'

# Names of versions are printed and typed.
for name in "$(printf 'a\nb')" "$(printf 'a\033[1m')" "$(printf '%0201d' 0)"; do
    run 2 "$BURL" regress record --as="$name"
    has err '--as: a name has at most 200 characters and no control characters'
done
