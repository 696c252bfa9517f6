#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
#
# An environment with too little: a small stack or address space, files that must not grow, an output that is full, no
# HOME, no directory for temporary files, a store that is read-only. Each message names the cause and says what to do,
# the exit code is 3, and what was found is not lost.
. "$BURL_TEST_ROOT/tests/support/lib.inc"

cat >p.c <<'X'
#include <pthread.h>
static int x;
static void *w(void *a) { x++; return a; }
int main(void)
{
    pthread_t t;
    pthread_create(&t, 0, w, 0);
    x++;
    pthread_join(t, 0);
    return 0;
}
X
printf 'struct q; struct q *q_new(void); void q_free(struct q *q); int q_add(struct q *q);\n' >q.h
printf '#include <stdlib.h>\n#include "q.h"\nstruct q { int n; };\nstruct q *q_new(void) { return calloc(1, 4); }\n' >q.c
printf 'void q_free(struct q *q) { free(q); }\nint q_add(struct q *q) { return q->n++; }\n' >>q.c
printf '#include "q.h"\nint main(void) { struct q *q = q_new(); q_add(q); q_free(q); return 0; }\n' >seed.c
echo 'one: ./p' >burl.tests
build p

# limited LIMIT CODE TEXT command...: with this limit. Through a pipe: a limit on files is one on the output too.
limited() {
    local limit=$1 code=$2 text=$3
    shift 3
    echo "+ ulimit $limit; burl $*"
    (ulimit $limit && exec "$BURL" "$@") 2>&1 </dev/null | cat >out
    got=${PIPESTATUS[0]}
    [ $got -eq "$code" ] || fail "exit code $got, expected $code: ulimit $limit; burl $*"
    has out "$text"
}
for c in "test --runs=200 --seed=1 --dir=l -- ./p" "run --dir=l -- ./p"; do
    limited "-s 64" 3 "ulimit -s 8192" $c
    limited "-s 512" 1 "race.data" $c # half a megabyte is enough
    # AddressSanitizer reserves terabytes of address space for itself.
    nm -D "$BURL" 2>/dev/null | grep -q __asan_init || limited "-v 100000" 3 "ulimit -v unlimited" $c
    limited "-f 100" 3 "ulimit -f unlimited" $c
done
limited "-s unlimited" 1 "race.data" test --runs=200 --seed=1 --dir=l -- ./p
limited "-s unlimited" 4 "ulimit -s" run --dir=l -- ./p

for c in "test --runs=5 -- ./p" "gen --time=2s q.h -- q.c" "replay --dir=l 1" "doctor"; do
    limited "-n 8" 3 "ulimit -n 1024" $c
    case $c in gen*) ;; *) limited "-n 64" 3 "ulimit -n 1024" $c ;; esac
done

