#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# Noise of free runs: each kind does what it says on a program made for it, and the program is quiet
# without; draws repeat with the seed; settings that inject nothing say why; bad settings are
# refused.
. "$BURL_TEST_ROOT/tests/e2e/run_lib.inc"

# The window between the two critical sections is some instructions wide, and a thread is over
# before the next one is created.
cat >lost.c <<'SRC'
#include <pthread.h>
static int n;
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static void *
add(void *arg)
{
    int x;
    pthread_mutex_lock(&m);
    x = n;
    pthread_mutex_unlock(&m);
    pthread_mutex_lock(&m);
    n = x + 1;
    pthread_mutex_unlock(&m);
    return arg;
}
int
main(void)
{
    pthread_t a, b;
    pthread_create(&a, NULL, add, NULL);
    pthread_create(&b, NULL, add, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    return n != 2;
}
SRC
build lost
cp lost.c lost2.c
build lost2 -O2

# shows SETTING PROGRAM: the error within 20 seeds; no data race is reported.
shows() {
    for seed in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20; do
        $pin "$BURL" run --json --noise="$1" --noise-seed=$seed ./"$2" >out.json 2>err
        got=$?
        [ $got -le 1 ] || fail "exit code $got with $1"
        hasnt out.json race.data
        [ $got -eq 1 ] && return 0
    done
    fail "20 runs with $1 do not show the lost update of $2"
}

pin=
for kind in sleep wait busyWait mixed; do
    shows $kind:freq=500,strength=20 lost
done
shows sleep:freq=500,strength=20,place=shared+random lost
shows sleep:freq=500,strength=20,place=random+coverage lost2
shows sleep:freq=500,strength=20,place=random,halt,tamper lost2
# On one processor a thread that yields lets the other run.
if command -v taskset >/dev/null; then
    pin="taskset -c $(taskset -cp $$ | sed 's/.*: *//; s/[,-].*//')"
    shows yield:freq=1000,strength=20 lost
    shows synchYield:freq=1000,strength=20 lost
    pin=
fi
# failing [OPTION]: sets failures, the failing runs of ten. On a busy machine the threads may overlap without
# noise too, so that numbers are compared and no single run is judged.
failing() {
    failures=0
    for i in 1 2 3 4 5 6 7 8 9 10; do
        "$BURL" run --quiet "$@" ./lost >out 2>err
        got=$?
        [ $got -le 1 ] || fail "exit code $got with $*"
        failures=$((failures + got))
    done
}
failing --noise=sleep:freq=1000,strength=20
noisy=$failures
[ "$noisy" -ge 5 ] || fail "noise at every place shows the lost update in $noisy of 10 runs only"
failing
[ "$failures" -lt "$noisy" ] || fail "$failures of 10 runs fail without noise, $noisy with it"
failing --noise=sleep:freq=0
[ "$failures" -lt "$noisy" ] || fail "$failures of 10 runs fail with frequency 0, $noisy with 1000"

# ---- the same draws with the same seed ---------------------------------------------------------

draws() {
    "$BURL" run --json --noise="$1" --noise-seed="$2" ./lost 2>err >out.json
    jq -c '[.noise.places, .noise.injected]' out.json
}
first=$(draws sleep:freq=300,strength=1 7)
for kind in sleep yield wait busyWait; do
    again=$(draws $kind:freq=300,strength=1 7)
    [ "$again" = "$first" ] || fail "$kind with seed 7: $again, before $first"
done
different=
for seed in 8 9 10 11; do
    [ "$(draws yield:freq=300 $seed)" = "$first" ] || different=yes
done
[ -n "$different" ] || fail "every seed draws the same"
draws yield:freq=1000 1 >all
[ "$(jq '.[0] - .[1]' all)" -eq 0 ] || fail "frequency 1000 does not inject everywhere: $(cat all)"

# Two threads create threads of their own: which of them is first differs from run to run, which is chosen here.
# Threads of std::thread and of a wrapper have one start routine and one creation site; std::async is std::thread
# and a wait whose number of steps differs.
cat >roles.cpp <<'SRC'
#include <atomic>
#include <cstring>
#include <pthread.h>
#include <semaphore.h>
#include <thread>
#include <threads.h>
static std::atomic<long> few, many;
static void add_few() { for (int i = 0; i < 20; i++) few++; }
static void add_many() { for (int i = 0; i < 400; i++) many++; }
static int call_c11(void *f) { reinterpret_cast<void (*)()>(f)(); return 0; }
static void *call(void *f) { reinterpret_cast<void (*)()>(f)(); return nullptr; }
static void in_thread(void (*f)()) { std::thread(f).join(); }
static void in_c11(void (*f)())
{
    thrd_t t;
    thrd_create(&t, call_c11, reinterpret_cast<void *>(f));
    thrd_join(t, nullptr);
}
static void in_wrapper(void (*f)())
{
    pthread_t t;
    pthread_create(&t, nullptr, call, reinterpret_cast<void *>(f));
    pthread_join(t, nullptr);
}
static void (*run)(void (*)());
static sem_t turn[2];
/* Creates four threads when it is its turn. */
static void create(int me, void (*f)())
{
    while (sem_wait(&turn[me]) != 0)
        ;
    for (int i = 0; i < 4; i++)
        run(f);
    sem_post(&turn[1 - me]);
}
int main(int, char **argv)
{
    const char *how = argv[1];
    int first = argv[2][0] - '0';
    run = !strcmp(how, "c11") ? in_c11
        : !strcmp(how, "wrapper") ? in_wrapper : in_thread;
    sem_init(&turn[0], 0, first == 0);
    sem_init(&turn[1], 0, first == 1);
    std::thread x([] { create(0, add_few); });
    std::thread y([] { create(1, add_many); });
    x.join();
    y.join();
    return 0;
}
SRC
build roles
roles() {
    "$BURL" run --json --noise=yield:freq=300,strength=1,seed=9 ./roles "$@" 2>err >out.json || fail "roles $*"
    jq -c '[.noise.places, .noise.injected]' out.json
}
for how in thread c11 wrapper; do
    first=$(roles $how 0)
    for order in 1 0 1; do
        again=$(roles $how $order)
        [ "$again" = "$first" ] || fail "$how: draws depend on the order of creation: $again, before $first"
    done
done

# ---- kinds by what they cost ---------------------------------------------------------------------

cat >cost.c <<'SRC'
#include <pthread.h>
#include <stdio.h>
#include <time.h>
#include <unistd.h>
static volatile int shared;
static int pipes[2];
static long
ms(clockid_t c)
{
    struct timespec t;
    clock_gettime(c, &t);
    return t.tv_sec * 1000 + t.tv_nsec / 1000000;
}
static void *
wait_for_end(void *arg)
{
    char c;
    (void)!read(pipes[0], &c, 1);
    return arg;
}
int
main(void)
{
    pthread_t t;
    long wall, cpu;
    pipe(pipes);
    pthread_create(&t, NULL, wait_for_end, NULL);
    wall = ms(CLOCK_MONOTONIC);
    cpu = ms(CLOCK_THREAD_CPUTIME_ID);
    for (int i = 0; i < 10; i++)
        shared = i;
    wall = ms(CLOCK_MONOTONIC) - wall;
    cpu = ms(CLOCK_THREAD_CPUTIME_ID) - cpu;
    printf("%ld %ld\n", wall, cpu);
    close(pipes[1]);
    pthread_join(t, NULL);
    return 0;
}
SRC
build cost
# cost KIND: sets wall and cpu, in ms, of 10 injections of strength 20.
cost() {
    run 0 "$BURL" run --noise="$1:freq=1000,strength=20" ./cost
    read -r wall cpu <out
}
cost sleep
[ "$wall" -ge 195 ] && [ "$cpu" -lt 100 ] || fail "sleep: $wall ms, $cpu ms of CPU"
cost wait
[ "$wall" -ge 195 ] && [ "$cpu" -lt 100 ] || fail "wait: $wall ms, $cpu ms of CPU"
cost busyWait
[ "$wall" -ge 195 ] || fail "busyWait: $wall ms"
[ "$cpu" -ge 20 ] || fail "busyWait does not spin: $cpu ms of CPU"
run 0 "$BURL" run ./cost
read -r wall cpu <out
[ "$cpu" -lt 20 ] || fail "without noise: $cpu ms of CPU"

# ---- places ----------------------------------------------------------------------------------------

# Two threads, one shared variable among private ones.
cat >places.c <<'SRC'
#include <pthread.h>
#include <semaphore.h>
static int shared, other;
static int mine[2][64];
static sem_t turn[2];
static void *
work(void *arg)
{
    int me = (int)(long)arg;
    for (int i = 0; i < 50; i++) {
        sem_wait(&turn[me]);
        shared++;
        other += i == 0;
        sem_post(&turn[!me]);
        for (int k = 0; k < 64; k++)
            mine[me][k]++;
    }
    return arg;
}
int
main(void)
{
    pthread_t t[2];
    sem_init(&turn[0], 0, 1);
    sem_init(&turn[1], 0, 0);
    for (long i = 0; i < 2; i++)
        pthread_create(&t[i], NULL, work, (void *)i);
    for (int i = 0; i < 2; i++)
        pthread_join(t[i], NULL);
    return shared != 100;
}
SRC
build places
# places SETTING: the number of places of a run.
places() {
    run 0 "$BURL" run --json --noise="$1" ./places
    mv out out.json
    jq .noise.places out.json
}
all=$(places yield:freq=1 | tail -1)
shared=$(places yield:freq=1,place=shared | tail -1)
one=$(places yield:freq=1,place=one | tail -1)
cover=$(places yield:freq=1,place=coverage | tail -1)
[ "$all" -gt 6000 ] || fail "random: $all places"
[ "$shared" -gt 150 ] && [ "$shared" -lt 600 ] || fail "shared: $shared places of $all"
[ "$one" -gt 50 ] && [ "$one" -lt "$shared" ] || fail "one: $one places, shared: $shared"
[ "$cover" -gt 50 ] && [ "$cover" -le "$shared" ] || fail "coverage: $cover places"
run 0 "$BURL" run --json --noise=yield:freq=1000,place=coverage ./places
mv out out.json
full=$(jq .noise.injected out.json)
run 0 "$BURL" run --json --noise=yield:freq=1000,place=adaptive ./places
mv out out.json
adapted=$(jq .noise.injected out.json)
[ "$adapted" -lt "$full" ] && [ "$adapted" -gt 0 ] || fail "adaptive: $adapted of $full"

# None in signal handlers, in children of fork, and before there is a second thread.
cat >handler.c <<'SRC'
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>
static volatile int n;
static int pipes[2];
static sigjmp_buf out;
static void
many(void)
{
    for (int i = 0; i < 1000; i++)
        n++;
}
static void
on_signal(int s)
{
    many();
    if (s == SIGUSR2)
        siglongjmp(out, 1);
}
static void *
idle(void *arg)
{
    char c;
    (void)!read(pipes[0], &c, 1);
    return arg;
}
__attribute__((constructor)) static void
early(void)
{
    many();
}
int
main(int argc, char **argv)
{
    pthread_t t;
    (void)argv;
    pipe(pipes);
    signal(SIGUSR1, on_signal);
    signal(SIGUSR2, on_signal);
    many();
    pthread_create(&t, NULL, idle, NULL);
    raise(SIGUSR1);
    if (fork() == 0) {
        many();
        _exit(0);
    }
    wait(NULL);
    if (sigsetjmp(out, 1) == 0)
        raise(SIGUSR2);
    if (argc > 1)
        many(); /* the handler is left: noise again */
    close(pipes[1]);
    pthread_join(t, NULL);
    return 0;
}
SRC
build handler -Wno-unused-result
run 0 "$BURL" run --json --noise=yield:freq=1 ./handler
mv out out.json
holds '.noise.places < 200' "noise in a handler, a child or a constructor"
run 0 "$BURL" run --json --noise=yield:freq=1 ./handler more
mv out out.json
holds '.noise.places > 2000 and .noise.places < 2300' "no noise after a longjmp out of a handler"

# ---- nothing injected ------------------------------------------------------------------------------

cat >alone.c <<'SRC'
#include <pthread.h>
static void *
nothing(void *arg)
{
    return arg;
}
int
main(int argc, char **argv)
{
    pthread_t t;
    (void)argv;
    if (argc > 1) {
        pthread_create(&t, NULL, nothing, NULL);
        pthread_join(t, NULL);
    }
    return 0;
}
SRC
build alone
run 0 "$BURL" run --noise=sleep:place=shared ./alone
has err "warning: no noise was injected: the program had one thread only"
run 0 "$BURL" run --noise=sleep:place=shared ./alone 2
has err "warning: no noise was injected: no variable was used by two threads; use place=random"
run 0 "$BURL" run --noise=sleep:place=one ./alone 2
has err "warning: no noise was injected: no variable was used by two threads; use place=random"
# A number that the build does not have, in a program with a shared variable.
cat >one.c <<'SRC'
#include <pthread.h>
static int n;
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static void *add(void *arg) { for (int i = 0; i < 50; i++) { pthread_mutex_lock(&m); n++; pthread_mutex_unlock(&m); } return arg; }
int main(void)
{
    pthread_t t;
    pthread_create(&t, NULL, add, NULL);
    add(NULL);
    pthread_join(t, NULL);
    return n != 100;
}
SRC
build one
run 0 "$BURL" run --noise=yield:place=one,variable=4 ./one
has err "warning: no noise was injected: variable 4 is not known in this build of the program; leave \`variable\` out, or search again with \`burl tune\`"
hasnt err "no variable was used"
run 0 "$BURL" run --json --noise=yield:place=one,variable=4 ./one
jq -e '.noise.warning | startswith("variable 4 is not known")' out >/dev/null || fail "warning in JSON"
# Numbers of another build are as unknown as none at all.
printf 'place = one\nvariable = 4\n#: build 0123456789abcdef\n#: marks 100000=1:4\n' >four.noise
run 0 "$BURL" run --noise=four.noise ./one
has err "variable 4 is not known in this build"
run 0 "$BURL" run --noise=sleep:place=coverage ./alone 2
has err "warning: no noise was injected: no access was followed by a conflicting one"
run 0 "$BURL" run --noise=sleep:place=suspects ./alone 2
has err "warning: no noise was injected: no executed place is one of a suspect"
run 0 "$BURL" run --noise=sleep:freq=0 ./alone 2
has err "warning: no noise was injected: its frequency is 0"
run 0 "$BURL" run --noise=yield:freq=1000 ./alone 2
hasnt err warning

# ---- files and bad input ----------------------------------------------------------------------------

printf 'seeding = yield\nfreq = 1000\n' >good.noise
run 0 "$BURL" run --noise=good.noise ./alone 2
has err "noise yield:freq=1000,strength=5,place=random,seed=1: "
run 0 "$BURL" run --noise=good.noise --noise-seed=5 ./alone 2
has err "place=random,seed=5: "
printf 'freq = 1\nspeed = 2\n' >bad.noise
run 2 "$BURL" run --noise=bad.noise ./alone
has err 'bad.noise:2: "speed" is no key of a noise setting; allowed are seeding, freq'
run 2 "$BURL" run --noise=slow ./alone
has err '--noise=slow: "slow" is no kind of noise; allowed are yield sleep'
run 2 "$BURL" run --noise=none.noise ./alone
has err 'there is no noise file none.noise'
run 2 "$BURL" run --noise= ./alone
run 2 "$BURL" run --noise-seed=3 ./alone
has err '--noise-seed needs --noise'
exit 0
