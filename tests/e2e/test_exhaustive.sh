#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
#
# `burl test --strategy=exhaustive`: litmus shapes have their known numbers of interleavings; correct
# small programs are proven clean, also with waiting loops, condition variables and locks; broken
# twins fail, and what fails replays; what cannot be enumerated is said. The same for both resets.
. "$BURL_TEST_ROOT/tests/e2e/run_lib.inc"

head='#include <assert.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <unistd.h>
static atomic_int x, y, f[2], turn;
static int r[4], c;
static pthread_mutex_t m[3] = { PTHREAD_MUTEX_INITIALIZER, PTHREAD_MUTEX_INITIALIZER,
                                PTHREAD_MUTEX_INITIALIZER };
static pthread_cond_t full = PTHREAD_COND_INITIALIZER, empty = PTHREAD_COND_INITIALIZER;
#define T(name) static void *name(void *arg)
#define RUN2(p, q) RUN(2, ((void *(*[])(void *)){ p, q }))
#define RUN(n, fn) do { pthread_t t[n]; \
    for (long i = 0; i < (n); i++) pthread_create(&t[i], 0, (fn)[i], (void *)i); \
    for (long i = 0; i < (n); i++) pthread_join(t[i], 0); } while (0)
'
# field NAME: of the search of the last --json run, in doc.json.
field() { jq -r ".search.$1" doc.json; }
search() { # CODE PROGRAM [options]
    run "$1" "$BURL" test --strategy=exhaustive --seed=1 --json --dir="$2.d" "${@:3}" "./$2"
    cp out doc.json
}
# clean NAME [N]: proven; N interleavings.
clean() {
    search 0 "$1"
    [ "$(field complete)" = true ] || fail "$1: not complete: $(field why)"
    [ $# -lt 2 ] || [ $(($(field executions) - $(field pruned))) -eq "$2" ] ||
        fail "$1: $(field executions) - $(field pruned) interleavings, expected $2"
}
# broken NAME KIND: found, and replays.
broken() {
    search 1 "$1"
    jq -e --arg k "$2" '[.findings[].kind] | index($k) != null' doc.json >/dev/null ||
        fail "$1: no $2"
    run 1 "$BURL" replay --dir="$1.d" 1
}

# ---- numbers under sequential consistency
prog sb 'T(p) { x = 1; r[0] = y; return 0; } T(q) { y = 1; r[1] = x; return 0; }
int main(void) { RUN2(p, q); assert(r[0] || r[1]); return 0; }'
clean sb 3
search 0 sb --reset=fork
[ "$(field executions)" -eq 3 ] || fail "another number with --reset=fork"
run 0 "$BURL" test --strategy=exhaustive --seed=1 ./sb
has out "all 3 interleavings explored, none fails"
prog mp 'T(p) { x = 1; y = 1; return 0; } T(q) { r[0] = y; r[1] = x; return 0; }
int main(void) { RUN2(p, q); assert(!r[0] || r[1]); return 0; }'
clean mp 3
prog iriw 'T(a) { x = 1; return 0; } T(b) { y = 1; return 0; }
T(p) { r[0] = x; r[1] = y; return 0; } T(q) { r[2] = y; r[3] = x; return 0; }
int main(void) { RUN(4, ((void *(*[])(void *)){ a, b, p, q }));
    assert(!(r[0] && !r[1] && r[2] && !r[3])); return 0; }'
clean iriw 15
prog writers 'T(w) { x = (int)(long)arg; return 0; }
int main(void) { RUN(4, ((void *(*[])(void *)){ w, w, w, w })); return 0; }'
clean writers 24
prog lastzero '#define N 4
static atomic_int a[N + 1];
T(z) { int i = N; while (i > 0 && a[i] != 0) i--; return 0; }
T(w) { long j = (long)arg; a[j] = a[j - 1] + 1; return 0; }
int main(void) { RUN(N + 1, ((void *(*[])(void *)){ z, w, w, w, w })); return 0; }'
clean lastzero 28

# ---- waiting loops
prog flag 'T(p) { c = 42; x = 1; return 0; } T(q) { while (!x) sched_yield(); assert(c == 42); return 0; }
int main(void) { RUN2(p, q); return 0; }'
clean flag
prog early 'T(p) { x = 1; y = 42; return 0; } T(q) { while (!x) ; assert(y == 42); return 0; }
int main(void) { RUN2(p, q); return 0; }'
broken early crash.abort
prog lost 'T(p) { x = 1; y = x; x = 0; return 0; } T(q) { while (!x) ; return 0; }
int main(void) { RUN2(p, q); return 0; }'
broken lost hang.livelock
peterson='T(p) { int me = arg != 0; FIRST; SECOND; while (f[!me] && turn == !me) ;
    c++; f[me] = 0; return 0; }