# ---- a reader that has seen enough: the exit code is that of the command
run 1 "$BURL" test --runs=200 --seed=1 -- ./p
for c in "1 test --runs=200 --seed=1 -- ./p" "1 test --runs=5 --json -- ./p" "1 replay 1" "1 replay 1 --trace" "1 findings" \
    "1 findings --json" "0 show 1" "0 report" "0 doctor" "0 help test" "0 version" "0 cover --runs=3 -- ./p" \
    "0 regress record" "2 tset" "2 show 77"; do
    timeout 60 "$BURL" ${c#* } 2>err </dev/null | true
    got=${PIPESTATUS[0]}
    [ $got -eq "${c%% *}" ] || fail "exit code $got, expected ${c%% *}: burl ${c#* } | true"
    hasnt err "cannot write"
done
rm -rf .burl

# ---- an output that is full: not a success, whatever was found, and the store has it
run 1 "$BURL" test --runs=200 --seed=1 -- ./p
for c in "test --runs=200 --seed=1 --dir=full -- ./p" "test --runs=5 --json --dir=full2 -- ./p" "run --json --dir=full3 -- ./p" \
    "cover --runs=3 -- ./p" "cover --runs=3 --json -- ./p" "tune --time=1s -- ./p" "gen --time=2s q.h -- q.c" \
    "synth --time=3s q.h -- q.c seed.c" "regress record" "replay 1" "findings" "findings --json" "show 1" "show --json 1" \
    "doctor" "help test" "version"; do
    timeout 60 "$BURL" $c >/dev/full 2>err </dev/null
    got=$?
    [ $got -eq 3 ] || fail "exit code $got, expected 3: burl $c >/dev/full"
    has err "cannot write to standard output: No space left on device"
done
run 1 "$BURL" findings --dir=full
has out "race.data"
# Reports of a watched program go to the standard error.
run 1 "$BURL" run --dir=full -- ./p
"$BURL" test --runs=200 --seed=1 --dir=closed -- ./p >&- 2>err
[ $? -eq 1 ] || fail "a closed output"
run 1 "$BURL" findings --dir=closed

# ---- HOME, TMPDIR
run 1 env -u HOME "$BURL" test --runs=200 --seed=1 --dir=home -- ./p
export TMPDIR=$PWD/missing
want 3 "set TMPDIR" "$BURL" cc -g p.c -o p2 -lpthread
want 3 "set TMPDIR" "$BURL" gen --time=2s q.h -- q.c
want 3 "set TMPDIR" "$BURL" tune --time=1s --check=true -- ./p
want 3 "set TMPDIR" "$BURL" doctor
run 1 "$BURL" test --runs=200 --seed=1 --dir=tmp -- ./p # needs none
unset TMPDIR

# ---- mounts of our own, where we may make them
[ "$(id -u)" -eq 0 ] && unshare -m true 2>/dev/null || exit 0
mkdir small ro
cp -r .burl/. ro
export BURL
unshare -m bash -c '
    . "$BURL_TEST_ROOT/tests/support/lib.inc"
    mount -t tmpfs -o size=16k none small || exit 77
    head -c 64k /dev/zero >small/fill 2>/dev/null
    TMPDIR=$PWD/small want 3 "has room" "$BURL" cc -g p.c -o p2 -lpthread
    TMPDIR=$PWD/small want 3 "has room" "$BURL" gen --time=2s --dir=new q.h -- q.c
    want 3 "the disk is full" "$BURL" test --runs=5 --dir=small/store -- ./p
    want 3 "the disk is full" "$BURL" run --dir=small/store2 -- ./p
    mount --bind ro ro && mount -o remount,ro,bind ro || exit 77
    # `burl run` warns: the program runs and its findings are printed.
    want 1 "what this run finds is not stored: give a writable directory with --dir" "$BURL" run --dir=ro -- ./p
    has out race.data
    for c in "test --runs=5 --dir=ro -- ./p" "cover --runs=3 --dir=ro -- ./p" \
        "tune --time=1s --dir=ro -- ./p" "gen --time=2s --dir=ro q.h -- q.c" "synth --time=2s --dir=ro q.h -- q.c seed.c" \
        "regress record --dir=ro"; do
        want 3 "give another directory with --dir" "$BURL" $c
    done
    # What only reads works.
    run 1 "$BURL" findings --dir=ro
    run 0 "$BURL" show --dir=ro 1
    run 1 "$BURL" replay --dir=ro 1
'
got=$?
[ $got -eq 0 ] || [ $got -eq 77 ] || exit 1

# A database that we may not write, and one that we may not open, as another user. The folder of a test is its
# owner's alone.
other() { setpriv --reuid=65534 --regid=65534 --clear-groups "$@"; }
open=$(mktemp -d /tmp/burl-limited.XXXXXX) || exit 1
trap 'rm -rf "$open"' EXIT
cp -r .burl "$open/store" && cp p "$open" && chown -R 65534 "$open" && chmod 755 "$open"
other test -x "$BURL" -a -r "$open/store/burl.db" || exit 0
cd "$open" || exit 1
chmod a-w store/burl.db
for c in "test --runs=5 --dir=store -- ./p" "cover --runs=3 --dir=store -- ./p"; do
    other "$BURL" $c >"$OLDPWD/out" 2>&1 </dev/null
    got=$?
    [ $got -eq 3 ] || { cat "$OLDPWD/out"; fail "a read-only database: exit code $got: burl $c"; }
    has "$OLDPWD/out" "make store writable or give another directory with --dir"
done
other "$BURL" findings --dir=store >"$OLDPWD/out" 2>&1
[ $? -eq 1 ] || fail "findings of a read-only database"
chmod a-w .
for c in "--dir=store" "--dir=new" "--dir=new/er" "--json"; do
    other "$BURL" run $c -- ./p >"$OLDPWD/out" 2>&1 </dev/null
    got=$?
    [ $got -eq 1 ] || { cat "$OLDPWD/out"; fail "a read-only directory: exit code $got: burl run $c"; }
    has "$OLDPWD/out" "what this run finds is not stored: give a writable directory with --dir"
    has "$OLDPWD/out" "race.data"
done
other "$BURL" test --runs=5 -- ./p >"$OLDPWD/out" 2>&1 </dev/null
[ $? -eq 3 ] || fail "test in a read-only directory"
has "$OLDPWD/out" "cannot create the store .burl; give a directory that can be written with --dir"
chmod 0 store/burl.db
other "$BURL" findings --dir=store >"$OLDPWD/out" 2>&1
[ $? -eq 3 ] || fail "findings of a database that cannot be read"
has "$OLDPWD/out" "look at its permissions"
exit 0
