#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
#
# `burl regress select` after changes of a queue: each kind of change selects the tests that execute
# it in two threads, harmless changes select nothing, and the reasons name change and threads.
# BURL-TIMEOUT: 300
set -u
. "$BURL_TEST_ROOT/tests/support/lib.inc"
export GIT_CEILING_DIRECTORIES=$PWD

write_queue() {
    cat >queue.c <<'SRC'
#include <pthread.h>
#include <stdatomic.h>
#include <string.h>
static pthread_mutex_t a = PTHREAD_MUTEX_INITIALIZER, b = PTHREAD_MUTEX_INITIALIZER;
static int head, tail, moved;
static atomic_int notes;
static int result;
static int limit = 100;

static void
put(int x)
{
    pthread_mutex_lock(&a);
    if (head < limit)
        head += x;
    pthread_mutex_unlock(&a);
}

static int
take(void)
{
    int r;

    pthread_mutex_lock(&a);
    r = head;
    tail++;
    pthread_mutex_unlock(&a);
    return r;
}

static void
move(void)
{
    pthread_mutex_lock(&a);
    pthread_mutex_lock(&b);
    moved++;
    pthread_mutex_unlock(&b);
    pthread_mutex_unlock(&a);
}

static void
note(void)
{
    atomic_fetch_add(&notes, 1);
}

static void
act(const char *what)
{
    for (; *what; what++) {
        if (*what == 'p')
            put(1);
        else if (*what == 't')
            (void)take();
        else if (*what == 'm')
            move();
        else if (*what == 'n')
            note();
    }
}

static void *
worker(void *what)
{
    act(what);
    result = 1;
    return NULL;
}

int
main(int argc, char **argv)
{
    pthread_t t;

    if (argc == 2) {
        act(argv[1]);
        return 0;
    }
    pthread_create(&t, NULL, worker, argv[1]);
    if (argc > 3)
        note();
    act(argv[2]);
    pthread_join(t, NULL);
    return result == 1 ? 0 : 1;
}
SRC
}

cat >burl.tests <<'TESTS'
alone: ./queue ptmn
put-put: ./queue p p
put-take: ./queue p t
take-take: ./queue t t
move-move: ./queue m m
note-note: ./queue n n
move-note: ./queue m n
TESTS

# edit SED [flags]: the queue with one change, built.
edit() {
    write_queue
    sed -i -e "$1" queue.c
    build queue "${@:2}"
}

# selects NAMES [options]: exactly these tests, sorted.
selects() {
    run 0 "$BURL" regress select --json "${@:2}"
    mv out out.json
    got=$(jq -r '.selected[].name' out.json | sort | paste -sd' ')
    [ "$got" = "$1" ] || fail "selected \"$got\", expected \"$1\""
}

write_queue
build queue
run 0 "$BURL" regress record --as=v1

echo "== nothing changed"
run 0 "$BURL" regress select
has out "0 of 7 tests selected"
has out "no test can reveal a new bug: no program changed"

echo "== harmless changes"
edit 's|^put(int x)|/* a comment */\nput(int x)|'
selects ""
edit 's/\bx)$/amount)/; s/head += x/head += amount/'
selects ""
edit 's/int r;/int value;/; s/r = head/value = head/; s/return r;/return value;/'
selects ""
edit '' -O2
selects ""
# note() before put().
write_queue
sed -i '/^static void$/{N;/note/{N;N;N;d}}' queue.c
grep -q '^note' queue.c && fail "note() was not taken out"
sed -i 's|^static int limit.*|&\nstatic void\nnote(void)\n{\n    atomic_fetch_add(\&notes, 1);\n}|' queue.c
build queue
selects ""
run 0 "$BURL" regress select
has out "no test can reveal a new bug: nothing impacted"

echo "== a lock is removed"
edit '/^put/,/^}/{/mutex/d}'
selects "put-put put-take"
run 0 "$BURL" regress select
has out "2 of 7 tests selected; 1 function changed"
grep -E 'put-take +queue.c:[0-9]+ writes head \(changed: lock of a removed\) in worker; queue.c:[0-9]+ reads it in main' \
    out || fail "no reason"
run 0 "$BURL" regress select --explain
has out "only one thread (main) executes"
run 0 "$BURL" regress select --explain=take-take,put-put
has out "take-take: executes no code that changed"
has out "put-put: selected: queue.c"
run 2 "$BURL" regress select --explain=nosuch
has err "the suite has no such test"

echo "== show prints the last selection"
run 0 "$BURL" regress select
run 0 "$BURL" regress show
has out "put (queue.c:"
has out "impacted variables:"
has out "pairs:"
run 0 "$BURL" regress show --json
mv out out.json
holds '.schema == 1 and .base == "v1" and (.selected | length) == 2' "not the document"
holds '.changed[0].functions[0].name == "put"' "no changed function"
holds '[.pairs[] | select(.for | index("races"))] | length > 0' "no race"
holds '[.not_selected[].name] | sort == ["alone", "move-move", "move-note", "note-note", "take-take"]' "not the rest"
run 0 "$BURL" regress show --explain=alone
has out "alone: only one thread"

echo "== options"
selects "alone put-put put-take" --same-thread
selects "put-put" --only='put-p*'
run 0 "$BURL" regress select --all-tests
has out "then, not selected:"
grep -E '^ +7 ' out || fail "the tail is not complete"

echo "== a new access under the lock: no race, a possible triple"
edit '/^put/,/^}/s/head += x;/{ head += x; tail = 0; }/'
selects "" --for=races
selects "put-put put-take" --for=atomicity

echo "== a region is split"
edit '/^take/,/^}/s/tail++;/pthread_mutex_unlock(\&a); pthread_mutex_lock(\&a); tail++;/'
selects "" --for=races
run 0 "$BURL" regress select --for=atomicity
has out "take-take"

echo "== an atomic becomes plain"
edit 's/static atomic_int notes/static int notes/; s/atomic_fetch_add(&notes, 1)/notes++/'
selects "note-note"

echo "== a join is removed: main read alone what the thread wrote"
edit '/pthread_join/d'
selects "move-move move-note note-note put-put put-take take-take" --for=races

echo "== main writes after it has started the thread, in a block that it ran alone so far"
edit 's/^    pthread_create.*/&\n    result = 2;/'
selects "move-move move-note note-note put-put put-take take-take" --for=races
edit 's/^    pthread_create.*/    result = 2;\n&/'
selects "" --for=races

echo "== a lock order is reversed in one of two functions"
edit '/^note/,/^}/s/atomic_fetch_add.*/&\n    pthread_mutex_lock(\&b); pthread_mutex_lock(\&a); pthread_mutex_unlock(\&a); pthread_mutex_unlock(\&b);/'
selects "move-note" --for=deadlocks
has out.json "locks b and a in one order"
selects "" --for=deadlocks --only='[!m]*'

echo "== a thread is new"
edit 's/^    if (argc == 2) {/    if (argc == 2) {\n        pthread_create(\&t, NULL, worker, "p");/'
run 0 "$BURL" regress select --for=races --only=alone
grep -E 'alone .*a new thread' out || fail "a new thread was not seen"