int main(void) { RUN2(p, p); assert(c == 2); return 0; }'
text=${peterson/FIRST/f[me] = 1}
prog peterson "${text/SECOND/turn = !me}"
clean peterson
text=${peterson/FIRST/turn = !me}
prog swapped "${text/SECOND/f[me] = 1}"
broken swapped race.data
prog ticket 'T(p) { int mine = x++; while (y != mine) ; c++; y++; return 0; }
int main(void) { RUN2(p, p); assert(c == 2); return 0; }'
clean ticket
prog trylock 'T(p) { while (pthread_mutex_trylock(m)) ; c++; pthread_mutex_unlock(m); return 0; }
int main(void) { RUN2(p, p); assert(c == 2); return 0; }'
clean trylock
prog locked 'T(p) { pthread_mutex_lock(m); c = 1; pthread_mutex_unlock(m); return 0; }
T(q) { for (;;) { pthread_mutex_lock(m); int v = c; pthread_mutex_unlock(m); if (v) return 0; } }
int main(void) { RUN2(p, q); return 0; }'
clean locked
# A bounded loop is no mere waiting: its last turn but one is explored.
prog bounded 'T(p) { x = 1; return 0; }
T(q) { volatile int i; for (i = 0; i < 4 && !x; i++) ; assert(i != 3); return 0; }
int main(void) { RUN2(p, q); return 0; }'
broken bounded crash.abort
# One that only counts is none at all.
prog sums "T(p) { int s = 0; for (int i = 0; i < 20; i++) s += x; return (void *)(long)s; }
int main(void) { RUN2(p, p); return 0; }"
clean sums 1
# One that counts without end: no proof.
prog counts 'T(p) { x = 1; return 0; }
T(q) { volatile long n = 0; while (!x) { n++; sched_yield(); } return 0; }
int main(void) { RUN2(p, q); return 0; }'
search 4 counts
[ "$(field complete)" = false ] || fail "a counting loop is proven"
field why | grep -q spin || fail "why: $(field why)"

# ---- locks, condition variables
dine='T(eat) { int i = (int)(long)arg, a = i, b = (i + 1) % 3; ORDER
    pthread_mutex_lock(&m[a]); pthread_mutex_lock(&m[b]); c++;
    pthread_mutex_unlock(&m[b]); pthread_mutex_unlock(&m[a]); return 0; }
int main(void) { RUN(3, ((void *(*[])(void *)){ eat, eat, eat })); return 0; }'
prog ordered "${dine/ORDER/if (b < a) { a = b; b = i; \}}"
clean ordered # of three, any two share a fork: c is safe
prog unordered "${dine/ORDER/}"
broken unordered deadlock.cycle
buffer='static int slots[1], n;
T(put) { for (int i = 1; i <= 2; i++) { pthread_mutex_lock(m);
    while (n == 1) pthread_cond_wait(&empty, m);
    slots[n++] = i; pthread_cond_signal(&full); pthread_mutex_unlock(m); } return 0; }
T(get) { int s = 0; for (int i = 0; i < 2; i++) { pthread_mutex_lock(m);
    WAIT (n == 0) pthread_cond_wait(&full, m);
    s += slots[--n]; pthread_cond_signal(&empty); pthread_mutex_unlock(m); }
    assert(s == 3); return 0; }
