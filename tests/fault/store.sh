#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# The store cannot be written: a read-only directory, a full disk, another burl. Each is a
# message that names what is wrong, and exit code 3.
set -u

fail() {
    echo "FAILED: $*"
    [ -z "${mounted:-}" ] || umount "$PWD/disk"
    exit 1
}

cat >race.c <<'EOF'
#include <assert.h>
#include <pthread.h>
#include <stddef.h>
static int n;
static void *
work(void *arg)
{
    n++;
    return arg;
}
int
main(void)
{
    pthread_t a, b;
    pthread_create(&a, NULL, work, NULL);
    pthread_create(&b, NULL, work, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    assert(n == 2);
    return 0;
}
EOF
"$BURL" cc -g race.c -o race -lpthread || fail "cannot build"

# wants [-CODE] TEXT command...: exit code 3, or CODE, and TEXT in the message.
wants() {
    code=3
    case $1 in -[0-9]) code=${1#-}; shift ;; esac
    text=$1
    shift
    echo "+ $*"
    timeout 60 "$@" >out 2>err
    got=$?
    cat err
    [ $got -eq $code ] || fail "exit code $got, expected $code"
    grep -qi -- "$text" err || fail "nothing about \"$text\" in the message"
}

# No user can make a directory there, not even root.
wants "/proc/burl" "$BURL" test --runs=100 --dir=/proc/burl ./race
: >a-file
wants -2 "a-file" "$BURL" test --runs=100 --dir=a-file ./race
printf 'this is not a database, whatever its name says it is.....' >junk
mkdir damaged
cp junk damaged/burl.db
wants "burl.db" "$BURL" test --runs=100 --dir=damaged ./race

# Two burls on one store.
"$BURL" test --time=30s --strategy=random --dir=shared ./race >first.out 2>first.err &
first=$!
"$BURL_TEST_BUILD/support/await" -p $first . grep -q 'burl replay' first.out || fail "nothing found"
wants "$first" "$BURL" test --runs=10 --dir=shared ./race
"$BURL" findings --dir=shared >list || [ $? -eq 1 ] || fail "cannot list while a campaign runs"
kill -TERM $first
wait $first
got=$?
[ $got -eq 1 ] || fail "the first burl ended with $got, expected 1 (it had a finding)"
timeout 60 "$BURL" test --runs=50 --dir=shared ./race >/dev/null 2>err
[ $? -eq 1 ] || fail "the lock was not released: $(cat err)"

# A disk with next to no room; only root may make one.
mkdir disk
if ! mount -t tmpfs -o size=16k burl-test "$PWD/disk" 2>/dev/null; then
    echo "no small disk can be mounted here: the rest passed"
    exit 0
fi
mounted=yes
wants "disk" "$BURL" test --runs=500 --dir=disk/store ./race
mount -o remount,ro "$PWD/disk" || fail "cannot remount"
wants "disk/other" "$BURL" test --runs=500 --dir=disk/other ./race
umount "$PWD/disk"
exit 0
