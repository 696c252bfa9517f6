#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
#
# tests/fault/store_files.sh - a store that cannot be written, is in use, damaged, or from the future:
# a clear message, exit code 3, and nothing lost.
set -u

. "$BURL_TEST_ROOT/tests/support/lib.inc"

cat >lost.c <<'SRC'
#include <assert.h>
#include <pthread.h>
static int n;
static void *
add(void *arg)
{
    n = n + 1;
    return arg;
}
int
main(void)
{
    pthread_t t[2];
    for (int i = 0; i < 2; i++)
        pthread_create(&t[i], 0, add, 0);
    for (int i = 0; i < 2; i++)
        pthread_join(t[i], 0);
    assert(n == 2);
    return 0;
}
SRC
"$BURL" cc -g lost.c -o lost -lpthread || fail "burl cc"
test_it=("$BURL" test --runs=2000 --stop-at-first)

# A directory that no user may write: /proc refuses root too.
want 3 '/proc/' "${test_it[@]}" --dir=/proc/burl-store ./lost
# A file where the directory should be.
echo x >plain-file
want 2 'plain-file' "${test_it[@]}" --dir=plain-file ./lost
want 3 'plain-file' "${test_it[@]}" --dir=plain-file/below ./lost
# Read-only for us; root may write everywhere, so only others can test this.
if [ "$(id -u)" -ne 0 ]; then
    mkdir ro && chmod a-w ro
    want 3 'ro' "${test_it[@]}" --dir=ro/.burl ./lost
    chmod u+w ro
fi
# A disk that is full: no file may grow.
(ulimit -f 0 && exec "${test_it[@]}" --dir=full ./lost) 2>&1 </dev/null | cat >out
got=${PIPESTATUS[0]}
[ $got -eq 3 ] || fail "full disk: exit code $got ($(head -n 5 out))"
grep -qE 'full|disk|cannot' out || fail "full disk: no clear message ($(head -n 5 out))"

# One good campaign to have something to lose.
want 1 '' "${test_it[@]}" ./lost
"$BURL" findings --json >before.json
[ $? -eq 1 ] || fail "burl findings after a finding"

# Two burls on one store: the second names the first, and exits.
exec 9>>.burl/lock
flock -n 9 || fail "flock"
echo "pid 4242, burl test ./other" >.burl/lock
want 3 'pid 4242, burl test ./other' "${test_it[@]}" ./lost
want 1 '' "$BURL" findings # reading is not locked out
exec 9>&-
want 1 '' "${test_it[@]}" ./lost

# From a newer burl.
cp .burl/burl.db good.db
sqlite3 .burl/burl.db 'PRAGMA user_version = 99' || fail sqlite3
want 3 'newer burl' "${test_it[@]}" ./lost
want 3 'newer burl' "$BURL" findings

# Damaged: the file to move away is named, and moving it helps.
head -c 3000 good.db >.burl/burl.db
want 3 'move it away' "${test_it[@]}" ./lost
want 3 'burl.db' "$BURL" findings
head -c 5000 /dev/urandom >.burl/burl.db
want 3 'move it away' "${test_it[@]}" ./lost
mv .burl/burl.db .burl/burl.db.damaged
want 1 '' "${test_it[@]}" ./lost

exit 0