int main(void) { RUN2(put, get); return 0; }'
prog buffer "${buffer/WAIT/while}"
clean buffer
prog signal 'T(p) { pthread_mutex_lock(m); if (!x) pthread_cond_wait(&full, m);
    pthread_mutex_unlock(m); return 0; }
T(q) { x = 1; pthread_cond_signal(&full); return 0; }
int main(void) { RUN2(p, q); return 0; }'
broken signal deadlock.stuck
prog once 'static pthread_once_t o = PTHREAD_ONCE_INIT;
static void init(void) { c = 7; }
T(p) { pthread_once(&o, init); assert(c == 7); return 0; }
int main(void) { RUN2(p, p); return 0; }'
clean once

# ---- symmetric threads: their ids do not count, unless they are read
alike='T(set) { x = 1; y = 1; ASK return arg; }
T(check) { int b = y, a = x; assert(!(b == 1 && a == 0)); return arg; }
int main(void) { pthread_t t[4]; for (long i = 0; i < 3; i++) pthread_create(&t[i], 0, set, ARG);
    pthread_create(&t[3], 0, check, 0); BETWEEN
    for (int i = 0; i < 4; i++) pthread_join(t[i], 0); return 0; }'
same=${alike/ARG/0}
prog crowd_named "$(printf '%s' "${alike/ARG/(void *)i}" | sed 's/ASK//; s/BETWEEN//')"
clean crowd_named 300
prog crowd "$(printf '%s' "$same" | sed 's/ASK//; s/BETWEEN//')"
clean crowd 50
prog crowd_asks "$(printf '%s' "$same" | sed 's/ASK/if (pthread_self() == 0) x = 2;/; s/BETWEEN//')"
clean crowd_asks 300
# Between the joins main sees one that has ended while another runs: that one is known by name.
prog crowd_seen 'T(p) { x++; return 0; }
int main(void) { pthread_t a, b; pthread_create(&a, 0, p, 0); pthread_create(&b, 0, p, 0);
    pthread_join(a, 0); y = x; pthread_join(b, 0); assert(y == 2); return 0; }'
broken crowd_seen crash.abort

# ---- bounds and doubts
prog apart 'T(p) { int v = x; x = v + 1; return 0; } int main(void) { RUN2(p, p); return 0; }'
for runs in 1 5 17 18; do
    run 4 "$BURL" test --strategy=exhaustive --seed=1 --fresh --runs=$runs ./apart
    grep -q "not complete: .*; raise --runs" out || fail "no reason with --runs=$runs"
done
# On a busy machine the time may be over before the first execution ends: then there is no result.
"$BURL" test --strategy=exhaustive --seed=1 --fresh --time=1ms ./apart >out 2>&1
case $? in
    4) grep -q "not complete: .*; raise --time" out || fail "no reason with --time" ;;
    3) grep -qE "(^|: )(--time was over before an execution of ./apart ended|./apart did not reach main before --time was over); raise --time" out || fail "no reason with code 3" ;;
    *) fail "exit code with --time=1ms: $(cat out)" ;;
esac
# All orders were tried: there is nothing left to suspect of accesses that were not tried.
run 0 "$BURL" test --strategy=exhaustive --seed=1 --fresh ./apart
has out "all 4 interleavings explored, none fails"
hasnt out "not tried"
# One thread that never ends: nothing is clean.
echo 'int main(void) { for (;;) ; }' >forever.c
build forever -Wno-unused
for strategy in exhaustive delay preemption mix; do
    run 3 "$BURL" test --strategy=$strategy --fresh --time=500ms --exec-timeout=300ms ./forever
    has out "ended: each was longer than"
    has out ", test a program that terminates, or raise the limits"
done
run 3 "$BURL" test --strategy=exhaustive --fresh --time=500ms --exec-timeout=600ms ./forever
has out "note: 1 execution was cut"
search 0 iriw --runs=40
[ "$(field complete)" = false ] || [ "$(field executions)" -eq 15 ] || fail "cut and complete"
prog sleeps 'T(p) { usleep(10); x = 1; return 0; } T(q) { y = x; return 0; }
int main(void) { RUN2(p, q); return 0; }'
search 4 sleeps
[ "$(field complete)" = false ] || fail "time is proven"
run 4 "$BURL" test --strategy=exhaustive --seed=1 ./sleeps
has out "not complete: the program reads clocks, sleeps or uses timeouts; test it without"

# ---- what the C library remembers is no part of an interleaving that could be explored
hidden() { # NAME TEXT
    prog "$1" "#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
$2"
    run "${3:-0}" "$BURL" test --strategy=exhaustive --seed=1 --json --fresh --dir="$1.d" "./$1"
    cp out doc.json
}
unproven() {
    hidden "$1" "$2" "${3:-4}"
    [ "$(field complete)" = false ] || fail "$1: proven"
    field why | grep -q "uninstrumented internal state\|not instrumented\|multi-step access" || fail "$1: $(field why)"
}
proven() {
    hidden "$@"
    [ "$(field complete)" = true ] || fail "$1: not complete: $(field why)"
}
unproven tokens 'T(p) { char s[] = "x y"; pthread_mutex_lock(m); strtok(s, " ");
    assert(strtok(0, " ") == s + 2); pthread_mutex_unlock(m); return 0; }
int main(void) { RUN2(p, p); return 0; }'
# Memory of several threads that a library function touches has a hook, or there is no proof.
proven parses 'static char text[8] = "12"; static long v;
T(p) { pthread_mutex_lock(m); v += strtol(text, 0, 10); pthread_mutex_unlock(m); return 0; }
int main(void) { RUN2(p, p); return 0; }'
unproven prints 'static char text[8] = "12";
T(p) { printf("%s\n", text); return 0; } T(q) { text[0] = (char)x; return 0; }
int main(void) { RUN2(p, q); return 0; }' 1
unproven prints_any 'static char text[8] = "12"; static const char *volatile format = "%s\n";
T(p) { pthread_mutex_lock(m); printf(format, text); pthread_mutex_unlock(m); return 0; }
int main(void) { RUN2(p, p); return 0; }'
unproven lines 'static FILE *out; static char text[64];
T(p) { fputs(arg ? "b" : "a", out); return 0; }
int main(void) { out = fmemopen(text, sizeof text, "w"); RUN2(p, p); fclose(out); return 0; }'
unproven opens 'T(p) { close(open("/dev/null", O_RDONLY)); return 0; }
int main(void) { RUN2(p, p); return 0; }'
# One thread alone, before the others, or lines that are not read again: nothing to doubt.
proven one_dice 'T(p) { x = rand(); return 0; } T(q) { y = 1; return 0; }
int main(void) { srand(1); RUN2(p, q); return 0; }'
proven environ_read 'T(p) { return getenv("HOME") ? 0 : arg; }
int main(void) { setenv("HOME", "/", 1); RUN2(p, p); return 0; }'
# Random numbers are an operation: the first thread gets the first one, and both orders are tried.
proven dice 'T(p) { r[(long)arg] = rand(); return 0; }
int main(void) { RUN2(p, p); return 0; }'
[ "$(field executions)" -eq 2 ] || fail "$(field executions) orders of two calls of rand"
hidden first_dice 'T(p) { r[(long)arg] = rand(); return 0; }
int main(void) { srand(1); c = rand(); srand(1); RUN2(p, p); assert(r[0] == c); return 0; }' 1
# The handle of a thread is written by the call that creates it.
prog handle 'static pthread_t t[2]; T(q) { return 0; } T(p) { c = t[1] != 0; return 0; }
int main(void) { pthread_create(&t[0], 0, p, 0); pthread_create(&t[1], 0, q, 0);
    pthread_join(t[0], 0); pthread_join(t[1], 0); assert(c == 0); return 0; }'
broken handle crash.abort
# The call is several steps, and the race is with one of them.
field why | grep -q "multi-step access" || fail "handle: $(field why)"
# What a thread returned is written by the call that joins it.
prog result 'static void *v; T(q) { return &v; } T(p) { c = v != 0; return 0; }
int main(void) { pthread_t t[2]; pthread_create(&t[0], 0, p, 0); pthread_create(&t[1], 0, q, 0);
    pthread_join(t[1], &v); pthread_join(t[0], 0); assert(c == 0); return 0; }'
broken result crash.abort
# The call is several steps, and the race is with one of them.
field why | grep -q "multi-step access" || fail "result: $(field why)"
# A stream that writes to memory of the program, by one thread only.
unproven stream 'static FILE *out; static char text[64];
T(p) { fputs("a", out); fflush(out); text[0] = 0; return 0; } T(q) { c = text[0]; return 0; }
int main(void) { out = fmemopen(text, sizeof text, "w"); RUN2(p, q); return 0; }' 1
# A library function through a pointer.
unproven pointer 'static char *(*volatile copy)(char *, const char *) = strcpy; static char text[8];
T(p) { pthread_mutex_lock(m); copy(text, "b"); pthread_mutex_unlock(m); return 0; }
int main(void) { RUN2(p, p); return 0; }'
proven says 'T(p) { printf("%d\n", (int)(long)arg); fprintf(stderr, "-\n"); return 0; }
int main(void) { RUN2(p, p); return 0; }'

# The order of two addresses is not enumerated, but another schedule shows it: then "all" was not all.
hidden addresses 'static _Atomic(char *) got[2];
T(p) { got[(long)arg] = malloc(8); return 0; }
int main(void) { RUN2(p, p); assert((char *)got[0] < (char *)got[1]); return 0; }' 1
[ "$(field complete)" = false ] || fail "addresses: all explored, and a failure is not among them"

# Trying does not wait: a busy read-write lock is an outcome of its own, before the unlock and not only
# before the lock. Whichever thread goes first.
for order in 'p, q' 'q, p'; do
    prog tries "static pthread_rwlock_t w = PTHREAD_RWLOCK_INITIALIZER;
T(p) { if (pthread_rwlock_trywrlock(&w) == 0) pthread_rwlock_unlock(&w); else c = x; return 0; }
T(q) { pthread_rwlock_wrlock(&w); x = 1; x = 2; pthread_rwlock_unlock(&w); return 0; }
int main(void) { RUN2($order); assert(c != 1); return 0; }"
    rm -rf tries.d
    broken tries crash.abort
done

# A copy has a hook for its source and one for its target and reads after the second: what others write
# to the source between the two is copied. Every value fails at a place of its own. A copy that races
# is several steps on a real machine, and the orders within it are not explored: no search of it is
# complete.
copies='#include <string.h>
struct s { int a, b; }; static struct s from = { 3, 1 }, to = { 1, 2 };
static __attribute__((noinline)) void none(void) { assert(!"none"); }
static __attribute__((noinline)) void old(void) { assert(!"old"); }
static __attribute__((noinline)) void new(void) { assert(!"new"); }
T(p) { from.a = 4; return 0; } T(q) { COPY; return 0; } T(w) { to.a = 0; return 0; }
int main(void) { pthread_t t[3]; pthread_create(&t[0], 0, p, 0); pthread_create(&t[1], 0, q, 0);
    pthread_create(&t[2], 0, w, 0); pthread_join(t[2], 0);
    switch (to.a) { case 0: none(); break; case 3: old(); break; default: new(); } return 0; }'
n=0
for copy in 'to = from' 'memcpy(\&to, \&from, sizeof to)' 'memmove(\&to, \&from, sizeof to)' \
    'strcpy((char *)\&to, (char *)\&from)' 'strncpy((char *)\&to, (char *)\&from, 2)'; do
    n=$((n + 1))
    prog copy$n "$(printf '%s' "$copies" | sed "s/COPY/$copy/")"
    search 1 copy$n --detect=none
    [ "$(field complete)" = false ] || fail "$copy: several steps that race, and all explored"
    field why | grep -q "multi-step access" || fail "$copy: $(field why)"
    [ "$(jq '.findings | length' doc.json)" -eq 3 ] || fail "$copy: not every value was copied"
done

# A failure right after the operation that lets another thread go on: what that one would do to memory
# that is not known to be shared is not seen in any execution. Found with some seeds, never denied.
prog ends 'static int v; static __attribute__((noinline)) void zero(void) { assert(!"zero"); }
static __attribute__((noinline)) void three(void) { assert(!"three"); }
T(w) { for (int i = 0; i < 8; i++) { pthread_mutex_lock(m); c++; pthread_mutex_unlock(m); } v = 3; return 0; }
int main(void) { pthread_t t; pthread_create(&t, 0, w, 0); if (v == 3) three(); else zero(); return 0; }'
for seed in 1 2 3 4 5 6; do
    search 1 ends --detect=none --fresh --seed=$seed
    [ "$(field complete)" = false ] || [ "$(jq '.findings | length' doc.json)" -eq 2 ] ||
        fail "ends, seed $seed: all explored, but one failure is missing"
done

# The same where the failing thread has made no access since, whatever its last operation was: the
# worker would fail after it, too.
n=0
while IFS='|' read -r before last worker; do
    n=$((n + 1))
    prog ends$n "#include <semaphore.h>
static sem_t s; static pthread_rwlock_t w = PTHREAD_RWLOCK_INITIALIZER;
static __attribute__((noinline)) void fails(void) { assert(!\"worker\"); }
T(work) { $worker fails(); return 0; }
int main(void) { pthread_t t; sem_init(&s, 0, 0); $before pthread_create(&t, 0, work, 0); $last
    assert(!\"main\"); return 0; }"
    search 1 ends$n --detect=none --fresh
    [ "$(field complete)" = false ] || [ "$(jq '.findings | length' doc.json)" -eq 2 ] ||
        fail "ends$n, $last: all explored, but one failure is missing"
done <<'X'
|;|
pthread_mutex_lock(m);|pthread_mutex_unlock(m);|pthread_mutex_lock(m);
pthread_rwlock_wrlock(&w);|pthread_rwlock_unlock(&w);|pthread_rwlock_rdlock(&w);
|sem_post(&s);|sem_wait(&s);
|x = 1;|if (x)
|x++;|while (!x) sched_yield();
|pthread_mutex_lock(m);|if (pthread_mutex_trylock(m))
X
# Nothing was changed by the last operation: all is explored.
prog ends_reading 'T(w) { y = 1; x = 1; return 0; }
int main(void) { pthread_t t; pthread_create(&t, 0, w, 0); assert(!y); pthread_join(t, 0); return 0; }'
search 1 ends_reading --detect=none --fresh
[ "$(field complete)" = true ] || fail "ends_reading: not complete: $(field why)"

# ---- objects of another compiler that were linked in
cat >main_part.c <<'X'
#include <assert.h>
#include <pthread.h>
int sh, seen;
void set_it(void);
static void *a(void *p) { set_it(); return p; }
static void *b(void *p) { seen = sh; return p; }
int main(void) { pthread_t t, u; pthread_create(&t, 0, a, 0); pthread_create(&u, 0, b, 0);
    pthread_join(t, 0); pthread_join(u, 0); return seen > 1; }
X
echo 'extern int sh; void set_it(void) { sh = 1; }' >set_part.c
printf '\t.globl set_it\nset_it:\tmovl $1, sh(%%rip)\n\tret\n\t.section .note.GNU-stack,"",@progbits\n' >asm_part.s
linked() { # COMPLETE NAME OBJECT...
    "$BURL" cc -g -O1 main_part.c "${@:3}" -o "$2" || fail "cannot build $2"
    code=$([ "$1" = true ] && echo 0 || echo 4)
    run "$code" "$BURL" test --strategy=exhaustive --detect=none --seed=1 --json --fresh --dir="$2.d" "./$2"
    cp out doc.json
    [ "$(field complete)" = "$1" ] || fail "$2: complete is $(field complete): $(field why)"
}
gcc -O1 -c set_part.c -o gcc_part.o || fail "gcc"
gcc -c asm_part.s -o asm_part.o || fail "as"
ar rcs libforeign.a gcc_part.o
linked false linked_gcc gcc_part.o
field why | grep -q "set_it was not built by burl" || fail "$(field why)"
linked false linked_asm asm_part.o
linked false linked_archive libforeign.a
# The same from burl's own objects and archives keeps its proof.
"$BURL" cc -g -O2 -c set_part.c -o own_part.o || fail "cannot build own_part"
ar rcs libown.a own_part.o
linked true linked_own libown.a

# ---- memory that is touched by no access burl sees: assembly, vector instructions, two addresses
unproven assembly 'static int sh; T(p) { asm volatile("movl $1, (%0)" ::"r"(&sh) : "memory"); return 0; }
T(q) { c = sh; return 0; } int main(void) { RUN2(p, q); return 0; }'
unproven masked '#include <emmintrin.h>
static char buf[16];
T(p) { _mm_maskmoveu_si128(_mm_set1_epi8(1), _mm_set1_epi8(-1), buf); return 0; }
T(q) { c = buf[0]; return 0; } int main(void) { RUN2(p, q); return 0; }' 1
unproven dispositions '#include <signal.h>
T(p) { signal(SIGUSR1, SIG_IGN); return 0; } T(q) { struct sigaction s; sigaction(SIGUSR1, 0, &s);
c = s.sa_handler == SIG_IGN; return 0; } int main(void) { RUN2(p, q); return 0; }'
unproven drawn 'static unsigned short s[3]; T(p) { erand48(s); return 0; } T(q) { c = s[0]; return 0; }
int main(void) { RUN2(p, q); return 0; }'
# Its hook comes after the write, when it is known how much was written.
unproven written 'static char buf[8]; T(p) { snprintf(buf, 8, "%d", 1); return 0; }
T(q) { int before = buf[0], now = buf[0]; c = !before && now; return 0; }
int main(void) { RUN2(p, q); return 0; }' 1
hidden mapped '#include <sys/mman.h>
static int *v; T(p) { v[0] = 1; return 0; } T(q) { c = v[1]; return 0; }
int main(void) { v = mmap(0, 4096, 3, MAP_SHARED | MAP_ANONYMOUS, -1, 0); RUN2(p, q); return 0; }' 4
[ "$(field complete)" = false ] || fail "mapped: proven"
field why | grep -q MAP_SHARED || fail "$(field why)"
# Assembly that accesses memory more than once, or updates it without a lock, is several steps. A number of
# a bit reaches beyond the operand.
n=0
while IFS='|' read -r code text operands; do
    n=$((n + 1))
    unproven steps$n "static int one, two, bits[4]; static struct { long v[2]; } __attribute__((aligned(16))) wide;
T(p) { int r = 1; long b = 40; asm volatile(\"$text\" : \"+r\"(r), \"+r\"(b)$operands); return 0; }
int main(void) { RUN2(p, p); return 0; }" "$code"
done <<'X'
1|incl %2|, "+m"(one)
1|movl %2, %0; incl %0; movl %0, %2|, "+m"(one)
1|lock incl %3; incl %2|, "+m"(one), "+m"(two)
4|lock incl %2; lock incl %3|, "+m"(one), "+m"(two)
4|movl %2, %0; movl %3, %0|: "m"(one), "m"(two)
4|1: lock incl %2; decl %0; jnz 1b|, "+m"(one)
4|movaps %2, %%xmm0| : "m"(wide) : "xmm0"
4|lock btsq %1, %2|, "+m"(bits[0])
X
# Fences, pauses, and assembly whose memory is an operand are seen.
proven asm_lock 'static int l, n; static int take(void) { int v = 1;
asm volatile("xchgl %0, %1" : "+r"(v), "+m"(l)::"memory"); return v == 0; }
T(p) { asm volatile("" ::: "memory"); asm volatile("mfence" ::: "memory"); asm volatile("rep; nop");
if (take()) { n++; asm volatile("movl $0, %0" : "=m"(l)::"memory"); } return 0; }
int main(void) { RUN2(p, p); return 0; }'
